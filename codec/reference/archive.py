"""A whole archive in memory, walked front to back (docs/format.md, "Archive")."""

from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.footer import FOOTER_BYTES, decode_footer
from weightzip.codec.format.frame import (
    FRAME_HEADER_BYTES,
    FrameKind,
    check_frame_body,
    decode_frame_header,
)
from weightzip.codec.format.header import decode_header
from weightzip.codec.format.index import decode_index
from weightzip.codec.frames import decode_frame
from weightzip.codec.predecessor import BoundPredecessor, Predecessor
from weightzip.codec.reference.block_group import decode_block_group
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData


class ReferenceDecoder:
    """A BlockDecoder over the reference implementation."""

    def decode_blocks(
        self, group: BytesLike, predecessor: BytesLike | None, out: memoryview, place: str
    ) -> None:
        out[:] = decode_block_group(group, predecessor, len(out), place)


def decode_archive(data: BytesLike, predecessor: Predecessor | None = None) -> bytes:
    """Return the bytes of the shard in an archive.

    Raises:
        CorruptData, MissingPredecessor, WrongPredecessor: as the product's readers do.
    """
    place = "archive"
    view = memoryview(data)
    header = decode_header(view, place)
    bound = BoundPredecessor.of_header(header, predecessor)
    position = header.n_bytes
    parts: list[BytesLike] = []
    while True:
        head = decode_frame_header(view[position : position + FRAME_HEADER_BYTES], place)
        begin, end = position + FRAME_HEADER_BYTES, position + FRAME_HEADER_BYTES + head.body_bytes
        body = view[begin:end]
        check_frame_body(head, body, place)
        if head.kind == FrameKind.INDEX:
            break
        parts.append(decode_frame(body, bound, ReferenceDecoder(), place).raw)
        position = end
    index = decode_index(body, index_offset=position, place=place)
    if decode_footer(view[end:], place) != position or len(view) != end + FOOTER_BYTES:
        raise CorruptData(f"{place}: it does not end with its footer")
    digest = DigestBuilder(n_threads=1)
    for part in parts:
        digest.update(part)
    if digest.digest() != index.file_digest:
        raise CorruptData(f"{place}: the restored file does not have its recorded digest")
    return b"".join(parts)
