"""Header and footer: symmetric, strict, and helpful about what the file is instead."""

import struct

import pytest

from weightzip.codec.format.checksum import compute_checksum
from weightzip.codec.format.footer import decode_footer, encode_footer
from weightzip.codec.format.header import (
    MAGIC,
    Header,
    Reference,
    decode_header,
    encode_header,
    has_reference,
)
from weightzip.errors import CorruptData, TruncatedData, UnsupportedVersion

REFERENCE = Reference(bytes(range(32)), 12345)


def _seal(body: bytes) -> bytes:
    return body + struct.pack("<Q", compute_checksum(body))


@pytest.mark.parametrize("header", [Header(None), Header(REFERENCE)])
def test_what_is_encoded_is_decoded(header: Header) -> None:
    stored = encode_header(header)
    assert len(stored) == header.n_bytes
    assert has_reference(stored) == (header.reference is not None)
    assert decode_header(stored + b"what follows", "x") == header


def test_a_newer_version_is_named() -> None:
    with pytest.raises(UnsupportedVersion, match=r"x: format version 2, this weightzip reads up to 1"):
        decode_header(_seal(MAGIC + struct.pack("<HHI", 2, 0, 0)), "x")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((0, 0, 0), "version 0"),
        ((1, 1, 0), "reserved flags"),
        ((1, 0, 2), "2 references"),
        ((1, 0, 0xFFFFFFFF), "4294967295 references"),
    ],
)
def test_reserved_values_are_rejected(fields: tuple[int, int, int], message: str) -> None:
    body = MAGIC + struct.pack("<HHI", *fields)
    if fields[2]:
        body += REFERENCE.digest + struct.pack("<Q", 1)
    with pytest.raises(CorruptData, match=message):
        decode_header(_seal(body), "x")


def test_another_kind_of_file_is_called_what_it_is() -> None:
    with pytest.raises(CorruptData, match="not a weightzip archive"):
        decode_header(b"PK\x03\x04" + bytes(80), "x")


@pytest.mark.parametrize("header", [Header(None), Header(REFERENCE)])
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
