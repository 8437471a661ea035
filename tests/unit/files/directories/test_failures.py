"""Errors of single files, collected: which are, and what is raised in the end."""

import pytest

from weightzip.errors import (
    CorruptData,
    DiskFull,
    MissingPredecessor,
    TargetExists,
    TruncatedData,
    WeightzipError,
    WrongPredecessor,
)
from weightzip.files.directories.failures import Failures


def _collect(*errors: Exception) -> Failures:
    failures = Failures()
    for error in errors:
        with failures.collect():
            raise error
    return failures


def test_nothing_is_raised_for_nothing_and_one_error_as_it_came() -> None:
    Failures().raise_all()
    for error in (TruncatedData("a: cut"), PermissionError(13, "Permission denied", "a")):
        with pytest.raises(type(error)) as caught:
            _collect(error).raise_all()
        assert caught.value is error


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ((MissingPredecessor("a: x"), WrongPredecessor("b: y")), MissingPredecessor),
        ((TruncatedData("a: x"), MissingPredecessor("b: y")), CorruptData),
        ((OSError(5, "x", "a"), OSError(5, "y", "b")), WeightzipError),
    ],
)
def test_several_are_all_named(errors: tuple[Exception, ...], kind: type[WeightzipError]) -> None:
    with pytest.raises(kind) as caught:
        _collect(*errors).raise_all()
    assert type(caught.value) is kind
    assert str(caught.value) == "2 files failed, the others are good:\n  a: x\n  b: y"


@pytest.mark.parametrize("error", [DiskFull("full"), TargetExists("there"), KeyboardInterrupt()])
def test_what_would_stop_the_next_file_too_is_not_collected(error: BaseException) -> None:
    with pytest.raises(type(error)), Failures().collect():
        raise error
