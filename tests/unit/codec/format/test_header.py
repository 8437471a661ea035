"""Header and footer: symmetric, strict, and helpful about what the file is instead."""

import struct

import pytest

from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.footer import decode_footer, encode_footer
from weightzip.codec.format.header import (
    MAGIC,
    MAX_HEADER_BYTES,
    MIN_HEADER_BYTES,
    Header,
    Reference,
    decode_header,
    encode_header,
    read_header_bytes,
)
from weightzip.codec.format.limits import MAX_REFERENCES
from weightzip.errors import CorruptData, TruncatedData, UnsupportedVersion

REFERENCE = Reference(bytes(range(32)), 12345)
MANY = tuple(Reference(bytes([number]) * 32, number) for number in range(MAX_REFERENCES))
HEADERS = [
    Header(),
    Header((REFERENCE,)),
    Header(MANY, leans_on_itself=True),
    Header(leans_on_itself=True),
    Header((REFERENCE,), is_arranged=True),
    Header(leans_on_itself=True, is_arranged=True),
]


def _seal(body: bytes) -> bytes:
    return body + struct.pack("<Q", compute_checksum(body))


@pytest.mark.parametrize("header", HEADERS)
def test_what_is_encoded_is_decoded(header: Header) -> None:
    stored = encode_header(header)
    assert len(stored) == header.n_bytes
    assert read_header_bytes(stored[:MIN_HEADER_BYTES]) == header.n_bytes <= MAX_HEADER_BYTES
    assert decode_header(stored + b"what follows", "x") == header


def test_a_newer_version_is_named() -> None:
    with pytest.raises(UnsupportedVersion, match=r"x: format version 2, this weightzip reads up to 1"):
        decode_header(_seal(MAGIC + struct.pack("<HHI", 2, 0, 0)), "x")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((0, 0, 0), "version 0"),
        ((1, 4, 0), "reserved flags"),
        ((1, 0x8001, 1), "reserved flags"),
        ((1, 0, 16), "16 references"),
        ((1, 0, 0xFFFFFFFF), "4294967295 references"),
    ],
)
def test_reserved_values_are_rejected(fields: tuple[int, int, int], message: str) -> None:
    body = MAGIC + struct.pack("<HHI", *fields)
    if fields[2]:
        body += REFERENCE.digest + struct.pack("<Q", 1)
    with pytest.raises(CorruptData, match=message):
        decode_header(_seal(body), "x")


def test_one_file_has_one_reference() -> None:
    with pytest.raises(CorruptData, match="to one file"):
        decode_header(encode_header(Header((REFERENCE, REFERENCE))), "x")


def test_of_what_is_no_archive_no_more_is_wanted() -> None:
    assert read_header_bytes(b"x" * MIN_HEADER_BYTES) == MIN_HEADER_BYTES


def test_another_kind_of_file_is_called_what_it_is() -> None:
    with pytest.raises(CorruptData, match="not a weightzip archive"):
        decode_header(b"PK\x03\x04" + bytes(80), "x")


@pytest.mark.parametrize("header", HEADERS)
def test_every_cut_of_a_header_is_named(header: Header) -> None:
    stored = encode_header(header)
    for n_bytes in range(len(stored)):
        with pytest.raises(CorruptData):
            decode_header(stored[:n_bytes], "x")


def test_footer_is_symmetric() -> None:
    assert decode_footer(encode_footer(1 << 40), "x") == 1 << 40


def test_a_missing_footer_reads_as_truncation() -> None:
    with pytest.raises(TruncatedData, match="its end is missing"):
        decode_footer(bytes(24), "x")


def test_a_damaged_offset_is_found() -> None:
    stored = bytearray(encode_footer(77))
    stored[0] ^= 1
    with pytest.raises(CorruptData, match="checksum"):
        decode_footer(stored, "x")
