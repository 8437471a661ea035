"""The archives in one folder, where one that came without what it leans on looks for it."""

from collections.abc import Iterator
from pathlib import Path

from weightzip.errors import MissingPredecessor
from weightzip.files.catalog import Catalog
from weightzip.files.directories.tree import SUFFIX

_MAX_TOLD = 3


def list_neighbours(archive: Path) -> Iterator[Path]:
    """Yield the other archives in the folder of this one."""
    return (path for path in archive.parent.glob(f"*{SUFFIX}") if path != archive and path.is_file())


def explain_missing(error: MissingPredecessor, archive: Path) -> MissingPredecessor:
    """Return the error with what the archive's folder tells: what is missing may be in one that cannot be read."""
    if not archive.is_file():  # it came by a URL or a pipe
        return error
    unreadable = Catalog(list_neighbours(archive)).unreadable
    causes = "; ".join(str(cause) for cause in list(unreadable.values())[:_MAX_TOLD])
    if causes:
        return MissingPredecessor(f"{error}; it may be in what cannot be read: {causes}")
    return MissingPredecessor(f"{error}; no other archive in {archive.parent} restores it")
