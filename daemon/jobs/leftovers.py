"""Archives of an interrupted encoding: a note beside each says what it is, so that the next attempt can trust it."""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from blake3 import blake3

from weightzip.daemon.checkpoint import hash_file

NOTE_SUFFIX = ".note.json"


@dataclass(frozen=True)
class EncodedFile:
    """One archive in a work directory. Digests are BLAKE3 in hex."""

    file_digest: str
    file_bytes: int
    object_digest: str
    archive_bytes: int
    predecessor_digest: str | None


def archive_path(workdir: Path, entry_path: str) -> Path:
    """Return where the archive of an entry is written: a name of fixed length whatever the path."""
    return workdir / f"{blake3(entry_path.encode()).hexdigest()[:32]}.wzst"


def write_note(archive: Path, encoded: EncodedFile) -> None:
    """Record what a complete archive is. The note appears whole or not at all."""
    note = archive.with_suffix(NOTE_SUFFIX)
    temporary = note.with_suffix(".tmp")
    temporary.write_text(json.dumps(asdict(encoded)))
    temporary.rename(note)


def read_leftover(archive: Path, file_digest: str, known_digests: Collection[str]) -> EncodedFile | None:
    """Return what is known of an archive left by an earlier attempt, if it is whole and fits.

    It fits when it restores exactly this file, leans on nothing that is out of reach, and its bytes are the
    recorded ones. A note is only believed as far as the archive's own digest bears it out.
    """
    try:
        encoded = EncodedFile(**json.loads(archive.with_suffix(NOTE_SUFFIX).read_text()))
        fits = (
            encoded.file_digest == file_digest
            and (encoded.predecessor_digest is None or encoded.predecessor_digest in known_digests)
            and archive.stat().st_size == encoded.archive_bytes
            and hash_file(archive) == encoded.object_digest
        )
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return encoded if fits else None


def has_leftover(archive: Path) -> bool:
    """Return whether an earlier attempt finished an archive here, whatever it holds."""
    return archive.with_suffix(NOTE_SUFFIX).exists() and archive.exists()
