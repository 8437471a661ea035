"""Archives are sent while the next ones are made, leave the work directory, and are not sent or made twice."""

import threading
from pathlib import Path
from typing import Any

import pytest

from support.faulty_store import CrashError, Fault, FaultyStore
from support.repositories import Publisher
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.leftovers import archive_path
from weightzip.daemon.jobs.progress import WorkBytes, WorkProgress
from weightzip.daemon.jobs.upload import Uploader
from weightzip.daemon.metrics import Metrics
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store.encoded import EncodedCheckpoint
from weightzip.daemon.store.layout import object_key
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.protocol import Store
from weightzip.errors import NotFound, StoreUnavailable
from weightzip.files import CompressReport, compress_file

N_FILES = 12


@pytest.fixture
def progress() -> WorkProgress:
    return WorkProgress(Metrics("main"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "checkpoint-1"
    root.mkdir()
    for number in range(N_FILES):
        (root / f"shard-{number:02}.bin").write_bytes(bytes([number]) * (1000 + number))
    return root


class Desk:
    """Everything one attempt needs; a second attempt uses the same work directory and cache."""

    def __init__(self, base: Path, source: Path, progress: WorkProgress, limit_bytes: int = 1 << 20) -> None:
        self.work, self.source, self.progress = base / "work", source, progress
        self.cache = ObjectCache(base / "cache", limit_bytes)
        self.sent_bytes = 0

    def encode(self, store: Store, n_uploads: int = 2) -> EncodedCheckpoint:
        with Uploader(store, self.cache, self.progress, n_uploads) as uploader:
            encoded = encode_checkpoint(
                "checkpoint-1",
                1,
                self.source,
                workdir=self.work,
                sink=uploader,
                progress=self.progress.set_encoded,
                n_threads=1,
            )
            uploader.finish()
            self.sent_bytes = uploader.sent_bytes
        return encoded


@pytest.fixture
def desk(tmp_path: Path, source: Path, progress: WorkProgress) -> Desk:
    return Desk(tmp_path, source, progress)


class SlowStore(MemoryStore):
    """Holds every file until `gate` opens, and counts what was there when the first one came."""

    def __init__(self, n_awaited: int) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.arrived = threading.Semaphore(0)
        self.n_awaited = n_awaited

    def put_file(self, key: str, path: Path) -> None:
        self.arrived.release()
        assert self.gate.wait(30)
        super().put_file(key, path)


def test_the_store_works_while_the_encoder_does_and_the_encoder_waits_when_it_is_slow(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SlowStore(2)
    encoded: list[str] = []

    def count(file: Path, target: Path, **options: Any) -> CompressReport:
        encoded.append(file.name)
        return compress_file(file, target, **options)

    monkeypatch.setattr("weightzip.daemon.jobs.encode.compress_file", count)
    thread = threading.Thread(target=desk.encode, args=(store, 2))
    thread.start()
    assert store.arrived.acquire(timeout=30)
    assert store.arrived.acquire(timeout=30)
    # Two are on their way; a third may be finished and wait for its place, no fourth is begun.
    thread.join(0.3)
    assert thread.is_alive()
    assert len(encoded) <= 3
    assert len(list(desk.work.glob("*.wzst"))) <= 3
    store.gate.set()
    thread.join(30)
    assert len(encoded) == N_FILES
    assert list(desk.work.glob("*.wzst")) == []


def test_what_was_sent_lies_in_the_cache_and_publishing_sends_nothing_more(
    desk: Desk, tmp_path: Path
) -> None:
    publisher = Publisher(MemoryStore(), tmp_path)
    encoded = desk.encode(publisher.store)
    assert encoded.new_archives == {}
    assert desk.sent_bytes == encoded.stored_bytes == desk.cache.used_bytes
    assert all(desk.cache.has(record.object_digest) for record in encoded.archives.values())
    report = publisher.repository.publish(encoded)
    assert (report.created, report.n_sent_objects) == (True, 0)
    for record in encoded.archives.values():
        publisher.store.delete(object_key(record.object_digest))
    restored = restore_checkpoint(publisher.repository, 1, tmp_path / "restored", cache=desk.cache)
    assert restored.fetched_bytes == 0


def test_a_cache_without_room_keeps_nothing_and_loses_nothing(
    tmp_path: Path, source: Path, progress: WorkProgress
) -> None:
    desk, store = Desk(tmp_path, source, progress, limit_bytes=0), MemoryStore()
    encoded = desk.encode(store)
    assert desk.cache.used_bytes == 0
    assert list(desk.work.glob("*.wzst")) == []
    assert all(store.size_bytes(object_key(r.object_digest)) for r in encoded.archives.values())


@pytest.mark.parametrize("fault", [Fault.ERROR_BEFORE, Fault.ERROR_AFTER, Fault.PARTIAL_OBJECT])
def test_a_failed_upload_is_raised_and_the_next_attempt_sends_only_what_is_missing(
    desk: Desk, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = MemoryStore()
    faulty = FaultyStore(inner)
    faulty.choose = lambda _, operation: (
        fault if operation == "put_file" and faulty.calls.count("put_file") == 5 else None
    )
    with pytest.raises(StoreUnavailable):
        desk.encode(faulty, n_uploads=1)
    arrived = {item.key for item in inner.list_objects("objects/")}
    assert arrived
    watching = FaultyStore(inner)
    compressed: list[str] = []

    def count(file: Path, target: Path, **options: Any) -> CompressReport:
        compressed.append(file.name)
        return compress_file(file, target, **options)

    monkeypatch.setattr("weightzip.daemon.jobs.encode.compress_file", count)
    encoded = desk.encode(watching, n_uploads=1)
    whole = 6 if fault is Fault.ERROR_AFTER else 5
    assert watching.calls.count("put_file") == N_FILES - whole
    assert len(compressed) < N_FILES - 5, "what was encoded once was encoded again"
    assert {object_key(record.object_digest) for record in encoded.archives.values()} == {
        item.key for item in inner.list_objects("objects/")
    }


def test_a_death_at_any_call_leaves_what_the_next_start_goes_on_from(
    tmp_path: Path, source: Path, progress: WorkProgress
) -> None:
    for number in range(0, 3 * N_FILES, 4):
        desk, inner = Desk(tmp_path / str(number), source, progress), MemoryStore()
        dying = FaultyStore(inner)
        dying.choose = lambda call, _, last=number: Fault.CRASH_AFTER if call == last else None  # type: ignore[misc]
        with pytest.raises(CrashError):
            desk.encode(dying)
        sent_before = sum(item.size_bytes for item in inner.list_objects("objects/"))
        again = Desk(tmp_path / str(number), source, progress)
        encoded = again.encode(inner)
        assert sent_before + again.sent_bytes == encoded.stored_bytes


def test_an_archive_that_the_store_lost_is_encoded_and_sent_again(desk: Desk) -> None:
    store = MemoryStore()
    first = desk.encode(store)
    lost = min(first.archives.values(), key=lambda record: record.object_digest)
    store.delete(object_key(lost.object_digest))
    again = desk.encode(store)
    assert again.archives == first.archives
    assert desk.sent_bytes == lost.size_bytes


def test_nothing_is_published_when_a_sent_archive_is_gone(desk: Desk, tmp_path: Path) -> None:
    publisher = Publisher(MemoryStore(), tmp_path)
    encoded = desk.encode(publisher.store)
    publisher.store.delete(object_key(next(iter(encoded.archives.values())).object_digest))
    with pytest.raises(NotFound, match="gone"):
        publisher.repository.publish(encoded)
    assert publisher.repository.list_checkpoints() == ()


def test_a_note_that_leads_to_an_archive_beside_another_file_is_not_believed(desk: Desk) -> None:
    store = MemoryStore()
    desk.encode(store)
    (desk.source / "shard-00.bin").write_bytes(b"quite another content")
    encoded = desk.encode(store)
    assert not archive_path(desk.work, "shard-00.bin").exists()
    entry = next(entry for entry in encoded.entries if entry.path == "shard-00.bin")
    assert store.size_bytes(object_key(encoded.archives[entry.digest or ""].object_digest))


def test_progress_counts_all_bytes(desk: Desk) -> None:
    desk.progress.begin(5)
    encoded = desk.encode(MemoryStore())
    whole = WorkBytes(encoded.raw_bytes, encoded.raw_bytes, encoded.stored_bytes, encoded.stored_bytes)
    assert desk.progress.current == whole
    desk.progress.begin(5)
    store = MemoryStore()
    for record in encoded.archives.values():
        with desk.cache.hold(record.object_digest, record.size_bytes, lambda _: None) as path:
            store.put_file(object_key(record.object_digest), path)
    desk.encode(store)  # all of it is there already
    assert desk.progress.current == whole
    desk.progress.end()
    assert desk.progress.current is None
