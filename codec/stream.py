"""Forward decoding of an archive that comes through a pipe: bounded memory, no seeking."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Protocol

import numpy as np

from weightzip.codec.backend import BlockBackend
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.footer import FOOTER_BYTES, decode_footer
from weightzip.codec.format.frame import (
    FRAME_HEADER_BYTES,
    FrameKind,
    check_frame_body,
    decode_frame_header,
)
from weightzip.codec.format.frame_table import FrameRow, FrameTable, build_frame_table
from weightzip.codec.format.header import MIN_HEADER_BYTES, decode_header, read_header_bytes
from weightzip.codec.format.index import Index, decode_index
from weightzip.codec.frames import decode_frame
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.references import References
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, TruncatedData, UsageError

_READ_BYTES = 1 << 20


class ByteReader(Protocol):
    """The reading end of a pipe."""

    def read(self, n_bytes: int, /) -> bytes:
        """Return up to n_bytes, nothing only at the end."""


class StreamDecoder:
    """Decodes an archive front to back. Iterate once: each item is the bytes of the next frame.

    Every item is proven by its frame's checksum. What belongs to the whole (index, digest, end of the archive) is
    proven after the last item: only when the iteration has ended without an error is the output complete.

    Iterating over an archive that needs random access, as its header says, raises UsageError. What was read of it by
    then is `stored_header`.
    """

    def __init__(
        self,
        reader: ByteReader,
        *,
        predecessor: Predecessor | None,
        beside: Sequence[Predecessor] = (),
        backend: BlockBackend,
        n_threads: int = 0,
        name: str = "archive",
    ) -> None:
        self._reader = reader
        self._given = (*beside, *([predecessor] if predecessor is not None else []))
        self._backend = backend
        self._digest = DigestBuilder(n_threads)
        self._rows: list[FrameRow] = []
        self._name = name
        self.position = 0
        self.stored_header = self._read_header()
        self.header = decode_header(self.stored_header, name)
        self.index: Index | None = None

    def __iter__(self) -> Iterator[BytesLike]:
        if self.header.needs_random_access:
            raise UsageError(
                f"{self._name}: it leans on bytes of its own or is arranged: that takes random access"
            )
        references = References(self.header, self._given, own=None)
        while True:
            place = f"{self._name}: frame {len(self._rows)} at {self.position}"
            begin = self.position
            head = decode_frame_header(self._read(FRAME_HEADER_BYTES, place), place)
            body = self._read(head.body_bytes, place)
            check_frame_body(head, body, place)
            if head.kind == FrameKind.INDEX:
                self._finish(begin, body)
                return
            decoded = decode_frame(body, references, self._backend, place)
            self._digest.update(decoded.raw)
            self._rows.append(FrameRow(begin, self.position - begin, decoded.facts))
            yield decoded.raw

    def _finish(self, index_offset: int, body: BytesLike) -> None:
        index = decode_index(body, index_offset=index_offset, place=self._name)
        if index.frames.begin(index_offset) != self.header.n_bytes or not self._has_rows(index.frames):
            raise CorruptData(f"{self._name}: the index describes other frames than there are")
        if len(index.arrangement):
            raise CorruptData(f"{self._name}: it is arranged, the header does not say so")
        footer = self._read(FOOTER_BYTES, f"{self._name}: footer")
        if decode_footer(footer, self._name) != index_offset:
            raise CorruptData(f"{self._name}: the footer does not point at the index")
        if self._reader.read(1):
            raise CorruptData(f"{self._name}: bytes follow the footer")
        if self._digest.digest() != index.file_digest:
            raise CorruptData(f"{self._name}: the restored file does not have its recorded digest")
        self.index = index

    def _has_rows(self, frames: FrameTable) -> bool:
        seen = build_frame_table(self._rows)
        return all(
            np.array_equal(getattr(seen, column.name), getattr(frames, column.name))
            for column in fields(FrameTable)
        )

    def _read_header(self) -> bytes:
        place = f"{self._name}: header"
        stored = self._read(MIN_HEADER_BYTES, place)
        return stored + self._read(read_header_bytes(stored) - MIN_HEADER_BYTES, place)

    def _read(self, n_bytes: int, place: str) -> bytes:
        """Return exactly n_bytes; what is held grows with what arrives, not with what is claimed."""
        parts: list[bytes] = []
        missing = n_bytes
        while missing > 0:
            part = self._reader.read(min(missing, _READ_BYTES))
            if not part:
                raise TruncatedData(f"{place}: it ends after {n_bytes - missing} of {n_bytes} bytes")
            parts.append(part)
            missing -= len(part)
        self.position += n_bytes
        return parts[0] if len(parts) == 1 else b"".join(parts)
