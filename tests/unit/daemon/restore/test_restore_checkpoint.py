"""A restored checkpoint is the published one in every attribute, appears whole, and spares what it must not touch."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.faulty_store import CrashError, Fault, FaultyStore, crash_at
from support.mounts import mounted, small_disk
from support.repositories import RUN_ID, Publisher
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.restore import ObjectCache, prefetch_checkpoint, restore_checkpoint
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.restore.target import open_workroom
from weightzip.daemon.restore.write import TreeWriter
from weightzip.daemon.store import Repository
from weightzip.daemon.store.manifest import Manifest
from weightzip.daemon.store.manifest_rules import MAX_CHAIN_DEPTH
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData, DiskFull, NotFound, StoreConflict, TargetExists, WeightzipError


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    publisher = Publisher(MemoryStore(), tmp_path)
    publisher.publish_chain(100, 200, 300)
    return publisher


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target"
    path.mkdir()
    return path


@pytest.mark.parametrize("step", [100, 200, 300])
def test_everything_comes_back(publisher: Publisher, target: Path, step: int) -> None:
    report = restore_checkpoint(publisher.repository, step, target)
    assert report.path == target / f"checkpoint-{step}"
    assert describe_tree(report.path) == describe_tree(publisher.source(step))
    assert [path.name for path in target.iterdir()] == [f"checkpoint-{step}"]
    assert not report.fell_back
    assert report.restored_bytes == publisher.manifests[step].raw_bytes
    assert report.n_files == 6


def test_the_deepest_chain_that_a_manifest_may_have_comes_back(tmp_path: Path, target: Path) -> None:
    publisher = Publisher(MemoryStore(), tmp_path)
    publisher.publish_chain(*range(MAX_CHAIN_DEPTH + 1))
    report = restore_checkpoint(publisher.repository, MAX_CHAIN_DEPTH, target)
    assert report.manifest is not None
    assert report.manifest.chain_depth == MAX_CHAIN_DEPTH
    assert describe_tree(report.path) == describe_tree(publisher.source(MAX_CHAIN_DEPTH))


def test_a_single_file_comes_back(tmp_path: Path, target: Path) -> None:
    source = tmp_path / "last.ckpt"
    source.write_bytes(b"any format at all" * 999)
    source.chmod(0o600)
    repository = Repository.open(MemoryStore(), run_id=RUN_ID, create=True)
    repository.publish(encode_checkpoint("last.ckpt", 5, source, workdir=tmp_path / "work"))
    report = restore_checkpoint(repository, "latest", target)
    assert report.path == target / "last.ckpt"
    assert describe_tree(report.path) == describe_tree(source)


def test_the_target_may_be_missing(publisher: Publisher, tmp_path: Path) -> None:
    report = restore_checkpoint(publisher.repository, "latest", tmp_path / "new" / "target")
    assert describe_tree(report.path) == describe_tree(publisher.source(300))


def test_progress_ends_at_the_whole(publisher: Publisher, target: Path) -> None:
    seen: list[tuple[int, int]] = []
    restore_checkpoint(publisher.repository, "latest", target, progress=lambda *step: seen.append(step))
    raw_bytes = publisher.manifests[300].raw_bytes
    assert seen[-1] == (raw_bytes, raw_bytes)


def test_an_identical_checkpoint_is_left_alone(publisher: Publisher, target: Path) -> None:
    restore_checkpoint(publisher.repository, 300, target)
    inodes = {path: path.stat().st_ino for path in target.rglob("*.safetensors")}
    report = restore_checkpoint(publisher.repository, 300, target)
    assert (report.restored_bytes, report.fetched_bytes) == (0, 0)
    assert report.reused_bytes == publisher.manifests[300].raw_bytes
    assert {path: path.stat().st_ino for path in target.rglob("*.safetensors")} == inodes


def test_a_different_checkpoint_is_replaced_only_by_force(publisher: Publisher, target: Path) -> None:
    restore_checkpoint(publisher.repository, 300, target)
    model = target / "checkpoint-300" / "model.safetensors"
    model.write_bytes(b"half a checkpoint")
    (target / "checkpoint-300" / "stray").touch()
    before = describe_tree(target)
    with pytest.raises(TargetExists, match="checkpoint-300"):
        restore_checkpoint(publisher.repository, 300, target)
    assert describe_tree(target) == before
    report = restore_checkpoint(publisher.repository, 300, target, force=True)
    assert describe_tree(report.path) == describe_tree(publisher.source(300))
    assert report.restored_bytes == (publisher.source(300) / "model.safetensors").stat().st_size
    assert report.reused_bytes == publisher.manifests[300].raw_bytes - report.restored_bytes
    assert [path.name for path in target.iterdir()] == ["checkpoint-300"]


def test_force_replaces_a_link_and_not_what_it_points_to(
    publisher: Publisher, target: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    (target / "checkpoint-300").symlink_to(precious)
    with pytest.raises(TargetExists):
        restore_checkpoint(publisher.repository, 300, target)
    report = restore_checkpoint(publisher.repository, 300, target, force=True)
    assert not report.path.is_symlink()
    assert (precious / "file").read_text() == "mine"
    assert [path.name for path in precious.iterdir()] == ["file"]


def test_if_empty_touches_nothing_in_a_used_target(publisher: Publisher, target: Path) -> None:
    (target / "something").touch()
    report = restore_checkpoint(publisher.repository, "latest", target, if_empty=True)
    assert report.skipped
    assert [path.name for path in target.iterdir()] == ["something"]
    (target / "something").unlink()
    report = restore_checkpoint(publisher.repository, "latest", target, if_empty=True)
    assert not report.skipped
    assert report.path.exists()


def test_what_is_not_there_is_not_found(publisher: Publisher, target: Path) -> None:
    with pytest.raises(NotFound, match="250"):
        restore_checkpoint(publisher.repository, 250, target)
    assert list(target.iterdir()) == []


def test_two_restores_of_one_name_do_not_meet(publisher: Publisher, target: Path) -> None:
    with open_workroom(target, "checkpoint-300"), pytest.raises(StoreConflict, match="checkpoint-300"):
        restore_checkpoint(publisher.repository, 300, target)
    assert restore_checkpoint(publisher.repository, 300, target).path.exists()


@pytest.mark.parametrize("place", ["beside", "inside"])
def test_a_killed_restore_is_cleaned_up_by_the_next(publisher: Publisher, target: Path, place: str) -> None:
    with open_workroom(target, "checkpoint-300") as room:
        assert room.parent == target.parent
    left = room if place == "beside" else target / room.name
    (left / "tree" / "nested").mkdir(parents=True)
    (left / "tree" / "nested").chmod(0o500)
    assert not restore_checkpoint(publisher.repository, 300, target, if_empty=True).skipped
    assert [path.name for path in target.iterdir()] == ["checkpoint-300"]
    assert not left.exists()


def test_the_target_shows_the_finished_checkpoint_and_nothing_before(
    publisher: Publisher, target: Path
) -> None:
    seen: list[list[Path]] = []
    restore_checkpoint(
        publisher.repository, 300, target, progress=lambda *_: seen.append(list(target.iterdir()))
    )
    assert len(seen) > 1
    assert not any(seen)
    assert not list(target.parent.glob(".weightzip-*"))


def test_two_targets_have_two_work_rooms(tmp_path: Path) -> None:
    with open_workroom(tmp_path / "a", "x") as first, open_workroom(tmp_path / "b", "x") as second:
        assert first != second


def test_what_is_not_ours_is_no_work_room(publisher: Publisher, target: Path, tmp_path: Path) -> None:
    with open_workroom(target, "checkpoint-300") as room:
        pass
    (tmp_path / "elsewhere").mkdir()
    room.symlink_to(tmp_path / "elsewhere")
    with open_workroom(target, "checkpoint-300") as other:
        assert other == target / room.name
    restore_checkpoint(publisher.repository, 300, target)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", [["--bind"], ["-t", "tmpfs"]])
def test_a_mounted_target_has_its_work_room_inside(
    publisher: Publisher, target: Path, tmp_path: Path, kind: list[str]
) -> None:
    (tmp_path / "source").mkdir(exist_ok=True)
    with mounted(target, *kind, tmp_path / "source"):
        with open_workroom(target, "other") as room:
            assert room.parent == target
        report = restore_checkpoint(publisher.repository, 300, target, force=True)
        assert describe_tree(report.path) == describe_tree(publisher.source(300))
        assert not list(tmp_path.glob(".weightzip-*"))


def test_a_cache_spares_the_store(publisher: Publisher, target: Path, tmp_path: Path) -> None:
    repository = publisher.repository
    cache = ObjectCache(tmp_path / "cache", 1 << 30)
    prefetched = prefetch_checkpoint(repository, publisher.manifests[300], cache)
    assert prefetched.complete
    assert prefetched.fetched_bytes == cache.used_bytes > 0
    report = restore_checkpoint(repository, 300, target, cache=cache)
    assert report.fetched_bytes == 0
    assert describe_tree(report.path) == describe_tree(publisher.source(300))
    assert prefetch_checkpoint(repository, publisher.manifests[300], cache).fetched_bytes == 0


def test_a_prefetch_keeps_to_the_limit(publisher: Publisher, tmp_path: Path) -> None:
    manifest = publisher.manifests[300]
    needed = sum(record.size_bytes for record in manifest.encoding.archives.values())
    cache = ObjectCache(tmp_path / "cache", needed - 1)
    report = prefetch_checkpoint(publisher.repository, manifest, cache)
    assert not report.complete
    assert 0 < cache.used_bytes < needed


def test_a_cache_that_is_too_small_only_costs_time(
    publisher: Publisher, target: Path, tmp_path: Path
) -> None:
    cache = ObjectCache(tmp_path / "cache", 1)
    report = restore_checkpoint(publisher.repository, 300, target, cache=cache)
    assert describe_tree(report.path) == describe_tree(publisher.source(300))


def test_an_unwritable_target_is_an_error_of_ours(publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WeightzipError, match="file"):
        restore_checkpoint(publisher.repository, "latest", tmp_path / "file" / "target")


def test_a_crash_leaves_nothing_visible(publisher: Publisher, target: Path) -> None:
    repository = publisher.repository
    counting = FaultyStore(publisher.store)
    restore_checkpoint(Repository(counting, RUN_ID), "latest", target.parent / "count")
    for number in range(len(counting.calls)):
        dying = FaultyStore(publisher.store, crash_at(number, Fault.CRASH_BEFORE))
        with pytest.raises(CrashError):
            restore_checkpoint(Repository(dying, RUN_ID), "latest", target)
        assert not (target / "checkpoint-300").exists()
    assert describe_tree(restore_checkpoint(repository, "latest", target).path) == describe_tree(
        publisher.source(300)
    )


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    publisher = Publisher(MemoryStore(), tmp_path, n_elements=200_000)
    publisher.publish(1)
    with small_disk(tmp_path / "small", "1m") as target:
        with pytest.raises(DiskFull, match="small"):
            restore_checkpoint(publisher.repository, 1, target)
        assert list(target.iterdir()) == []


READ_ONLY_RESTORE = """
import os, sys
from pathlib import Path
from support.checkpoints import describe_tree
from support.repositories import Publisher
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store.memory import MemoryStore

