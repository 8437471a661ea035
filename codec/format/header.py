"""The header of an archive (docs/format.md, "Header")."""

import struct
from dataclasses import dataclass

from weightzip.codec.format.checksum import DIGEST_BYTES, compute_checksum
from weightzip.codec.format.cursor import Cursor
from weightzip.codec.format.limits import FORMAT_VERSION
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData, NotAnArchive, TruncatedData, UnsupportedVersion

MAGIC = bytes([0x89, 0x57, 0x5A, 0x53, 0x54, 0x0D, 0x0A, 0x1A])
_PREFIX_BYTES = 16
_REFERENCE_BYTES = DIGEST_BYTES + 8
_CHECKSUM_BYTES = 8

MIN_HEADER_BYTES = _PREFIX_BYTES + _CHECKSUM_BYTES
MAX_HEADER_BYTES = MIN_HEADER_BYTES + _REFERENCE_BYTES


@dataclass(frozen=True)
class Reference:
    """The identity of a predecessor file."""

    digest: bytes
    file_bytes: int


@dataclass(frozen=True)
class Header:
    """What an archive says before its first frame."""

    reference: Reference | None

    @property
    def n_bytes(self) -> int:
        """Return the stored size."""
        return MIN_HEADER_BYTES if self.reference is None else MAX_HEADER_BYTES


def encode_header(header: Header) -> bytes:
    """Return the stored form of a header."""
    references = [] if header.reference is None else [header.reference]
    body = MAGIC + struct.pack("<HHI", FORMAT_VERSION, 0, len(references))
    for reference in references:
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
    reference = None
    if n_references > 0:
        reference = Reference(bytes(cursor.take(DIGEST_BYTES, "digest")), cursor.u64("file_bytes"))
    checked = memoryview(data)[: cursor.position]
    cursor.expect(cursor.u64("header_checksum") == compute_checksum(checked), "its checksum does not match")
    cursor.expect(flags == 0, f"reserved flags {flags:#x} are set")
    cursor.expect(n_references <= 1, f"{n_references} references, at most 1 is allowed")
    return Header(reference)


def has_reference(prefix: BytesLike) -> bool:
    """Return whether the first MIN_HEADER_BYTES of an archive announce a reference, so that its header is longer."""
    return int.from_bytes(prefix[_PREFIX_BYTES - 4 : _PREFIX_BYTES], "little") > 0


def _check_version(version: int, place: str) -> None:
    if version > FORMAT_VERSION:
        raise UnsupportedVersion(
            f"{place}: format version {version}, this weightzip reads up to {FORMAT_VERSION}"
        )
    if version == 0:
        raise CorruptData(f"{place}: format version 0 does not exist")
