"""From a URL to a Store: which implementation serves which scheme, and the wrappers around it."""

from collections.abc import Callable, Mapping
from typing import Any

from weightzip.daemon.store.protocol import Store

ObserveOperation = Callable[[str, float, int, str | None], None]
"""Called after each operation with (operation, seconds, bytes moved, name of the error or None), from any thread."""

ObserveRetry = Callable[[str, str], None]
"""Called before each retry with (operation, reason), from any thread."""


def open_store(
    url: str,
    storage_options: Mapping[str, Any] | None = None,
    *,
    on_operation: ObserveOperation | None = None,
    on_retry: ObserveRetry | None = None,
) -> Store:
    """Open the store at a URL or a local path; nothing is created and nothing is asked of it yet.

    `memory://NAME` lives in this process, `file://` and plain paths are written durably (fsync), everything else
    goes to fsspec with `storage_options`. Failed operations are repeated within bounds, then StoreUnavailable.

    Raises:
        UsageError: no such scheme, or the package that serves it is not installed.
    """
    raise NotImplementedError
