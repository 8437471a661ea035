"""What archives restore and what they lean on, read from their headers and indexes, found by digest."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from weightzip.codec.archive_info import ReferenceInfo
from weightzip.codec.reader import Archive
from weightzip.codec.source import FileSource
from weightzip.errors import WeightzipError

# Each step is one archive more that is decoded at the same time. The daemon makes no longer chains either.
MAX_STEPS = 64


@dataclass(frozen=True)
class CatalogEntry:
    """One archive: the digest of what it restores, and the files without which it does not."""

    archive: Path
    file_digest: str
    needed: tuple[ReferenceInfo, ...]

    @property
    def needed_digests(self) -> tuple[str, ...]:
        """Return the digests of those files."""
        return tuple(reference.digest for reference in self.needed)


class Catalog:
    """Archives on disk, by digest of what they restore. They are read when something is asked for, and only then."""

    def __init__(self, archives: Iterable[Path]) -> None:
        self._archives = archives

    @property
    def entries(self) -> Sequence[CatalogEntry]:
        """Return what the readable archives say, in order of path."""
        return tuple(self._read[0].values())

    @property
    def unreadable(self) -> Mapping[Path, Exception]:
        """Return the archives that cannot be read, and why. What they restore is unknown."""
        return self._read[1]

    def find(self, archive: Path) -> CatalogEntry | None:
        """Return what an archive says, None if it cannot be read."""
        return self._read[0].get(archive)

    def list_needed(
        self, archive: Path, digests: Iterable[str], known_digests: Collection[str] = ()
    ) -> list[CatalogEntry]:
        """Return other archives that restore these files, and all that they lean on in turn, which comes first.

        Left out is what no archive restores, what is more than MAX_STEPS away, and what leads only to files that are
        known without. `archive` is the one that leans on these files: one made against an unchanged predecessor needs
        the very file that it restores.
        """
        found: dict[str, CatalogEntry] = {}
        wanted = list(digests)
        for _ in range(MAX_STEPS):
            missing = [digest for digest in wanted if digest not in found and digest not in known_digests]
            new = [self._choose(digest, archive) for digest in missing]
            found |= {entry.file_digest: entry for entry in new if entry is not None}
            wanted = [digest for entry in new if entry is not None for digest in entry.needed_digests]
        return order_by_need(list(found.values()))

    def _choose(self, digest: str, archive: Path) -> CatalogEntry | None:
        """Return the archive that restores a file, of several the one that needs the least, never `archive`."""
        return next((entry for entry in self._by_digest.get(digest, ()) if entry.archive != archive), None)

    @cached_property
    def _by_digest(self) -> Mapping[str, Sequence[CatalogEntry]]:
        """Return the archives of each file, first the one that needs the least."""
        by_digest: dict[str, list[CatalogEntry]] = {}
        for entry in sorted(self.entries, key=lambda entry: len(entry.needed_digests)):
            by_digest.setdefault(entry.file_digest, []).append(entry)
        return by_digest

    @cached_property
    def _read(self) -> tuple[Mapping[Path, CatalogEntry], Mapping[Path, Exception]]:
        readable, unreadable = {}, {}
        for archive in sorted(self._archives):
            try:
                readable[archive] = _read_entry(archive)
            except (WeightzipError, OSError) as error:  # whoever needs this one tells
                unreadable[archive] = error
        return readable, unreadable


def order_by_need(entries: Sequence[CatalogEntry]) -> list[CatalogEntry]:
    """Return the archives in an order in which each comes after those that restore what it leans on.

    Where archives lean on each other in a circle there is no such order: they come last, as they came.
    """
    ordered: list[CatalogEntry] = []
    waiting = list(entries)
    while waiting:
        ready = _list_ready(waiting)
        if not ready:
            return [*ordered, *waiting]
        ordered += ready
        done = set(ready)
        waiting = [entry for entry in waiting if entry not in done]
    return ordered


def _list_ready(waiting: Sequence[CatalogEntry]) -> list[CatalogEntry]:
    """Return the archives that wait for none of the others.

    One that needs the file that it restores waits only for those that can restore it without.
    """
    copies = [entry for entry in waiting if entry.file_digest in entry.needed_digests]
    makers = Counter(entry.file_digest for entry in waiting)
    first_makers = makers - Counter(entry.file_digest for entry in copies)
    return [
        entry
        for entry in waiting
        if not any(
            (first_makers if digest == entry.file_digest else makers)[digest]
            for digest in entry.needed_digests
        )
    ]


def _read_entry(archive: Path) -> CatalogEntry:
    with FileSource(archive) as source:
        info = Archive(source, name=str(archive)).info
    return CatalogEntry(archive, info.file_digest, info.needed)
