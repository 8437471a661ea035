"""One table from what file systems and fsspec raise to the errors of this project."""

from collections.abc import Iterator
from contextlib import contextmanager

from weightzip.daemon.disk import FULL_ERRNOS
from weightzip.errors import DiskFull, NotFound, StoreUnavailable, TruncatedData, WeightzipError

_MISSING = {"NoSuchKey", "404", "NoSuchVersion"}
_BEYOND_END = {"InvalidRange", "416"}


def service_code(error: BaseException) -> str:
    """Return the code in which a cloud service names an error (`NoSuchKey`, `503`), or an empty string."""
    for candidate in (error, error.__cause__):
        response = getattr(candidate, "response", None)
        if isinstance(response, dict):
            return str(response.get("Error", {}).get("Code", ""))
    return ""


@contextmanager
def translate_failures(url: str, key: str) -> Iterator[None]:
    """Turn whatever the block raises into an error of this project that names the object.

    This is a boundary: the libraries beneath raise errors of many families, all of which mean that the store did
    not do what was asked. Errors of this project pass.
    """
    place = f"{url.rstrip('/')}/{key}"
    try:
        yield
    except WeightzipError:
        raise
    except NotADirectoryError as error:
        raise NotFound(f"{place} cannot exist: a file stands where a directory should") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        code = service_code(error)
        if code and code not in _MISSING:
            raise StoreUnavailable(f"{url}: {error} ({code})") from error
        raise NotFound(f"{place} does not exist") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL_ERRNOS:
            raise DiskFull(f"{place}: {error.strerror}") from error
        if service_code(error) in _BEYOND_END:
            raise TruncatedData(f"{place} ends before the bytes that were asked for") from error
        raise StoreUnavailable(f"{place}: {type(error).__name__}: {error}") from error
