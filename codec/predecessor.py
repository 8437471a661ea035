"""Predecessors: the raw bytes of an earlier file that an archive leans on, and how they are reached."""

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from weightzip.codec.containers import read_layout
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.data_frame import Piece
from weightzip.codec.format.header import Header, Reference
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.source import BytesLike, ByteSource, FileSource
from weightzip.errors import CorruptData, MissingPredecessor, WrongPredecessor

if TYPE_CHECKING:
    from typing_extensions import Self

    from weightzip.codec.reader import Archive

_READ_BYTES = 4 << 20
# Of a walk in order, by one thread or several: what straddles two frames finds the first still there. Measured with
# eight frames at once over packed small tensors: 3 % are decoded twice, none where frames match.
_MAX_CACHED_FRAMES = 2


class Predecessor(ByteSource, Protocol):
    """Random access to the raw bytes of an earlier file, with its identity and its tensors by name."""

    @property
    def digest(self) -> bytes:
        """Return the BLAKE3 digest of the whole file (32 bytes); the first call may read the file once."""

    @property
    def tensors(self) -> Mapping[str, TensorRange]:
        """Return the file's tensors by name; empty for a file of unknown format."""


class FilePredecessor:
    """A Predecessor that is a raw file on disk."""

    def __init__(self, path: str | os.PathLike[str], *, n_threads: int = 0) -> None:
        self._source = FileSource(path)
        self._n_threads = n_threads

    @property
    def size_bytes(self) -> int:
        return self._source.size_bytes

    @cached_property
    def digest(self) -> bytes:
        builder = DigestBuilder(self._n_threads)
        for offset in range(0, self.size_bytes, _READ_BYTES):
            builder.update(self._source.read_at(offset, min(_READ_BYTES, self.size_bytes - offset)))
        return builder.digest()

    @cached_property
    def tensors(self) -> Mapping[str, TensorRange]:
        return {tensor.name: tensor for tensor in read_layout(self._source).tensors}

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        return self._source.read_at(offset, n_bytes)

    def check_unchanged(self) -> None:
        """Raise SourceChanged if the file changed since it was opened.

        Whoever compresses against it asks at the end: the digest is of one moment, the pieces are of others.
        """
        self._source.check_unchanged()

    def close(self) -> None:
        """Close the file; reads fail from then on."""
        self._source.close()


class ArchivePredecessor:
    """A Predecessor that is itself an archive: frames are decoded when their bytes are asked for.

    Chains restore without temporary files: the archive may have a predecessor of the same kind. Threads that ask at
    the same time wait for each other: each frame is decoded on all threads, and a chain of any length then holds two
    decoded frames an archive, not as many as there are threads.
    """

    def __init__(self, archive: "Archive") -> None:
        self._archive = archive
        self._lock = threading.Lock()
        self._frames: OrderedDict[int, BytesLike] = OrderedDict()

    @property
    def size_bytes(self) -> int:
        return self._archive.index.file_bytes

    @property
    def digest(self) -> bytes:
        return self._archive.index.file_digest

    @cached_property
    def tensors(self) -> Mapping[str, TensorRange]:
        return {tensor.name: tensor for tensor in self._archive.index.layout.tensors}

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        if n_bytes == 0:
            return b""
        with self._lock:
            return self._archive.assemble(offset, n_bytes, self._read_frame)

    def close(self) -> None:
        """Close the archive beneath (and its own predecessor)."""
        self._archive.close()

    def _read_frame(self, number: int) -> BytesLike:
        if number in self._frames:
            self._frames.move_to_end(number)
            return self._frames[number]
        while len(self._frames) >= _MAX_CACHED_FRAMES:
            self._frames.popitem(last=False)
        raw = self._archive.read_frame(number)
        self._frames[number] = raw
        return raw


@dataclass(frozen=True)
class BoundPredecessor:
    """The predecessor an archive names in its header, and what was given for it (None: nothing)."""

    reference: Reference
    given: Predecessor | None

    @property
    def reference_bytes(self) -> int:
        return self.reference.file_bytes

    @classmethod
    def of_header(cls, header: Header, given: Predecessor | None) -> "Self | None":
        """Return what an archive with this header leans on; None if it names no predecessor."""
        return None if header.reference is None else cls(header.reference, given)

    def read_pieces(self, pieces: tuple[Piece, ...], place: str) -> BytesLike:
        """Return the bytes of the pieces, concatenated. Raises as require does."""
        return read_pieces(self.require(place), pieces)

    def require(self, place: str) -> Predecessor:
        """Return what was given if it can be the predecessor.

        Only its size is compared: its digest would cost reading it whole, and every frame has a checksum of the
        bytes it leans on.

        Raises:
            MissingPredecessor, WrongPredecessor: nothing was given, or not that file.
        """
        if self.given is None:
            raise MissingPredecessor(
                f"{place}: leans on a predecessor that was not given, the file with digest "
                f"{self.reference.digest.hex()}"
            )
        if self.given.size_bytes != self.reference.file_bytes:
            raise self.explain_mismatch(place)
        return self.given

    def explain_mismatch(self, place: str) -> WrongPredecessor | CorruptData:
        """Return the error for bytes that are not those the archive was made against; names both digests."""
        if self.given is None or self.given.digest == self.reference.digest:
            return CorruptData(f"{place}: the checksum of the predecessor's bytes is damaged")
        return WrongPredecessor(
            f"{place}: leans on the file with digest {self.reference.digest.hex()} "
            f"({self.reference.file_bytes} bytes), the predecessor given has {self.given.digest.hex()} "
            f"({self.given.size_bytes} bytes)"
        )


def read_pieces(predecessor: Predecessor, pieces: tuple[Piece, ...]) -> BytesLike:
    """Return the bytes of the pieces, concatenated."""
    if len(pieces) == 1:
        return predecessor.read_at(pieces[0].offset, pieces[0].n_bytes)
    return b"".join(predecessor.read_at(piece.offset, piece.n_bytes) for piece in pieces)
