"""Files that an archive leans on, such as predecessors: their raw bytes, and how they are reached."""

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.frame_cache import FrameCache
from weightzip.codec.source import BytesLike, ByteSource, FileSource

_READ_BYTES = 4 << 20


class Predecessor(ByteSource, Protocol):
    """Random access to the raw bytes of a file that others lean on, with its identity and its tensors by name.

    That is an earlier version of them, hence the name, or a file that was saved together with them.
    """

    @property
    def digest(self) -> bytes:
        """Return the BLAKE3 digest of the whole file (32 bytes); the first call may read the file once."""

    @property
    def tensors(self) -> Mapping[str, TensorRange]:
        """Return the file's tensors by name; empty for a file of unknown format."""


class FilePredecessor:
    """A Predecessor that is a raw file on disk. Give its digest if it is known: it costs reading the file whole."""

    def __init__(
        self, path: str | os.PathLike[str], *, n_threads: int = 0, digest: bytes | None = None
    ) -> None:
        self._source = FileSource(path)
        self._n_threads = n_threads
        self._known_digest = digest

    @property
    def size_bytes(self) -> int:
        return self._source.size_bytes

    @cached_property
    def digest(self) -> bytes:
        if self._known_digest is not None:
            return self._known_digest
        builder = DigestBuilder(self._n_threads)
        for offset in range(0, self.size_bytes, _READ_BYTES):
            builder.update(self._source.read_at(offset, min(_READ_BYTES, self.size_bytes - offset)))
        return builder.digest()

    @cached_property
    def tensors(self) -> Mapping[str, TensorRange]:
        layout = read_layout(self._source, DirectorySurroundings(self._source.path))
        return {tensor.name: tensor for tensor in layout.tensors}

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


class ArchivePredecessor(FrameCache):
    """A Predecessor that is itself an archive: frames are decoded when their bytes are asked for.

    Chains restore without temporary files: the archive may have a predecessor of the same kind.
    """

    @property
    def digest(self) -> bytes:
        return self.archive.index.file_digest

    @cached_property
    def tensors(self) -> Mapping[str, TensorRange]:
        return {tensor.name: tensor for tensor in self.archive.index.layout.tensors}

    def close(self) -> None:
        """Close the archive beneath (and its own predecessor)."""
        self.archive.close()
