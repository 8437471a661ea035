"""Small true manifests, made without encoding anything."""

from datetime import datetime, timezone

from blake3 import blake3

from weightzip.daemon.checkpoint import FileEntry
from weightzip.daemon.store import ArchiveRecord, Manifest
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.publish import build_manifest


def make_manifest(step: int, *, predecessor: Manifest | None = None, mtime_ns: int | None = None) -> Manifest:
    """Return the manifest of a checkpoint of one file, against a predecessor or as a keyframe."""
    digest = blake3(f"file {step}".encode()).hexdigest()
    entries = (
        FileEntry(".", "directory", 0o755, 1),
        FileEntry("model.safetensors", "file", 0o644, mtime_ns or step * 10**9, 100, digest=digest),
    )
    leaned = predecessor.files[0].digest if predecessor is not None else None
    archives = dict(predecessor.encoding.archives) if predecessor is not None else {}
    archives[digest] = ArchiveRecord(
        object_digest=blake3(f"object {step}".encode()).hexdigest(),
        size_bytes=60,
        file_bytes=100,
        predecessor_digest=leaned,
    )
    manifest = build_manifest(
        "run",
        EncodedCheckpoint(
            name=f"checkpoint-{step}",
            step=step,
            entries=entries,
            predecessor=predecessor.identity if predecessor is not None else None,
            archives=archives,
            new_archives={},
            raw_bytes=100,
            stored_bytes=60,
            seconds=0.0,
        ),
    )
    return manifest.model_copy(update={"created_at": datetime.fromtimestamp(step, timezone.utc)})
