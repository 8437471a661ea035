"""The header of an archive (docs/format.md, "Header")."""

from dataclasses import dataclass

from weightzip.codec.format.checksum import DIGEST_BYTES, compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.source import BytesLike
from weightzip.errors import NotAnArchive, UnsupportedVersion

_MAGIC = bytes.fromhex("89575a53540d0a1a")
_VERSION = 1
_LEANS_ON_ITSELF = 1
_IS_ARRANGED = 2
_MAX_REFERENCES = 15


@dataclass(frozen=True)
class Reference:
    """A file that the archive leans on."""

    digest: bytes
    file_bytes: int


@dataclass(frozen=True)
class ArchiveHeader:
    """What an archive says before its first frame."""

    leans_on_itself: bool
    is_arranged: bool
    references: tuple[Reference, ...]


def read_header(cursor: Cursor, archive: BytesLike) -> ArchiveHeader:
    """Return the header at the cursor, which stands at the front of the archive."""
    if cursor.take(len(_MAGIC), "magic") != _MAGIC:
        raise NotAnArchive(f"{cursor.place}: it does not begin with the archive magic")
    version = cursor.u16("version")
    if version > _VERSION:
        raise UnsupportedVersion(f"{cursor.place}: format version {version}")
    cursor.expect(version == _VERSION, "format version 0 does not exist")
    flags = cursor.u16("flags")
    cursor.expect(flags <= _LEANS_ON_ITSELF | _IS_ARRANGED, "a reserved flag is set")
    n_references = cursor.u32("n_references")
    cursor.expect(n_references <= _MAX_REFERENCES, f"{n_references} references are too many")
    references = tuple(
        Reference(bytes(cursor.take(DIGEST_BYTES, "digest")), cursor.u64("file_bytes"))
        for _ in range(n_references)
    )
    cursor.expect(len({r.digest for r in references}) == n_references, "two references are one file")
    checked = memoryview(archive)[: cursor.position]
    cursor.expect(cursor.u64("header_checksum") == compute_checksum(checked), "the header is damaged")
    return ArchiveHeader(bool(flags & _LEANS_ON_ITSELF), bool(flags & _IS_ARRANGED), references)
