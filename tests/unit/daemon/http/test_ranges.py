"""One Range header against one size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.daemon.http.ranges import ByteRange, UnsatisfiableRange, parse_range


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("bytes=0-9", ByteRange(0, 10)),
        ("bytes=5-", ByteRange(5, 100)),
        ("bytes=-3", ByteRange(97, 100)),
        ("bytes=-1000", ByteRange(0, 100)),
        ("bytes=90-1000", ByteRange(90, 100)),
        ("bytes=9-5", None),
        ("bytes=-", None),
        ("bytes=0-1,5-6", None),
        ("lines=0-1", None),
        ("bytes=a-b", None),
        ("bytes=" + "9" * 5000 + "-", None),
        ("bytes=-" + "9" * 5000, None),
        ("bytes=\u0663-", None),
        (None, None),
    ],
)
def test_a_range_is_cut_to_the_file_or_ignored(header: str | None, wanted: ByteRange | None) -> None:
    assert parse_range(header, 100) == wanted


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=200-300", "bytes=-0"])
def test_a_range_past_the_end_is_refused(header: str) -> None:
    with pytest.raises(UnsatisfiableRange):
        parse_range(header, 100)


@given(st.text(max_size=30), st.integers(0, 1000))
def test_every_answer_lies_inside_the_file(header: str, size: int) -> None:
    try:
        wanted = parse_range("bytes=" + header, size)
    except UnsatisfiableRange:
        return
    assert wanted is None or 0 <= wanted.start < wanted.end <= size
