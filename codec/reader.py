"""Random access to an archive: its index, single tensors, single frames."""

from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from weightzip.codec.format.layout import ContainerKind
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.source import ByteSource

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class ArchiveInfo:
    """What header and index say about an archive, without decoding anything."""

    container: ContainerKind
    file_bytes: int
    file_digest: str
    archive_bytes: int
    n_frames: int
    n_tensors: int
    base_digest: str | None
    base_bytes: int | None
    needs_base: bool


@dataclass(frozen=True)
class TensorData:
    """One restored tensor; `data` holds its bytes in C order, little-endian."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: memoryview

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return the tensor as a NumPy array over the same memory.

        Types NumPy does not know (BF16, F8) come as unsigned integers of their size, sub-byte types as raw bytes.
        """
        raise NotImplementedError


class Archive:
    """An archive open for random access. Use as a context manager; safe to use from several threads."""

    def __init__(
        self, source: ByteSource, *, predecessor: Predecessor | None = None, name: str = "archive"
    ) -> None:
        raise NotImplementedError

    @property
    def info(self) -> ArchiveInfo:
        """Return the facts of header and index."""
        raise NotImplementedError

    def keys(self) -> list[str]:
        """Return the names of the tensors in the order of the shard."""
        raise NotImplementedError

    def tensor(self, name: str) -> TensorData:
        """Restore one tensor, reading only the frames that hold it.

        Raises:
            NotFound: no tensor of this name.
            MissingPredecessor, WrongPredecessor: the tensor leans on a predecessor that is not there.
            CorruptData: the archive is damaged.
        """
        raise NotImplementedError

    def read_range(self, offset: int, n_bytes: int) -> memoryview:
        """Restore n_bytes of the shard from offset, reading only the frames that hold them."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the source beneath, and the predecessor if this archive opened it."""
        raise NotImplementedError

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
