"""Archives of an interrupted encoding: a note beside each says what it is, so that the next attempt can trust it.

A note outlives its archive: it then tells which object of the store to look for.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from blake3 import blake3

from weightzip.daemon.checkpoint import hash_file
from weightzip.daemon.store.manifest import ArchiveRecord

NOTE_SUFFIX = ".note.json"


@dataclass(frozen=True)
class EncodedFile:
    """One archive in a work directory. Digests are BLAKE3 in hex."""

    file_digest: str
    file_bytes: int
    object_digest: str
    archive_bytes: int
    predecessor_digest: str | None
    moved_digests: tuple[str, ...]
    beside_digests: tuple[str, ...]

    @property
    def record(self) -> ArchiveRecord:
        """Return the archive as manifests describe it."""
        return ArchiveRecord(
            object_digest=self.object_digest,
            size_bytes=self.archive_bytes,
            file_bytes=self.file_bytes,
            predecessor_digest=self.predecessor_digest,
            moved_digests=self.moved_digests,
            beside_digests=self.beside_digests,
        )


def archive_path(workdir: Path, entry_path: str) -> Path:
    """Return where the archive of an entry is written: a name of fixed length whatever the path."""
    return workdir / f"{blake3(entry_path.encode()).hexdigest()[:32]}.wzst"


def write_note(archive: Path, encoded: EncodedFile) -> None:
    """Record what a complete archive is. The note appears whole or not at all."""
    note = archive.with_suffix(NOTE_SUFFIX)
    temporary = note.with_suffix(".tmp")
    temporary.write_text(json.dumps(asdict(encoded)))
    temporary.rename(note)


def read_note(archive: Path) -> EncodedFile | None:
    """Return what the note of an archive says, None without a note; the archive itself may be gone already."""
    try:
        said = json.loads(archive.with_suffix(NOTE_SUFFIX).read_text())
        lists = {name: tuple(said[name]) for name in ("moved_digests", "beside_digests")}
        return EncodedFile(**said | lists)
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def fits(encoded: EncodedFile, file_digest: str, known_digests: Collection[str]) -> bool:
    """Say whether an archive restores exactly this file and leans on nothing that is out of reach."""
    return encoded.file_digest == file_digest and set(encoded.record.needed_digests) <= set(known_digests)


def is_whole(archive: Path, encoded: EncodedFile) -> bool:
    """Say whether the archive is the noted one. A note is only believed as far as the archive bears it out."""
    try:
        return archive.stat().st_size == encoded.archive_bytes and hash_file(archive) == encoded.object_digest
    except FileNotFoundError:
        return False


def list_noted_objects(work_root: Path) -> frozenset[str]:
    """Return the digests of all archive objects that notes in any work directory tell of, sent already or not."""
    archives = (
        path.with_name(path.name.removesuffix(NOTE_SUFFIX)) for path in work_root.glob(f"*/*{NOTE_SUFFIX}")
    )
    notes = [read_note(archive) for archive in archives]
    return frozenset(note.object_digest for note in notes if note is not None)
