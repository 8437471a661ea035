"""Sightings without a disk, for the tests of pure decisions."""

from weightzip.daemon.layouts import FileSighting, Sighting


def see_directory(name: str, *paths: str, mtimes: dict[str, int] | None = None) -> Sighting:
    """Return a directory with files of 10 bytes; `mtimes` overrides the time of some (default 100)."""
    times = mtimes or {}
    entries = tuple(
        FileSighting(path, "file", number, 10, times.get(path, 100), 100)
        for number, path in enumerate(sorted(paths), 1)
    )
    return Sighting(name, "directory", entries)


def see_file(name: str, mtime_ns: int = 100) -> Sighting:
    """Return a candidate that is a single file of 10 bytes."""
    return Sighting(name, "file", (FileSighting(".", "file", 1, 10, mtime_ns, 100),))
