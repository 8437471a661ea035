"""What an archive says about itself, without decoding anything."""

from dataclasses import dataclass

from weightzip.codec.format.header import Header
from weightzip.codec.format.index import Index
from weightzip.codec.format.layout import ContainerKind


@dataclass(frozen=True)
class ReferenceInfo:
    """A file that an archive names, by its BLAKE3 digest in hex. `is_needed` tells whether any frame leans on it."""

    digest: str
    file_bytes: int
    is_needed: bool


@dataclass(frozen=True)
class ArchiveInfo:
    """The facts of header and index. Digests are BLAKE3 in hex.

    With `leans_on_itself` frames may lean on other bytes of the shard, with `is_arranged` they hold it in another order:
    then it cannot be decoded from a pipe alone.
    """

    container: ContainerKind
    file_bytes: int
    file_digest: str
    archive_bytes: int
    n_frames: int
    n_tensors: int
    references: tuple[ReferenceInfo, ...]
    leans_on_itself: bool
    is_arranged: bool

    @property
    def needed(self) -> tuple[ReferenceInfo, ...]:
        """Return the files without which it does not restore."""
        return tuple(reference for reference in self.references if reference.is_needed)

    @property
    def needed_digests(self) -> tuple[str, ...]:
        """Return the digests of the files without which it does not restore."""
        return tuple(reference.digest for reference in self.needed)


def describe_archive(header: Header, index: Index, archive_bytes: int) -> ArchiveInfo:
    """Return the facts of an archive."""
    needed = set(index.frames.list_references())
    return ArchiveInfo(
        container=index.layout.container,
        file_bytes=index.file_bytes,
        file_digest=index.file_digest.hex(),
        archive_bytes=archive_bytes,
        n_frames=len(index.frames),
        n_tensors=len(index.layout.tensors),
        references=tuple(
            ReferenceInfo(reference.digest.hex(), reference.file_bytes, number in needed)
            for number, reference in enumerate(header.references)
        ),
        leans_on_itself=header.leans_on_itself,
        is_arranged=header.is_arranged,
    )
