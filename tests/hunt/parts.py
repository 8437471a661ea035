"""An archive taken apart, so that it can be put together again around a damaged part with right checksums and sizes.

Never made right are raw_checksum and the digest of the shard: they must tell that the bytes are not the right ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from hunt.victims import Victim
from shards.archives import map_by_digest
from support.handmade_archives import ARRANGED
from weightzip.codec.format.block_group import Transform
from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.data_frame import OWN, DataFrame, FrameInput, Method, Piece, decode_data_frame
from weightzip.codec.format.footer import END_MAGIC, FOOTER_BYTES, encode_footer
from weightzip.codec.format.frame import FRAME_HEADER_BYTES, FrameKind, encode_frame_header
from weightzip.codec.format.frame_table import FrameFacts, FrameRow, build_frame_table
from weightzip.codec.format.index import Index, encode_index
from weightzip.codec.format.limits import MAX_PIECES
from weightzip.codec.reader import Archive
from weightzip.codec.source import MemorySource
from weightzip.codec.zstd import decompress_zstd
from weightzip.errors import WeightzipError

CHECKSUM_BYTES = 8
_PLAIN_BYTES = 8
_FLAGS_PLACE = 10
_PLACE = "a part"


class FramePart(NamedTuple):
    """A data frame's body, and what the index says of it."""

    body: bytes
    facts: FrameFacts


@dataclass(frozen=True)
class Parts:
    """`archive` is the whole, `header` is without its checksum, `files` are what frames may lean on, by reference."""

    archive: bytes
    header: bytes
    frames: tuple[FramePart, ...]
    index: Index
    index_body: bytes
    index_offset: int
    files: Mapping[int, bytes]

    @property
    def file_bytes(self) -> dict[int, int]:
        """Return the sizes of the files, by reference."""
        return {number: len(file) for number, file in self.files.items()}


def take_apart(victim: Victim) -> Parts:
    """Return the parts of a sound archive."""
    archive = victim.archive
    opened = Archive(MemorySource(archive))
    table = opened.index.frames
    bodies = [bytes(opened.read_stored_frame(number))[FRAME_HEADER_BYTES:] for number in range(len(table))]
    index_offset = int.from_bytes(archive[-FOOTER_BYTES : -CHECKSUM_BYTES - len(END_MAGIC)], "little")
    by_digest = map_by_digest(victim.files)
    files = {
        number: bytes(by_digest[reference.digest])
        for number, reference in enumerate(opened.header.references)
    }
    if opened.header.leans_on_itself:
        files[OWN] = victim.shard
    return Parts(
        archive,
        archive[: opened.header.n_bytes - CHECKSUM_BYTES],
        tuple(FramePart(body, table.row(number).facts) for number, body in enumerate(bodies)),
        opened.index,
        archive[index_offset + FRAME_HEADER_BYTES : -FOOTER_BYTES],
        index_offset,
        files,
    )


def put_together(parts: Parts, *, index_body: bytes | None = None, index_offset: int | None = None) -> bytes:
    """Return the archive of these parts, with the index made anew unless its body is given."""
    out = bytearray(seal_header(parts.header))
    rows = []
    for body, facts in parts.frames:
        frame = encode_frame_header(FrameKind.DATA, body) + body
        rows.append(FrameRow(len(out), len(frame), facts))
        out += frame
    if index_body is None:
        index_body = encode_index(replace(parts.index, frames=build_frame_table(rows)))
    footer = encode_footer(len(out) if index_offset is None else index_offset)
    return bytes(out + encode_frame_header(FrameKind.INDEX, index_body) + index_body + footer)


def seal_header(header: bytes) -> bytes:
    """Return the header with its checksum."""
    return header + compute_checksum(header).to_bytes(CHECKSUM_BYTES, "little")


def set_arranged(header: bytes, is_arranged: bool) -> bytes:
    """Return the header with its flag `arranged` as given."""
    flags = header[_FLAGS_PLACE] & ~ARRANGED | ARRANGED * is_arranged
    return header[:_FLAGS_PLACE] + bytes([flags]) + header[_FLAGS_PLACE + 1 :]


def read_claims(body: bytes, facts: FrameFacts, parts: Parts) -> FrameFacts:
    """Return what an index would say of a body that may be damaged; `facts` if the body says nothing."""
    try:
        frame = decode_data_frame(body, parts.file_bytes, _PLACE)
    except WeightzipError:
        return facts
    return FrameFacts(frame.raw_bytes, frame.method, _read_transform(frame), frame.leans_on)


def read_frame(part: FramePart, parts: Parts) -> DataFrame:
    """Return the fields of a sound frame."""
    return decode_data_frame(part.body, parts.file_bytes, _PLACE)


def seal_input(pieces: Sequence[Piece], parts: Parts) -> FrameInput:
    """Return an input with the checksum of what its pieces hold, as far as they lie in files that there are."""
    data = b"".join(
        parts.files.get(piece.reference, b"")[piece.offset : piece.offset + piece.n_bytes]
        for piece in pieces[:MAX_PIECES]
    )
    return FrameInput(tuple(pieces), compute_checksum(data))


def read_plain_index(parts: Parts) -> bytes:
    """Return the index as it is before zstd."""
    n_bytes = int.from_bytes(parts.index_body[:_PLAIN_BYTES], "little")
    return decompress_zstd(parts.index_body[_PLAIN_BYTES:], n_bytes, _PLACE)


def _read_transform(frame: DataFrame) -> Transform:
    code = frame.rest[1] if frame.method == Method.BLOCKS and len(frame.rest) > 1 else 0
    return Transform(code) if code <= max(Transform) else Transform.IDENTITY