room = Path(sys.argv[1])
publisher = Publisher(MemoryStore(), room)
source = publisher.source(1)
(source / "nested").chmod(0o555)
source.chmod(0o555)
publisher.publish(1)
repository, wanted = publisher.repository, describe_tree(source)
if os.geteuid() == 0:
    (room / "target").mkdir()
    os.chown(room / "target", 65534, 65534)
    os.setegid(65534)
    os.seteuid(65534)
for force in (False, True):
    report = restore_checkpoint(repository, 1, room / "target", force=force)
    assert describe_tree(report.path) == wanted
    (report.path / "model.safetensors").chmod(0o644)
    (report.path / "model.safetensors").write_bytes(b"spoilt")
"""


def test_read_only_directories_come_back_without_being_root() -> None:
    tests = Path(__file__).parents[3]
    with tempfile.TemporaryDirectory() as room:  # tmp_path lies below a directory that only root may enter
        Path(room).chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY_RESTORE, room],
            check=False,
            cwd="/",
            env=os.environ | {"PYTHONPATH": str(tests)},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr


def test_an_archive_of_another_size_is_refused_before_it_can_fill_the_disk(
    publisher: Publisher, tmp_path: Path
) -> None:
    manifest = publisher.manifests[100]
    part = manifest.checkpoint.parts[0]
    smaller = tuple(
        entry.model_copy(update={"size_bytes": 7}) if entry.path == "model.safetensors" else entry
        for entry in part.entries
    )
    parts = (part.model_copy(update={"entries": smaller}),)
    checkpoint = manifest.checkpoint.model_copy(update={"parts": parts})
    hostile = Manifest.model_construct(**{**dict(manifest), "checkpoint": checkpoint})
    tree = tmp_path / "tree"
    with ObjectFetcher(publisher.store) as fetcher:
        cache = ObjectCache(tmp_path / "objects", limit_bytes=1 << 30)
        writer = TreeWriter(hostile, tree, cache, fetcher, 1, lambda n_bytes: None)
        with pytest.raises(CorruptData, match="promises 7 for "):
            writer.write({})
    assert not (tree / "model.safetensors").exists()


def test_twins_come_back_as_one_file(tmp_path: Path, target: Path) -> None:
    source = tmp_path / "step-5"
    (source / "best").mkdir(parents=True)
    (source / "model.bin").write_bytes(b"weights " * 999)
    (source / "copy.bin").write_bytes(b"weights " * 999)
    os.link(source / "model.bin", source / "best" / "model.bin")
    repository = Repository.open(MemoryStore(), run_id=RUN_ID, create=True)
    repository.publish(encode_checkpoint("step-5", 5, source, workdir=tmp_path / "work"))
    restored = restore_checkpoint(repository, "latest", target).path
    assert describe_tree(restored) == describe_tree(source)
    assert (restored / "model.bin").samefile(restored / "best" / "model.bin")
    assert not (restored / "model.bin").samefile(restored / "copy.bin")
