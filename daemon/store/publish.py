"""The order in which a checkpoint comes into being: archives first, all proven to be there, the manifest last."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from importlib.metadata import version
from pathlib import Path

from blake3 import blake3

from weightzip.daemon.checkpoint import checkpoint_identity, find_save_time
from weightzip.daemon.store.document import decode_document, encode_document
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.layout import CHECKPOINTS_PREFIX, CheckpointKey, object_key, parse_checkpoint_key
from weightzip.daemon.store.manifest import (
    MAX_MANIFEST_BYTES,
    ArchiveRecord,
    CheckpointRecord,
    Encoding,
    Manifest,
    ManifestEntry,
    ManifestTracker,
    Part,
)
from weightzip.daemon.store.protocol import CreateOutcome, Store
from weightzip.daemon.store.record import require_record
from weightzip.errors import CorruptData, NotFound, StoreConflict, StoreUnavailable, UsageError

DEFAULT_UPLOADS = 4
_COMPARE_BYTES = 8 << 20


@dataclass(frozen=True)
class PublishReport:
    """What publishing one checkpoint took. `created` is False when the very same was published before."""

    manifest: Manifest
    created: bool
    n_sent_objects: int


def publish_checkpoint(
    store: Store,
    run_id: str,
    encoded: EncodedCheckpoint,
    n_uploads: int = DEFAULT_UPLOADS,
) -> PublishReport:
    """Send the archives a store lacks, see that every archive of the chain is there, then write the manifest.

    See `Repository.publish` for the promise and the errors.
    """
    require_record(store, run_id)
    manifest = build_manifest(run_id, encoded)
    standing, damaged = _find_standing(store, manifest)
    if standing is not None:
        return PublishReport(standing, False, 0)
    if damaged is not None:
        # We hold the truth: the damaged manifest is written anew in its place, since one checkpoint has one manifest.
        manifest = build_manifest(run_id, encoded, damaged.saved_at_seconds)
    key, data = manifest.checkpoint_key.key, encode_document(manifest)
    if len(data) > MAX_MANIFEST_BYTES:
        raise UsageError(
            f"checkpoint {manifest.name!r} has too many files: its manifest takes {len(data)} bytes"
        )
    n_sent = _send_archives(store, encoded, n_uploads)
    if damaged is not None:
        store.put_bytes(key, data)
    else:
        _create_manifest(store, key, manifest, data)
    return PublishReport(manifest, True, n_sent)


def build_manifest(run_id: str, encoded: EncodedCheckpoint, saved_at_seconds: int | None = None) -> Manifest:
    """Write down an encoded checkpoint as the manifest it will have, published now.

    It was saved when its largest file was written, unless `saved_at_seconds` says otherwise.
    """
    if saved_at_seconds is None:
        saved_at_seconds = find_save_time(
            (entry.size_bytes, entry.mtime_ns) for entry in encoded.entries if entry.kind == "file"
        )
    return Manifest(
        run_id=run_id,
        weightzip_version=version("weightzip"),
        created_at=datetime.now(timezone.utc),
        checkpoint=CheckpointRecord(
            name=encoded.name,
            step=encoded.step,
            saved_at_seconds=saved_at_seconds,
            identity=checkpoint_identity([encoded.entries]),
            parts=(Part(node=0, entries=tuple(ManifestEntry.of(entry) for entry in encoded.entries)),),
            trackers=tuple(ManifestTracker.of(tracker) for tracker in encoded.trackers),
        ),
        encoding=Encoding(predecessor=encoded.predecessor, archives=dict(encoded.archives)),
    )


def _find_standing(store: Store, manifest: Manifest) -> tuple[Manifest | None, CheckpointKey | None]:
    """Return the manifest under which this step and identity was published, or the place of a damaged one.

    Its time of saving may be another one: a copy of a checkpoint, with new times, is the same checkpoint.
    """
    damaged = None
    for item in store.list_objects(CHECKPOINTS_PREFIX):
        key = parse_checkpoint_key(item.key)
        if key is None or key != CheckpointKey.of(key.saved_at_seconds, manifest.step, manifest.identity):
            continue
        try:
            standing = _read_standing(store, key.key)
        except CorruptData:
            damaged = key
            continue
        if standing is not None:
            _check_same(standing, manifest, f"{store.url}/{key.key}")
            return standing, None
    return None, damaged


def _read_standing(store: Store, key: str) -> Manifest | None:
    try:
        return decode_document(store.read_bytes(key, MAX_MANIFEST_BYTES), Manifest, f"{store.url}/{key}")
    except NotFound:
        return None


def _send_archives(store: Store, encoded: EncodedCheckpoint, n_uploads: int) -> int:
    """Bring every archive of the chain into the store; return how many had to be sent."""
    by_object = {record.object_digest: record for record in encoded.archives.values()}
    with ThreadPoolExecutor(n_uploads, thread_name_prefix="upload") as pool:
        return sum(pool.map(partial(_ensure_archive, store, encoded), by_object.values()))


def _ensure_archive(store: Store, encoded: EncodedCheckpoint, record: ArchiveRecord) -> bool:
    """Make sure that one archive is in the store; return whether it had to be sent."""
    local = encoded.new_archives.get(record.object_digest)
    if local is not None:
        return send_archive(store, record, local)
    if not has_archive(store, record):
        key = object_key(record.object_digest)
        raise NotFound(f"{store.url}/{key}, which the checkpoint needs, is gone: encode it as a keyframe")
    return False


def has_archive(store: Store, record: ArchiveRecord) -> bool:
    """Say whether an archive is in the store with its size, without reading it: enough for one that was proven once."""
    return _size_or_none(store, object_key(record.object_digest)) == record.size_bytes


def send_archive(store: Store, record: ArchiveRecord, archive: Path) -> bool:
    """Send one archive and see that it arrived, unless the very same bytes are there; returns whether it was sent.

    An object means nothing before its manifest, so this may be done at any time before the publish.

    Raises:
        StoreUnavailable, DiskFull: it did not arrive; send it again later.
    """
    key = object_key(record.object_digest)
    if has_archive(store, record) and _has_digest(store, key, record):
        return False
    store.put_file(key, archive)
    stored_bytes = _size_or_none(store, key)
    if stored_bytes != record.size_bytes:
        raise StoreUnavailable(
            f"{store.url}/{key}: {record.size_bytes} bytes were sent, {stored_bytes} arrived"
        )
    return True


def _has_digest(store: Store, key: str, record: ArchiveRecord) -> bool:
    """Return whether an object of the right size has the right bytes; costs reading it, cheaper than sending."""
    hasher = blake3()
    for offset in range(0, record.size_bytes, _COMPARE_BYTES):
        hasher.update(store.read_range(key, offset, min(_COMPARE_BYTES, record.size_bytes - offset)))
    return hasher.hexdigest() == record.object_digest


def _size_or_none(store: Store, key: str) -> int | None:
    try:
        return store.size_bytes(key)
    except NotFound:
        return None


def _create_manifest(store: Store, key: str, manifest: Manifest, data: bytes) -> None:
    outcome = store.create_bytes(key, data)
    if outcome is CreateOutcome.UNSUPPORTED:
        store.put_bytes(key, data)
    elif outcome is CreateOutcome.ALREADY_EXISTS:
        # Either the reply to our own first attempt was lost, or another writer came first.
        standing = _read_standing(store, key)
        if standing is not None:
            _check_same(standing, manifest, f"{store.url}/{key}")


def _check_same(standing: Manifest, manifest: Manifest, place: str) -> None:
    """Accept a standing manifest of the same checkpoint of the same run, whoever wrote it."""
    if standing.identity != manifest.identity or standing.run_id != manifest.run_id:
        raise StoreConflict(
            f"{place} holds a checkpoint of run {standing.run_id!r}, identity {standing.identity}"
        )
