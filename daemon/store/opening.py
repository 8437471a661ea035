"""From a URL to a Store: which implementation serves which scheme, and the wrappers around it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fsspec.registry import known_implementations, registry

from weightzip.daemon.store.local import LocalStore
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.observed import ObservedStore, ObserveOperation
from weightzip.daemon.store.protocol import Store
from weightzip.daemon.store.remote import FsspecStore
from weightzip.daemon.store.retrying import ObserveRetry, RetryingStore, RetryPolicy
from weightzip.errors import UsageError
from weightzip.files.url_source import explain_missing_package

_ONE_SLASH = re.compile(r"([a-z0-9+.-]+):/([^/].*)")
_OWN_SCHEMES = {"file", "local", "memory"}


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


def check_store_url(url: str) -> None:
    """Refuse what is no store, without asking anybody.

    Raises:
        UsageError: there is a slash too few, no such scheme, or no bucket is named.
    """
    mistyped = _ONE_SLASH.fullmatch(url)
    if mistyped is not None:
        scheme, rest = mistyped.groups()
        meant = f"{scheme}:///{rest}" if scheme in {"file", "local"} else f"{scheme}://{rest}"
        raise UsageError(f"{url}: one slash makes no URL: did you mean {meant}?")
    scheme, separator, rest = url.partition("://")
    if not separator:
        return
    if scheme not in _OWN_SCHEMES and scheme not in known_implementations and scheme not in registry:
        raise UsageError(
            f"{url}: {scheme!r} is no known protocol: use a path, file:///path or s3://bucket/run"
        )
    if scheme in {"file", "local"} and urlsplit(url).netloc not in {"", "localhost"}:
        raise UsageError(f"{url}: a file URL has three slashes, file:///path")
    if scheme not in _OWN_SCHEMES and not rest.strip("/"):
        raise UsageError(f"{url}: no bucket or host is named")


def find_local_path(url: str) -> Path | None:
    """Return the directory of a store on a local disk, None if the store lies elsewhere."""
    scheme, separator, _ = url.partition("://")
    if not separator:
        return Path(url)
    return Path(unquote(urlsplit(url).path)) if scheme in {"file", "local"} else None


def _open_plain(url: str, storage_options: Mapping[str, Any] | None, policy: RetryPolicy) -> Store:
    check_store_url(url)
    local = find_local_path(url)
    if local is not None:
        return LocalStore(local)
    scheme, _, rest = url.partition("://")
    if scheme == "memory":
        return MemoryStore.named(rest.strip("/"))
    try:
        return FsspecStore(url, storage_options, operation_seconds=policy.operation_seconds)
    except ImportError as error:
        raise explain_missing_package(url, error) from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from error
