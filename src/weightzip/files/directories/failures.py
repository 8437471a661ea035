"""What went wrong with single files of a directory, collected while the others are worked on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from weightzip.errors import (
    CorruptData,
    MissingPredecessor,
    NotFound,
    SourceChanged,
    UnsupportedVersion,
    VerificationFailed,
    WeightzipError,
    WrongPredecessor,
)

# Of one file alone. A full disk or a target in the way would stop the next one too.
_OF_ONE_FILE = (
    CorruptData,
    MissingPredecessor,
    NotFound,
    OSError,
    SourceChanged,
    UnsupportedVersion,
    VerificationFailed,
    WrongPredecessor,
)


class Failures:
    """Errors of single files, in the order in which they came up."""

    def __init__(self) -> None:
        self._errors: list[WeightzipError | OSError] = []

    def extend(self, errors: Iterable[WeightzipError]) -> None:
        """Take errors that were not raised."""
        self._errors.extend(errors)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Take what the block raises, if it is about the one file that the block works on."""
        try:
            yield
        except _OF_ONE_FILE as error:
            self._errors.append(error)

    def raise_all(self) -> None:
        """Raise the only error as it came, several as one that names them all; nothing if there are none.

        Several are of the kind of the first if they have the same exit code, else CorruptData.
        """
        if len(self._errors) == 1:
            raise self._errors[0]
        if self._errors:
            kind = _choose_kind(self._errors)
            told = "\n".join(f"  {_tell(error)}" for error in self._errors)
            raise kind(f"{len(self._errors)} files failed, the others are good:\n{told}") from self._errors[0]


def _choose_kind(errors: list[WeightzipError | OSError]) -> type[WeightzipError]:
    kinds = [type(error) if isinstance(error, WeightzipError) else WeightzipError for error in errors]
    return kinds[0] if len({kind.exit_code for kind in kinds}) == 1 else CorruptData


def _tell(error: WeightzipError | OSError) -> str:
    return str(error) if isinstance(error, WeightzipError) else f"{error.filename}: {error.strerror}"
