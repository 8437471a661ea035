"""Sightings without a disk, for the tests of pure decisions."""

from collections.abc import Iterator, Sequence

from weightzip.daemon.layouts import Evidence, FileSighting, Layout, Peers, Sighting
from weightzip.daemon.layouts.expected import find_missing_file


def see_directory(
    name: str, *paths: str, mtimes: dict[str, int] | None = None, size_bytes: int = 10_000
) -> Sighting:
    """Return a directory with files of one size; `mtimes` overrides the time of some (default 100)."""
    times = mtimes or {}
    entries = tuple(
        FileSighting(path, "file", number, size_bytes, times.get(path, 100), 100)
        for number, path in enumerate(sorted(paths), 1)
    )
    return Sighting(name, "directory", entries)


def see_file(name: str, mtime_ns: int = 100) -> Sighting:
    """Return a candidate that is a single file of 10 bytes."""
    return Sighting(name, "file", (FileSighting(".", "file", 1, 10, mtime_ns, 100),))


def explain(
    layout: Layout,
    sighting: Sighting,
    *,
    evidence: Evidence | None = None,
    peers: Peers | None = None,
    patient: bool = True,
) -> str | None:
    """Return why a quiet candidate whose files are closed is not complete, None if it is."""
    found = evidence or Evidence()
    missing = find_missing_file(sighting, found)
    return missing or layout.find_unmarked(sighting, found, peers or Peers(), patient)


def see_saving(name: str, written: Sequence[str]) -> Sighting:
    """Return a directory whose files were written in this order."""
    return see_directory(name, *written, mtimes={path: 100 + number for number, path in enumerate(written)})


def list_cut_saves(name: str, written: Sequence[str]) -> Iterator[Sighting]:
    """Yield a directory as it was after each file but the last."""
    for n_files in range(1, len(written)):
        yield see_saving(name, written[:n_files])
