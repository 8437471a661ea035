"""Durations and sizes: what people write is what we read, and what we write we read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.config.units import format_duration, format_size, parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("5m", 300), ("1h30m", 5400), ("250ms", 0.25), ("1.5s", 1.5), ("0", 0), ("2d", 172800)],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "30", "s", "30x", "-5s", "1h 30", "5m!", "nan", 15])
def test_a_wrong_duration_names_the_units(text: object) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "n_bytes"), [("64MiB", 64 * 2**20), ("20GB", 20 * 10**9), ("1.5KiB", 1536), ("7B", 7), ("0", 0)]
)
def test_a_size_is_read(text: str, n_bytes: int) -> None:
    assert parse_size(text) == n_bytes


@pytest.mark.parametrize("text", ["", "64", "MiB", "64mib", "-1B", "1GiB2"])
def test_a_wrong_size_names_the_units(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


@given(st.integers(min_value=0, max_value=10**7))
def test_whole_seconds_survive_writing_and_reading(seconds: int) -> None:
    assert parse_duration(format_duration(float(seconds))) == pytest.approx(seconds, rel=1e-5)


@given(st.integers(min_value=0, max_value=2**50))
def test_sizes_survive_writing_and_reading(n_bytes: int) -> None:
    assert parse_size(format_size(n_bytes)) == n_bytes
