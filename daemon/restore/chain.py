"""Open the archives of a chain on top of each other, so that the last one decodes without temporary files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.store.manifest import ArchiveRecord
from weightzip.files import open_archive


@contextmanager
def open_chain(
    chain: Sequence[ArchiveRecord], cache: ObjectCache, fetcher: ObjectFetcher
) -> Iterator[Archive]:
    """Fetch the archives of a chain (the one that restores alone first) and open the last one.

    Raises:
        NotFound, CorruptData, StoreUnavailable, DiskFull: as in ObjectFetcher.hold.
    """
    with fetcher.hold(chain, cache) as paths, stack_archives(chain, paths) as archive:
        if archive is None:
            raise ValueError("a chain has at least one archive")
        yield archive


@contextmanager
def stack_archives(chain: Sequence[ArchiveRecord], paths: Mapping[str, Path]) -> Iterator[Archive | None]:
    """Open local archives, each as the predecessor of the next, and give the last; None for an empty chain."""
    with ExitStack() as stack:
        archive: Archive | None = None
        for record in chain:
            archive = stack.enter_context(open_archive(paths[record.object_digest], base=archive))
        yield archive
