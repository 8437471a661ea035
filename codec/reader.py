"""Random access to an archive: its index, single tensors, single frames."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from weightzip.codec.archive_info import ArchiveInfo, describe_archive
from weightzip.codec.backend import BlockBackend, CpuBackend
from weightzip.codec.format.footer import FOOTER_BYTES, decode_footer
from weightzip.codec.format.frame import (
    FRAME_HEADER_BYTES,
    FrameKind,
    check_frame_body,
    decode_frame_header,
)
from weightzip.codec.format.header import MAX_HEADER_BYTES, MIN_HEADER_BYTES, Header, decode_header
from weightzip.codec.format.index import Index, decode_index
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_INDEX_BYTES
from weightzip.codec.frames import decode_frame
from weightzip.codec.own_bytes import OwnBytes
from weightzip.codec.placement import FrameParts, copy_parts, locate_range
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.references import References
from weightzip.codec.source import BytesLike, ByteSource, allocate
from weightzip.codec.tensor_data import TensorData
from weightzip.errors import CorruptData, NotFound, TruncatedData, UsageError

if TYPE_CHECKING:
    from typing_extensions import Self


# Restores a frame by its number, perhaps into the memory that is offered for it.
Decode = Callable[[int, memoryview | None], BytesLike]


class Archive:
    """An archive open for random access. Use as a context manager; safe to use from several threads.

    Opening costs two reads: footer and index. The header is read when the identity of what it leans on is needed.
    `predecessor` and `beside` are the files that it may lean on; which is which, it knows by their digests.
    `owned` are things to close with the archive.
    """

    def __init__(
        self,
        source: ByteSource,
        *,
        predecessor: Predecessor | None = None,
        beside: Sequence[Predecessor] = (),
        backend: BlockBackend | None = None,
        name: str = "archive",
        owned: tuple[Callable[[], None], ...] = (),
    ) -> None:
        self.name = name
        self._source = source
        self._given = (*beside, *([predecessor] if predecessor is not None else []))
        self._backend = backend if backend is not None else CpuBackend()
        self._owned = owned
        self.index = self._read_index()

    @cached_property
    def header(self) -> Header:
        """Return the header."""
        n_bytes = self.index.frames.begin(self._index_offset)
        header = decode_header(self._source.read_at(0, n_bytes), self.name)
        if header.n_bytes != n_bytes:
            raise CorruptData(f"{self.name}: header and index disagree on where the frames begin")
        if self.index.frames.leans_on_itself.any() and not header.leans_on_itself:
            raise CorruptData(f"{self.name}: a frame leans on the shard itself, the header does not say so")
        if header.is_arranged != (len(self.index.arrangement) > 0):
            raise CorruptData(f"{self.name}: header and index disagree on whether the shard is arranged")
        return header

    @property
    def info(self) -> ArchiveInfo:
        """Return the facts of header and index."""
        return describe_archive(self.header, self.index, self._source.size_bytes)

    @property
    def frames_at_once(self) -> int:
        """Return how many frames are worth decoding at the same time."""
        return self._backend.frames_at_once

    def keys(self) -> list[str]:
        """Return the names of the tensors in the order of the shard."""
        return [tensor.name for tensor in self.index.layout.tensors]

    def tensor(self, name: str) -> TensorData:
        """Restore one tensor, reading only the frames that hold it.

        Raises:
            NotFound: no tensor of this name.
            MissingPredecessor, WrongPredecessor: the tensor leans on a predecessor that is not there.
            CorruptData: the archive is damaged.
        """
        tensor = self._tensors.get(name)
        if tensor is None:
            raise NotFound(f"{self.name}: no tensor {name!r} in it")
        data = self.read_range(tensor.offset, tensor.n_bytes)
        return TensorData(name, tensor.dtype, tensor.shape, data)

    def read_range(self, offset: int, n_bytes: int) -> memoryview:
        """Restore n_bytes of the shard from offset, reading only the frames that hold them, neighbours in one read.

        Raises:
            UsageError: offset or n_bytes is negative.
            TruncatedData: the shard ends before.
            MissingPredecessor, WrongPredecessor, CorruptData: as in tensor.
        """
        if offset < 0 or n_bytes < 0:
            raise UsageError(f"{self.name}: {n_bytes} bytes at {offset} make no range")
        if offset + n_bytes > self.index.file_bytes:
            raise TruncatedData(f"{self.name}: {n_bytes} bytes wanted at {offset} of {self.index.file_bytes}")
        if n_bytes == 0:
            return memoryview(b"")
        parts = locate_range(self.index, offset, n_bytes)
        stored = self._read_stored_frames(parts.list_frames())

        def decode(number: int, out: memoryview | None) -> BytesLike:
            return self.decode_stored_frame(number, stored[number], out)

        return memoryview(self.assemble(offset, n_bytes, parts, decode))

    def read_frame(self, number: int) -> BytesLike:
        """Restore the bytes of one data frame."""
        return self.decode_stored_frame(number, self.read_stored_frame(number))

    def read_stored_frame(self, number: int) -> BytesLike:
        """Return one data frame as it is stored, header and body."""
        frames = self.index.frames
        return self._source.read_at(int(frames.archive_offset[number]), int(frames.frame_bytes[number]))

    def decode_stored_frame(self, number: int, stored: BytesLike, out: memoryview | None = None) -> BytesLike:
        """Restore the bytes of one data frame from its stored form, into `out` if that is given."""
        place = self._place(number)
        view = memoryview(stored)
        head = decode_frame_header(view[:FRAME_HEADER_BYTES], place)
        body = view[FRAME_HEADER_BYTES:]
        if head.kind != FrameKind.DATA or head.body_bytes != len(body):
            raise CorruptData(f"{place}: it is not the data frame that the index promises")
        check_frame_body(head, body, place)
        facts = self.index.frames.row(number).facts
        references = self._references if facts.leans_on else None
        decoded = decode_frame(body, references, self._backend, place, leans_on=facts.leans_on, out=out)
        if decoded.facts != facts:
            raise CorruptData(f"{place}: the index describes it otherwise")
        return decoded.raw

    def check_references(self) -> None:
        """Raise MissingPredecessor or WrongPredecessor if frames lean on a file that was not given.

        Also checks the header, which opening alone does not read.
        """
        self._references.require(self.index.frames.list_references(), self.name)

    def assemble(self, offset: int, n_bytes: int, parts: FrameParts, decode: Decode) -> BytesLike:
        """Return n_bytes (1 or more) of the shard from offset out of its parts; `decode` restores frames by number."""
        rows = parts.list_rows()
        if len(rows) == 1:
            return memoryview(decode(rows[0].frame, None))[rows[0].first :][:n_bytes]
        out = allocate(n_bytes)
        for number, group in groupby(rows, key=attrgetter("frame")):
            of_frame = list(group)
            begin, size = of_frame[0].offset - offset, of_frame[0].n_bytes
            # A frame whose bytes all stand together is decoded where they are wanted.
            is_whole = size == self.index.frames.raw_bytes[number]
            target = out[begin : begin + size] if is_whole else None
            raw = decode(number, target)
            if raw is not target:
                copy_parts(raw, of_frame, out, offset)
        return out

    def close(self) -> None:
        """Close what was opened with the archive: its source, and the predecessor if it came by path."""
        for close in self._owned:
            close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def _references(self) -> References:
        return References(self.header, self._given, OwnBytes(self) if self.header.leans_on_itself else None)

    @cached_property
    def _tensors(self) -> dict[str, TensorRange]:
        return {tensor.name: tensor for tensor in self.index.layout.tensors}

    def _read_stored_frames(self, numbers: Sequence[int]) -> dict[int, memoryview]:
        """Return frames as they are stored, by number; those that stand together come with one read."""
        frames = self.index.frames
        stored: dict[int, memoryview] = {}
        # Their number and their place among those that are wanted grow alike only within a stretch.
        for _, stretch in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
            together = [number for _, number in stretch]
            begin = int(frames.archive_offset[together[0]])
            n_bytes = int(frames.frame_bytes[together[0] : together[-1] + 1].sum(dtype=np.uint64))
            data = memoryview(self._source.read_at(begin, n_bytes))
            for number in together:
                first = int(frames.archive_offset[number]) - begin
                stored[number] = data[first : first + int(frames.frame_bytes[number])]
        return stored

    def _place(self, number: int) -> str:
        frames = self.index.frames
        begin, n_bytes = int(frames.raw_offset[number]), int(frames.raw_bytes[number])
        whole = "arranged file" if len(self.index.arrangement) else "file"
        return f"{self.name}: frame {number} (bytes {begin} to {begin + n_bytes} of the {whole})"

    def _read_index(self) -> Index:
        size_bytes = self._source.size_bytes
        if size_bytes < MIN_HEADER_BYTES + FRAME_HEADER_BYTES + FOOTER_BYTES:
            self._explain_damage()
            raise TruncatedData(f"{self.name}: {size_bytes} bytes are too few for an archive")
        try:
            self._index_offset = decode_footer(
                self._source.read_at(size_bytes - FOOTER_BYTES, FOOTER_BYTES), self.name
            )
        except CorruptData:
            self._explain_damage()
            raise
        n_bytes = size_bytes - FOOTER_BYTES - self._index_offset
        if not FRAME_HEADER_BYTES <= n_bytes <= FRAME_HEADER_BYTES + MAX_INDEX_BYTES:
            raise CorruptData(f"{self.name}: the footer does not point at an index")
        stored = memoryview(self._source.read_at(self._index_offset, n_bytes))
        place = f"{self.name}: index frame"
        head = decode_frame_header(stored[:FRAME_HEADER_BYTES], place)
        body = stored[FRAME_HEADER_BYTES:]
        if head.kind != FrameKind.INDEX or head.body_bytes != len(body):
            raise CorruptData(f"{place}: it does not end where the footer begins")
        check_frame_body(head, body, place)
        return decode_index(body, index_offset=self._index_offset, place=self.name)

    def _explain_damage(self) -> None:
        """Raise the better error if the header already tells that this is no archive, or a newer one."""
        decode_header(self._source.read_at(0, min(MAX_HEADER_BYTES, self._source.size_bytes)), self.name)
