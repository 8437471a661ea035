"""The header of an archive (docs/format.md, "Header")."""

import struct
from dataclasses import dataclass

from weightzip.codec.format.checksum import DIGEST_BYTES, compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import FORMAT_VERSION, MAX_REFERENCES
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, NotAnArchive, TruncatedData, UnsupportedVersion

MAGIC = bytes([0x89, 0x57, 0x5A, 0x53, 0x54, 0x0D, 0x0A, 0x1A])
_PREFIX_BYTES = 16
_CHECKSUM_BYTES = 8
_LEANS_ON_ITSELF = 1
_IS_ARRANGED = 2

REFERENCE_BYTES = DIGEST_BYTES + 8
MIN_HEADER_BYTES = _PREFIX_BYTES + _CHECKSUM_BYTES
MAX_HEADER_BYTES = MIN_HEADER_BYTES + MAX_REFERENCES * REFERENCE_BYTES


@dataclass(frozen=True)
class Reference:
    """The identity of a file that frames lean on."""

    digest: bytes
    file_bytes: int


@dataclass(frozen=True)
class Header:
    """What an archive says before its first frame. A piece names its reference by the place in `references`."""

    references: tuple[Reference, ...] = ()
    leans_on_itself: bool = False
    is_arranged: bool = False

    @property
    def needs_random_access(self) -> bool:
        """Return whether the archive cannot be decoded forward."""
        return self.leans_on_itself or self.is_arranged

    @property
    def n_bytes(self) -> int:
        """Return the stored size."""
        return MIN_HEADER_BYTES + len(self.references) * REFERENCE_BYTES


def encode_header(header: Header) -> bytes:
    """Return the stored form of a header."""
    flags = _LEANS_ON_ITSELF * header.leans_on_itself | _IS_ARRANGED * header.is_arranged
    body = MAGIC + struct.pack("<HHI", FORMAT_VERSION, flags, len(header.references))
    for reference in header.references:
        body += reference.digest + struct.pack("<Q", reference.file_bytes)
    return body + struct.pack("<Q", compute_checksum(body))


def decode_header(data: BytesLike, place: str) -> Header:
    """Return the header at the front of data; MAX_HEADER_BYTES are enough, what follows is not looked at.

    Raises:
        UnsupportedVersion: a newer weightzip wrote it.
        NotAnArchive: it begins otherwise than an archive does.
        CorruptData: the header is damaged.
    """
    cursor = Cursor(data, f"{place}: header")
    magic = bytes(cursor.take(min(len(MAGIC), cursor.remaining), "magic"))
    if magic != MAGIC:
        if magic and MAGIC.startswith(magic):
            raise TruncatedData(f"{place}: ends within the header")
        raise NotAnArchive(f"{place}: not a weightzip archive (it does not begin with the archive magic)")
    _check_version(cursor.u16("version"), place)
    flags = cursor.u16("flags")
    n_references = cursor.u32("n_references")
    cursor.expect(
        n_references <= MAX_REFERENCES, f"{n_references} references, at most {MAX_REFERENCES} are allowed"
    )
    references = tuple(
        Reference(bytes(cursor.take(DIGEST_BYTES, "digest")), cursor.u64("file_bytes"))
        for _ in range(n_references)
    )
    checked = memoryview(data)[: cursor.position]
    cursor.expect(cursor.u64("header_checksum") == compute_checksum(checked), "its checksum does not match")
    reserved = flags & ~(_LEANS_ON_ITSELF | _IS_ARRANGED)
    cursor.expect(reserved == 0, f"reserved flags {reserved:#x} are set")
    digests = {reference.digest for reference in references}
    cursor.expect(len(digests) == n_references, "two references are to one file")
    return Header(references, bool(flags & _LEANS_ON_ITSELF), bool(flags & _IS_ARRANGED))


def read_header_bytes(prefix: BytesLike) -> int:
    """Return how long the header is that begins with these MIN_HEADER_BYTES, at most MAX_HEADER_BYTES.

    Of what is no archive no more is wanted: decode_header says what it is.
    """
    if not bytes(prefix).startswith(MAGIC):
        return MIN_HEADER_BYTES
    n_references = int.from_bytes(prefix[_PREFIX_BYTES - 4 : _PREFIX_BYTES], "little")
    return MIN_HEADER_BYTES + min(n_references, MAX_REFERENCES) * REFERENCE_BYTES


def _check_version(version: int, place: str) -> None:
    if version > FORMAT_VERSION:
        raise UnsupportedVersion(
            f"{place}: format version {version}, this weightzip reads up to {FORMAT_VERSION}"
        )
    if version == 0:
        raise CorruptData(f"{place}: format version 0 does not exist")
