"""Any damage to any object of a store is found, named and survived: the newest older checkpoint comes back instead."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.repositories import Publisher
from weightzip.daemon.restore import restore_checkpoint, verify_repository
from weightzip.daemon.store.layout import object_key
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData

Damage = Callable[[bytes], bytes | None]

DAMAGES: dict[str, Damage] = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "truncated": lambda data: data[:-1],
    "first byte": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "middle byte": lambda data: (
        data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 128]) + data[len(data) // 2 + 1 :]
    ),
    "zeros": lambda data: bytes(len(data)),
}


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    """Publish 100, then the chain 200 to 400, which shares nothing with it but unchanged files."""
    publisher = Publisher(MemoryStore(), tmp_path)
    publisher.publish(100)
    publisher.publish_chain(200, 300, 400)
    return publisher


def _object_of(publisher: Publisher, step: int, path: str = "model.safetensors") -> str:
    file = publisher.manifests[step].find_file(path)
    assert file is not None
    return object_key(publisher.manifests[step].encoding.archives[file.digest or ""].object_digest)


def _apply(publisher: Publisher, key: str, damage: Damage) -> None:
    data = damage(publisher.store.read_bytes(key, 1 << 30))
    publisher.store.delete(key)
    if data is not None:
        publisher.store.put_bytes(key, data)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("what", ["archive", "manifest"])
def test_damage_is_named_and_the_one_before_comes_back(
    publisher: Publisher, damage: Damage, what: str, tmp_path: Path
) -> None:
    manifest_key = publisher.manifests[400].checkpoint_key.key
    key = _object_of(publisher, 400) if what == "archive" else manifest_key
    _apply(publisher, key, damage)
    if what == "manifest" and damage is DAMAGES["missing"]:
        assert (
            restore_checkpoint(publisher.repository, "latest", tmp_path / "target").path.name
            == "checkpoint-300"
        )
        return  # not listed, so nothing to fall back from
    report = restore_checkpoint(publisher.repository, "latest", tmp_path / "target")
    assert report.fell_back
    assert [candidate.step for candidate in report.failed] == [400]
    assert key.rpartition("/")[2].removesuffix(".wzst") in report.failed[0].reason
    assert describe_tree(report.path) == describe_tree(publisher.source(300))
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["checkpoint-300"]


def test_a_damaged_keyframe_takes_its_whole_chain(publisher: Publisher, tmp_path: Path) -> None:
    _apply(publisher, _object_of(publisher, 200), DAMAGES["middle byte"])
    report = restore_checkpoint(publisher.repository, "latest", tmp_path / "target")
    assert [candidate.step for candidate in report.failed] == [400, 300, 200]
    assert describe_tree(report.path) == describe_tree(publisher.source(100))


def test_the_fallback_is_bounded_and_tells_what_was_tried(publisher: Publisher, tmp_path: Path) -> None:
    _apply(publisher, _object_of(publisher, 200), DAMAGES["missing"])
    with pytest.raises(CorruptData, match=r"step 400: .*step 300: ") as caught:
        restore_checkpoint(publisher.repository, "latest", tmp_path / "target", max_fallback=1)
    assert "step 200" not in str(caught.value)
    assert list((tmp_path / "target").iterdir()) == []


def test_swapped_objects_are_found(publisher: Publisher, tmp_path: Path) -> None:
    first, second = _object_of(publisher, 400), _object_of(publisher, 400, "nested/optimizer.safetensors")
    data = [publisher.store.read_bytes(key, 1 << 30) for key in (first, second)]
    publisher.store.put_bytes(first, data[1])
    publisher.store.put_bytes(second, data[0])
    assert restore_checkpoint(publisher.repository, "latest", tmp_path / "target").fell_back
    assert not verify_repository(publisher.repository, depth="full").ok


@pytest.mark.parametrize("depth", ["structure", "full"])
def test_a_sound_store_verifies(publisher: Publisher, depth: str) -> None:
    report = verify_repository(publisher.repository, depth=depth)  # type: ignore[arg-type]
    assert report.ok
    assert report.n_checkpoints == 4
    assert {finding.state for finding in report.findings} == {"found"}
    n_objects = len(
        {digest for manifest in publisher.manifests.values() for digest in manifest.object_digests}
    )
    assert len(report.findings) == 4 + n_objects
    assert (report.read_bytes > 0) == (depth == "full")


@pytest.mark.parametrize(
    ("damage", "state", "structure_sees_it"),
    [("missing", "missing", True), ("truncated", "wrong_size", True), ("middle byte", "corrupt", False)],
)
def test_verify_names_each_damage(
    publisher: Publisher, damage: str, state: str, structure_sees_it: bool
) -> None:
    key = _object_of(publisher, 300)
    _apply(publisher, key, DAMAGES[damage])
    bad = [
        item
        for item in verify_repository(publisher.repository, depth="full").findings
        if item.state != "found"
    ]
    assert [(item.key, item.state, item.steps) for item in bad] == [(key, state, (300, 400))]
    assert bad[0].detail
    assert verify_repository(publisher.repository).ok is not structure_sees_it
    assert verify_repository(publisher.repository, depth="full", selector=100).ok


def test_verify_names_a_damaged_manifest(publisher: Publisher) -> None:
    key = publisher.manifests[300].checkpoint_key.key
    _apply(publisher, key, DAMAGES["truncated"])
    bad = [item for item in verify_repository(publisher.repository).findings if item.state != "found"]
    assert [(item.key, item.state) for item in bad] == [(key, "corrupt")]
