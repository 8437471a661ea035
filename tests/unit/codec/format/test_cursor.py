"""The cursor: bounds, names, read-only columns."""

from struct import Struct

import numpy as np
import pytest

from weightzip.codec.format.cursor import Cursor
from weightzip.errors import CorruptData, TruncatedData


def test_fields_are_little_endian_and_in_order() -> None:
    cursor = Cursor(bytes([1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9]), "place")
    assert [cursor.u8("a"), cursor.u16("b"), cursor.u32("c"), cursor.u64("d")] == [1, 2, 3, 4]
    assert cursor.position == 15
    assert bytes(cursor.take_rest()) == b"\x09"
    cursor.finish("it")


def test_fields_come_together_too() -> None:
    cursor = Cursor(bytes([1, 2, 0, 9]), "place")
    assert cursor.unpack(Struct("<BH"), "fields") == (1, 2)
    with pytest.raises(TruncatedData, match=r"place: fields needs 3 bytes, 1 are left"):
        cursor.unpack(Struct("<BH"), "fields")


def test_reading_beyond_the_end_names_place_and_field() -> None:
    cursor = Cursor(b"abc", "the place")
    with pytest.raises(TruncatedData, match=r"the place: the field needs 4 bytes, 3 are left"):
        cursor.u32("the field")
    assert cursor.position == 0


def test_a_column_larger_than_the_data_is_refused_before_it_is_allocated() -> None:
    with pytest.raises(TruncatedData):
        Cursor(b"abc", "place").column("<u8", 1 << 60, "column")


def test_columns_cannot_be_written() -> None:
    column = Cursor(bytearray(16), "place").column("<u8", 2, "column")
    with pytest.raises(ValueError, match="read-only"):
        column[0] = np.uint64(1)


def test_bytes_after_the_end_are_corrupt() -> None:
    with pytest.raises(CorruptData, match="3 bytes follow the end of it"):
        Cursor(b"abc", "place").finish("it")
