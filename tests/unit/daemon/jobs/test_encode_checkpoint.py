"""A checkpoint becomes archives joined to its predecessor's, unchanged files none at all, an interrupted attempt goes on."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.checkpoints import TREE_FILES, write_checkpoint
from support.repositories import Publisher
from weightzip.daemon.checkpoint import FileEntry, TreeEntry, hash_file
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.join import join_files
from weightzip.daemon.jobs.leftovers import archive_path
from weightzip.daemon.jobs.predecessor import RawPredecessor, StoredPredecessor
from weightzip.daemon.restore import ObjectCache
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import MissingPredecessor, SourceChanged, UsageError, WrongPredecessor
from weightzip.files import CompressReport, compress_file


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    return Publisher(MemoryStore(), tmp_path)


def test_a_keyframe_holds_every_file_alone(publisher: Publisher, tmp_path: Path) -> None:
    root = publisher.source(10)
    encoded = encode_checkpoint("checkpoint-10", 10, root, workdir=tmp_path / "work")
    assert {entry.path for entry in encoded.entries if entry.kind == "file"} == set(TREE_FILES)
    assert all(record.predecessor_digest is None for record in encoded.archives.values())
    assert encoded.predecessor is None
    for digest, path in encoded.new_archives.items():
        assert hash_file(path) == digest
    for entry in encoded.entries:
        if entry.kind == "file":
            assert entry.digest == hash_file(root / entry.path)
            assert encoded.archives[entry.digest].file_bytes == entry.size_bytes


@pytest.mark.parametrize("stored", [False, True], ids=["raw predecessor", "stored predecessor"])
def test_files_lean_on_their_namesakes_and_unchanged_ones_make_no_archive(
    publisher: Publisher, tmp_path: Path, stored: bool
) -> None:
    publisher.publish_chain(10, 20)
    manifest = publisher.manifests[20]
    raw = RawPredecessor(manifest, publisher.source(20))
    cached = StoredPredecessor(manifest, publisher.repository, ObjectCache(tmp_path / "cache", 1 << 30))
    encoded = encode_checkpoint(
        "checkpoint-30",
        30,
        publisher.source(30),
        workdir=tmp_path / "work",
        predecessor=cached if stored else raw,
    )
    assert encoded.predecessor == manifest.identity
    unchanged = 3  # config.json, the empty file and the one with the odd name
    assert len(encoded.new_archives) == len(TREE_FILES) - unchanged
    model = next(entry for entry in encoded.entries if entry.path == "model.safetensors")
    old_model = manifest.find_file("model.safetensors")
    assert old_model is not None
    assert encoded.archives[model.digest or ""].predecessor_digest == old_model.digest
    report = publisher.repository.publish(encoded)
    assert report.manifest.chain_depth == 2


def test_two_equal_files_share_one_archive(tmp_path: Path) -> None:
    root = tmp_path / "twins"
    root.mkdir()
    for name in ("a.bin", "b.bin"):
        (root / name).write_bytes(b"same content" * 50)
    encoded = encode_checkpoint("twins", 1, root, workdir=tmp_path / "work")
    assert len(encoded.archives) == len(encoded.new_archives) == 1


def test_a_single_file_is_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "last.ckpt").write_bytes(b"12345" * 100)
    encoded = encode_checkpoint("last.ckpt", 1, tmp_path / "last.ckpt", workdir=tmp_path / "work")
    assert [(entry.path, entry.kind) for entry in encoded.entries] == [(".", "file")]


def test_an_interrupted_attempt_goes_on(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, workdir = publisher.source(10), tmp_path / "work"
    first = encode_checkpoint("checkpoint-10", 10, root, workdir=workdir)
    damaged = archive_path(workdir, "model.safetensors")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    compressed: list[str] = []

    def count(source: Path, target: Path, **options: Any) -> CompressReport:
        compressed.append(source.name)
        return compress_file(source, target, **options)

    monkeypatch.setattr("weightzip.daemon.jobs.encode.compress_file", count)
    second = encode_checkpoint("checkpoint-10", 10, root, workdir=workdir)
    assert compressed == ["model.safetensors"]
    assert second.archives == first.archives
    assert second.new_archives == first.new_archives


def test_a_leftover_of_other_content_is_not_believed(publisher: Publisher, tmp_path: Path) -> None:
    workdir = tmp_path / "work"
    encode_checkpoint("checkpoint-10", 10, publisher.source(10), workdir=workdir)
    encoded = encode_checkpoint("checkpoint-20", 20, publisher.source(20), workdir=workdir)
    for entry in encoded.entries:
        if entry.kind == "file":
            assert entry.digest == hash_file(publisher.source(20) / entry.path)


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"overwritten"), Path.unlink], ids=["written", "gone"]
)
def test_a_file_that_changes_after_it_was_listed_aborts(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    root = write_checkpoint(tmp_path, 1)
    model = root / "model.safetensors"

    def spoil_soon(done_bytes: int, _: int) -> None:
        if done_bytes and model.exists():
            spoil(model)

    with pytest.raises(SourceChanged, match=r"model\.safetensors"):
        encode_checkpoint("checkpoint-1", 1, root, workdir=tmp_path / "work", progress=spoil_soon)


def test_a_predecessor_that_was_overwritten_is_refused(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish(10)
    predecessor = RawPredecessor(publisher.manifests[10], publisher.source(10))
    model = publisher.source(10) / "model.safetensors"
    model.write_bytes(model.read_bytes()[:-4] + b"\0\0\0\0")
    with pytest.raises(WrongPredecessor, match=r"model\.safetensors"):
        encode_checkpoint(
            "checkpoint-20", 20, publisher.source(20), workdir=tmp_path / "work", predecessor=predecessor
        )
    model.unlink()
    with pytest.raises(MissingPredecessor, match=r"model\.safetensors"):
        encode_checkpoint(
            "checkpoint-20", 20, publisher.source(20), workdir=tmp_path / "work", predecessor=predecessor
        )


def test_a_predecessor_overwritten_while_it_is_in_use_is_refused(publisher: Publisher) -> None:
    publisher.publish(10)
    entry = publisher.manifests[10].find_file("model.safetensors")
    assert entry is not None
    predecessor = RawPredecessor(publisher.manifests[10], publisher.source(10))
    with pytest.raises(WrongPredecessor, match="overwritten"), predecessor.open_file(entry):
        (publisher.source(10) / "model.safetensors").write_bytes(b"new bytes in the old file")
    (publisher.source(10) / "model.safetensors").unlink()
    predecessor = RawPredecessor(publisher.manifests[10], write_checkpoint(publisher.root / "again", 10))
    with pytest.raises(WrongPredecessor, match="overwritten"), predecessor.open_file(entry):
        (publisher.root / "again" / "checkpoint-10" / "model.safetensors").write_bytes(b"new bytes")
        raise SourceChanged("what compress_file says about either file")
    predecessor = RawPredecessor(publisher.manifests[10], write_checkpoint(publisher.root / "third", 10))
    with pytest.raises(SourceChanged, match="the source"), predecessor.open_file(entry):
        raise SourceChanged("the source changed")


def test_progress_ends_at_the_whole(publisher: Publisher, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    encoded = encode_checkpoint(
        "checkpoint-1",
        1,
        publisher.source(1),
        workdir=tmp_path / "work",
        progress=lambda *step: seen.append(step),
    )
    assert seen[-1] == (encoded.raw_bytes, encoded.raw_bytes)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    os.mkfifo(tmp_path / "root" / "pipe")
    with pytest.raises(UsageError, match="pipe"):
        encode_checkpoint("root", 1, tmp_path / "root", workdir=tmp_path / "work")


def _tree(*paths: str) -> list[TreeEntry]:
    return [TreeEntry(path, "file", 0o644, 0) for path in paths]


def _files(*paths: str) -> list[FileEntry]:
    return [FileEntry(path, "file", 0o644, 0, digest="00" * 32) for path in paths]


def test_files_join_by_path_then_by_the_shape_of_their_numbers() -> None:
    joined = join_files(
        _tree("a", "global_step20/x", "global_step20/y_1", "global_step20/y_2", "new"),
        _files("a", "global_step10/x", "global_step10/y_1", "global_step10/y_2", "gone"),
    )
    # y_1 and y_2 differ in numbers alone: which belongs to which is a guess, so neither is joined.
    assert {path: entry.path for path, entry in joined.items()} == {
        "a": "a",
        "global_step20/x": "global_step10/x",
    }
