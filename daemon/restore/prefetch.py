"""Bring a checkpoint's objects near before anybody asks for them."""

from contextlib import ExitStack

from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.restore.reports import PrefetchReport
from weightzip.daemon.store.manifest import ArchiveRecord, Manifest
from weightzip.daemon.store.repository import Repository

_AT_ONCE = 8  # few enough that a store that went away is noticed soon


def prefetch_checkpoint(repository: Repository, manifest: Manifest, cache: ObjectCache) -> PrefetchReport:
    """Bring the objects of a checkpoint into the cache, as far as its limit allows, before anybody asks.

    Older objects make room; the checkpoint's own are kept together.

    Raises:
        NotFound, CorruptData: an object is missing or damaged in the store.
        StoreUnavailable, DiskFull: what arrived stays in the cache.
    """
    records = _select(manifest, cache.limit_bytes)
    with ExitStack() as stack, ObjectFetcher(repository.store) as fetcher:
        for start in range(0, len(records), _AT_ONCE):
            stack.enter_context(fetcher.hold(records[start : start + _AT_ONCE], cache))
        fetched_bytes = fetcher.fetched_bytes
    return PrefetchReport(
        n_objects=len(records),
        fetched_bytes=fetched_bytes,
        complete=len(records) == len(manifest.object_digests),
    )


def _select(manifest: Manifest, limit_bytes: int) -> list[ArchiveRecord]:
    """Choose all that a file needs, file by file, until the limit is reached: half of it restores nothing."""
    chosen: dict[str, ArchiveRecord] = {}
    used_bytes = 0
    for file in manifest.files:
        needed = manifest.list_needed(file.digest or "").values()
        fresh = {record.object_digest: record for record in needed if record.object_digest not in chosen}
        n_bytes = sum(record.size_bytes for record in fresh.values())
        if used_bytes + n_bytes <= limit_bytes:
            chosen |= fresh
            used_bytes += n_bytes
    return list(chosen.values())
