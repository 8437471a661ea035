"""Ranged reads from any fsspec URL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import fsspec

from weightzip.errors import NotFound, StoreUnavailable, TruncatedData, UsageError, WeightzipError

_GONE = {404, 410}


class UrlSource:
    """A ByteSource at an fsspec URL; every read_at is one ranged request, nothing is read ahead."""

    def __init__(self, url: str, storage_options: Mapping[str, Any] | None = None) -> None:
        self._url = url
        with _translate_failures(url):
            self._fs, self._path = fsspec.core.url_to_fs(url, **dict(storage_options or {}))
            info = self._fs.info(self._path)
        if info["type"] != "file":
            raise NotFound(f"{url}: there is no file at this place, but a {info['type']}")
        if info["size"] is None:
            raise StoreUnavailable(f"{url}: the server does not tell the size")
        self._size_bytes = int(info["size"])

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def read_at(self, offset: int, n_bytes: int) -> bytes:
        if n_bytes == 0:
            return b""
        with _translate_failures(self._url):
            data: bytes = self._fs.cat_file(self._path, start=offset, end=offset + n_bytes)
        if len(data) != n_bytes:
            raise TruncatedData(f"{self._url}: {n_bytes} bytes wanted at {offset}, {len(data)} came")
        return data

    def close(self) -> None:
        """Do nothing: requests hold nothing open."""


def explain_missing_package(url: str, error: ImportError) -> UsageError:
    """Return what to raise when fsspec could not import the package that serves a URL: it names the package."""
    missing = error.__cause__ if isinstance(error.__cause__, ImportError) else error
    advice = f": pip install {missing.name}" if missing.name else ""
    return UsageError(f"{url}: {error}{advice}")


@contextmanager
def _translate_failures(url: str) -> Iterator[None]:
    """Turn whatever the block raises into an error of this project that names the URL.

    This is a boundary: behind fsspec are libraries with error families of their own.
    """
    try:
        yield
    except WeightzipError:
        raise
    except ImportError as error:
        raise explain_missing_package(url, error) from error
    except Exception as error:
        if isinstance(error, FileNotFoundError) and _is_absence(error.__cause__):
            raise NotFound(f"{url}: there is nothing at this place") from error
        cause = error.__cause__ if isinstance(error, FileNotFoundError) else error
        raise StoreUnavailable(f"{url}: {type(cause).__name__}: {cause}") from error


def _is_absence(cause: BaseException | None) -> bool:
    """Return whether a FileNotFoundError means what it says: over http, fsspec raises it for every failure."""
    if isinstance(cause, OSError | ValueError) and not isinstance(cause, FileNotFoundError):
        return False
    return getattr(cause, "status", None) in {None, *_GONE}
