"""Writes an archive: header, frames, index, footer, in one forward pass."""

from collections.abc import Callable

from weightzip.codec.format.arrangement import Arrangement
from weightzip.codec.format.footer import encode_footer
from weightzip.codec.format.frame import FRAME_HEADER_BYTES, FrameKind, encode_frame_header
from weightzip.codec.format.frame_table import FrameRow, build_frame_table
from weightzip.codec.format.header import Header, encode_header
from weightzip.codec.format.index import Index, decode_index, encode_index
from weightzip.codec.format.layout import Layout
from weightzip.codec.frames import EncodedFrame
from weightzip.codec.source import BytesLike

Write = Callable[[BytesLike], object]


class ArchiveWriter:
    """Gives the archive's bytes to `write`, front to back. Call add_frame for every frame, then finish once."""

    def __init__(self, write: Write, header: Header) -> None:
        self._write = write
        self._rows: list[FrameRow] = []
        self._position = 0
        self._put(encode_header(header))

    def add_frame(self, frame: EncodedFrame) -> None:
        """Write the next frame."""
        n_bytes = FRAME_HEADER_BYTES + frame.body_bytes
        self._rows.append(FrameRow(self._position, n_bytes, frame.facts))
        self._put(encode_frame_header(FrameKind.DATA, *frame.parts))
        for part in frame.parts:
            self._put(part)

    def finish(self, layout: Layout, arrangement: Arrangement, file_digest: bytes) -> None:
        """Write index and footer. The index is decoded once more before: it must never be what fails later.

        Raises:
            UsageError: as in encode_index.
            CorruptData: the frames do not tile the shard.
        """
        body = encode_index(Index(file_digest, layout, build_frame_table(self._rows), arrangement))
        index_offset = self._position
        decode_index(body, index_offset=index_offset, place="the archive just written")
        self._put(encode_frame_header(FrameKind.INDEX, body))
        self._put(body)
        self._put(encode_footer(index_offset))

    def _put(self, data: BytesLike) -> None:
        self._write(data)
        self._position += len(data)
