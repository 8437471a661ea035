"""Ranged reads from any fsspec URL."""

from collections.abc import Mapping
from typing import Any

import fsspec

from weightzip.errors import NotFound, StoreUnavailable, TruncatedData


class UrlSource:
    """A ByteSource at an fsspec URL; every read_at is one ranged request, nothing is read ahead."""

    def __init__(self, url: str, storage_options: Mapping[str, Any] | None = None) -> None:
        self._url = url
        try:
            self._fs, self._path = fsspec.core.url_to_fs(url, **dict(storage_options or {}))
            self._size_bytes = int(self._fs.info(self._path)["size"])
        except FileNotFoundError as error:
            raise NotFound(f"{url}: there is nothing at this place") from error
        except (OSError, ValueError, ImportError) as error:
            raise StoreUnavailable(f"{url}: {error}") from error

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    def read_at(self, offset: int, n_bytes: int) -> bytes:
        if n_bytes == 0:
            return b""
        try:
            data: bytes = self._fs.cat_file(self._path, start=offset, end=offset + n_bytes)
        except FileNotFoundError as error:
            raise NotFound(f"{self._url}: it is gone") from error
        except OSError as error:
            raise StoreUnavailable(f"{self._url}: {error}") from error
        if len(data) != n_bytes:
            raise TruncatedData(f"{self._url}: {n_bytes} bytes wanted at {offset}, {len(data)} came")
        return data

    def close(self) -> None:
        """Do nothing: requests hold nothing open."""
