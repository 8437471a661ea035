"""Checksums of bytes in parts, and the published value of one."""

from weightzip.codec.format.checksum import compute_checksum


def test_parts_have_the_checksum_of_the_whole() -> None:
    data = bytes(range(256)) * 5
    assert compute_checksum(data[:1], memoryview(data)[1:700], b"", data[700:]) == compute_checksum(data)


def test_it_is_xxh3_with_seed_0() -> None:
    assert compute_checksum(b"") == compute_checksum() == 0x2D06800538D394C2
