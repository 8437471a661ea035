"""What an archive says about itself, without decoding anything."""

from dataclasses import dataclass

from weightzip.codec.format.header import Header
from weightzip.codec.format.index import Index
from weightzip.codec.format.layout import ContainerKind


@dataclass(frozen=True)
class ArchiveInfo:
    """The facts of header and index. Digests are BLAKE3 in hex.

    `base_digest` and `base_bytes` identify the predecessor, None if the archive names none. `needs_base` tells
    whether any frame leans on it.
    """

    container: ContainerKind
    file_bytes: int
    file_digest: str
    archive_bytes: int
    n_frames: int
    n_tensors: int
    base_digest: str | None
    base_bytes: int | None
    needs_base: bool


def describe_archive(header: Header, index: Index, archive_bytes: int) -> ArchiveInfo:
    """Return the facts of an archive."""
    reference = header.reference
    return ArchiveInfo(
        container=index.layout.container,
        file_bytes=index.file_bytes,
        file_digest=index.file_digest.hex(),
        archive_bytes=archive_bytes,
        n_frames=len(index.frames),
        n_tensors=len(index.layout.tensors),
        base_digest=reference.digest.hex() if reference is not None else None,
        base_bytes=reference.file_bytes if reference is not None else None,
        needs_base=bool(index.frames.uses_predecessor.any()),
    )
