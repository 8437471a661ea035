"""Predecessors: the raw bytes of an earlier file that an archive leans on, and how they are reached."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from weightzip.codec.format.layout import TensorRange
from weightzip.codec.source import BytesLike, ByteSource

if TYPE_CHECKING:
    from weightzip.codec.reader import Archive


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

    def __init__(self, path: str | os.PathLike[str]) -> None:
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        raise NotImplementedError

    @property
    def digest(self) -> bytes:
        raise NotImplementedError

    @property
    def tensors(self) -> Mapping[str, TensorRange]:
        raise NotImplementedError

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        raise NotImplementedError

    def close(self) -> None:
        """Close the file; reads fail from then on."""
        raise NotImplementedError


class ArchivePredecessor:
    """A Predecessor that is itself an archive: frames are decoded when their bytes are asked for.

    Chains restore without temporary files: the archive may have a predecessor of the same kind.
    A few decoded frames are kept; memory stays bounded whatever the size of the file.
    """

    def __init__(self, archive: "Archive") -> None:
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        raise NotImplementedError

    @property
    def digest(self) -> bytes:
        raise NotImplementedError

    @property
    def tensors(self) -> Mapping[str, TensorRange]:
        raise NotImplementedError

    def read_at(self, offset: int, n_bytes: int) -> BytesLike:
        raise NotImplementedError

    def close(self) -> None:
        """Close the archive beneath (and its own predecessor)."""
        raise NotImplementedError
