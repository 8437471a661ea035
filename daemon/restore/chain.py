"""Open archives with those that they lean on, so that the last one decodes without temporary files."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.store.manifest import ArchiveRecord
from weightzip.files import open_archive


@contextmanager
def open_chain(
    needed: Mapping[str, ArchiveRecord], cache: ObjectCache, fetcher: ObjectFetcher
) -> Iterator[Archive]:
    """Fetch the archives that a file needs (see Manifest.list_needed) and open the last one, which restores it.

    Raises:
        NotFound, CorruptData, StoreUnavailable, DiskFull: as in ObjectFetcher.hold.
    """
    with fetcher.hold(list(needed.values()), cache) as paths, ExitStack() as stack:
        yield list(open_archives(needed, paths, stack).values())[-1]


def open_archives(
    needed: Mapping[str, ArchiveRecord], paths: Mapping[str, Path], stack: ExitStack
) -> dict[str, Archive]:
    """Open local archives, each leaning on those opened before it, by digest of what they restore.

    They close with the stack.
    """
    opened: dict[str, Archive] = {}
    for digest, record in needed.items():
        archive = open_archive(
            paths[record.object_digest],
            beside=[opened[other] for other in record.needed_digests],
        )
        opened[digest] = stack.enter_context(archive)
    return opened
