"""From a URL to a Store: which implementation serves which scheme, and the wrappers around it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from weightzip.daemon.store.local import LocalStore
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.observed import ObservedStore, ObserveOperation
from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.remote import FsspecStore
from weightzip.daemon.store.retrying import ObserveRetry, RetryingStore, RetryPolicy
from weightzip.errors import UsageError


def open_store(
    url: str,
    storage_options: Mapping[str, Any] | None = None,
    *,
    policy: RetryPolicy | None = None,
    on_operation: ObserveOperation | None = None,
    on_retry: ObserveRetry | None = None,
) -> Store:
    """Open the store at a URL or a local path; nothing is created and nothing is asked of it yet.

    `memory://NAME` lives in this process, `file://` and plain paths are written durably (fsync), everything else
    goes to fsspec with `storage_options`. Failed operations are repeated as `policy` says, then StoreUnavailable.

    Raises:
        UsageError: no such scheme, or the package that serves it is not installed.
    """
    policy = policy or RetryPolicy()
    store = _open_plain(url, storage_options, policy)
    if on_operation is not None:
        store = ObservedStore(store, on_operation)  # beneath the retries: each attempt counts
    return RetryingStore(store, policy, on_retry)


def _open_plain(url: str, storage_options: Mapping[str, Any] | None, policy: RetryPolicy) -> Store:
    scheme, separator, rest = url.partition("://")
    if not separator:
        return LocalStore(Path(url))
    if scheme in {"file", "local"}:
        parts = urlsplit(url)
        if parts.netloc not in {"", "localhost"}:
            raise UsageError(f"{url}: a file URL has three slashes, file:///path")
        return LocalStore(Path(unquote(parts.path)))
    if scheme == "memory":
        return MemoryStore.named(rest.strip("/"))
    if not rest.strip("/"):
        raise UsageError(f"{url}: no bucket or host is named")
    try:
        return FsspecStore(url, storage_options, operation_seconds=policy.operation_seconds)
    except ImportError as error:
        raise UsageError(f"{url}: {error} (for s3:// run: pip install 'weightzip[s3]')") from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from error
