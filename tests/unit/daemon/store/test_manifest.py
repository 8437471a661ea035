"""A manifest is believed only as far as it proves itself; hostile ones are refused by name."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from blake3 import blake3
from pydantic import ValidationError

from support.repositories import Publisher
from weightzip.config.encode import EncodeSettings
from weightzip.daemon.checkpoint import FileEntry, checkpoint_identity
from weightzip.daemon.store.document import decode_document, encode_document
from weightzip.daemon.store.manifest import ArchiveRecord, Manifest, list_needed
from weightzip.daemon.store.manifest_rules import MAX_CHAIN_DEPTH, check_beside, depth_by_digest
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData, UnsupportedVersion


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    publisher = Publisher(MemoryStore(), tmp_path_factory.mktemp("publisher"))
    publisher.publish_chain(1, 2, 3)
    return publisher.manifests[3]


def seal(content: dict[str, Any]) -> bytes:
    """Write a document as a hostile writer would: any content, a right checksum."""
    content.pop("checksum", None)
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps(content | {"checksum": blake3(plain.encode(errors="replace")).hexdigest()}).encode()


def decode(data: bytes) -> Manifest:
    return decode_document(data, Manifest, "the manifest")


def test_a_manifest_comes_back(manifest: Manifest) -> None:
    again = decode(encode_document(manifest))
    assert again.model_dump() == manifest.model_dump()
    assert again.chain_depth == 2
    assert again.find_file("config.json") is not None
    assert again.find_file("nested") is None


def test_the_chain_of_a_file_begins_with_the_one_that_restores_alone(manifest: Manifest) -> None:
    file = manifest.find_file("model.safetensors")
    assert file is not None
    needed = manifest.list_needed(file.digest or "")
    assert len(needed) == manifest.find_chain_depth(file.digest or "") + 1 == 3
    assert next(iter(needed.values())).predecessor_digest is None
    assert list(needed)[-1] == file.digest


def test_every_flipped_byte_is_found(manifest: Manifest) -> None:
    data = encode_document(manifest)
    for position in range(0, len(data), 7):
        damaged = data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]
        try:
            survived = decode(damaged)
        except CorruptData:
            continue
        # Only blanks between values may change unnoticed.
        assert survived.model_dump() == manifest.model_dump(), position


def test_every_truncation_is_found(manifest: Manifest) -> None:
    data = encode_document(manifest)
    for length in range(0, len(data), 11):
        with pytest.raises(CorruptData):
            decode(data[:length])


def test_a_newer_version_is_named(manifest: Manifest) -> None:
    content = json.loads(encode_document(manifest))
    content |= {"version": 2, "new_field": True}
    with pytest.raises(UnsupportedVersion, match="version 2"):
        decode(seal(content))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format":' * 50_000,
        b"1" * 10_000,
        b'"\\ud800"',
    ],
    ids=["empty", "null", "list", "object", "bytes", "nested", "nested objects", "number", "surrogate"],
)
def test_what_is_no_document_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptData, match="the manifest"):
        decode(data)


def _entries(content: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = content["checkpoint"]["parts"][0]["entries"]
    return entries


def _set_path(path: str) -> Callable[[dict[str, Any]], object]:
    def spoil(content: dict[str, Any]) -> None:
        next(entry for entry in _entries(content) if entry["path"] == "config.json")["path"] = path

    return spoil


def _add_part(checkpoint: dict[str, Any]) -> None:
    checkpoint["parts"].append(checkpoint["parts"][0] | {"node": 1})
    checkpoint["identity"] = checkpoint_identity(
        [FileEntry(**entry) for entry in part["entries"]] for part in checkpoint["parts"]
    )


HOSTILE: dict[str, Callable[[dict[str, Any]], object]] = {
    "absolute path": _set_path("/etc/passwd"),
    "dot dot": _set_path("../../outside"),
    "hidden dot dot": _set_path("nested/../../outside"),
    "through a link": _set_path("elsewhere/file"),
    "no parent": _set_path("nowhere/file"),
    "twice": _set_path("model.safetensors"),
    "lone surrogate": _set_path("bad\ud800name"),
    "name leads outside": lambda content: content["checkpoint"].update(name="../escape"),
    "name is absolute": lambda content: content["checkpoint"].update(name="/tmp/escape"),
    "no root": lambda content: _entries(content).pop(0),
    "negative size": lambda content: _entries(content)[1].update(size_bytes=-1),
    "huge size": lambda content: _entries(content)[1].update(size_bytes=1 << 70),
    "mode": lambda content: _entries(content)[1].update(mode=0o100777),
    "unknown kind": lambda content: _entries(content)[1].update(kind="device"),
    "unknown field": lambda content: _entries(content)[1].update(owner=0),
    "digest is no digest": lambda content: _entries(content)[1].update(digest="../../x"),
    "wrong identity": lambda content: content["checkpoint"].update(identity="00" * 32),
    "step": lambda content: content["checkpoint"].update(step=-1),
    "number as text": lambda content: content["checkpoint"].update(step="3"),
    "time without a zone": lambda content: content.update(created_at="2026-01-01T00:00:00"),
    "time that no clock shows": lambda content: content.update(created_at="0001-01-01T00:00:00+23:59"),
    "two parts": lambda content: _add_part(content["checkpoint"]),
    "no parts": lambda content: content["checkpoint"].update(parts=[]),
    "archive missing": lambda content: content["encoding"]["archives"].popitem(),
    "object digest leads outside": lambda content: next(
        iter(content["encoding"]["archives"].values())
    ).update(object_digest="../../../../etc/passwd"),
    "circle": lambda content: [
        archive.update(predecessor_digest=digest)
        for digest, archive in content["encoding"]["archives"].items()
    ],
    "leans on itself beside it": lambda content: [
        archive.update(beside_digests=[digest]) for digest, archive in content["encoding"]["archives"].items()
    ],
    "missing beside it": lambda content: next(iter(content["encoding"]["archives"].values())).update(
        beside_digests=["ab" * 32]
    ),
    "circle of moved tensors": lambda content: [
        archive.update(moved_digests=[*content["encoding"]["archives"]])
        for archive in content["encoding"]["archives"].values()
    ],
    "moved from nowhere": lambda content: next(iter(content["encoding"]["archives"].values())).update(
        moved_digests=["ab" * 32]
    ),
    "missing predecessor": lambda content: next(iter(content["encoding"]["archives"].values())).update(
        predecessor_digest="ab" * 32
    ),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_manifest_is_refused(manifest: Manifest, spoil: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(encode_document(manifest))
    spoil(content)
    with pytest.raises(CorruptData, match="the manifest"):
        decode(seal(content))


def test_what_a_hostile_manifest_says_is_not_repeated_at_length(manifest: Manifest) -> None:
    content = json.loads(encode_document(manifest)) | {"x" * 100_000: 1}
    with pytest.raises(CorruptData) as caught:
        decode(seal(content))
    assert len(str(caught.value)) < 1000


def test_depth_counts_residual_steps() -> None:
    assert depth_by_digest({"a": (), "b": "a", "c": "b", "d": "a"}) == {"a": 0, "b": 1, "c": 2, "d": 1}
    assert depth_by_digest({"e": ["a", "c"], "a": (), "b": "a", "c": "b"})["e"] == 3
    with pytest.raises(ValueError, match="circle"):
        depth_by_digest({"a": "b", "b": "a"})
    with pytest.raises(ValueError, match="circle"):
        depth_by_digest({"a": (), "b": "ac", "c": "ab"})
    with pytest.raises(ValueError, match="no archive"):
        depth_by_digest({"a": "x"})


def test_what_is_leaned_on_beside_a_file_leans_on_nothing_beside_it() -> None:
    chain: dict[str, list[str]] = {"old": [], "new": ["old"], "copy": [], "copy of copy": []}
    nothing: dict[str, list[str]] = {digest: [] for digest in chain}
    check_beside(chain, nothing | {"copy": ["new"]})
    with pytest.raises(ValueError, match="copy of copy leans on copy beside it, which leans on another"):
        check_beside(chain, nothing | {"copy": ["new"], "copy of copy": ["copy"]})
    with pytest.raises(ValueError, match="copy leans on new beside it, which leans on another"):
        check_beside(chain, nothing | {"copy": ["new"], "old": ["copy of copy"]})
    with pytest.raises(ValueError, match="copy leans on new beside it, which leans on another"):
        check_beside(
            chain | {"older": [], "new": ["old", "older"]},
            nothing | {"copy": ["new"], "older": ["copy of copy"]},
        )
    with pytest.raises(ValueError, match="copy leans on gone, which has no archive"):
        check_beside(chain, nothing | {"copy": ["gone"]})


def test_a_long_chain_is_no_recursion() -> None:
    chain = {str(number): [str(number - 1)] for number in range(1, 50_000)}
    with pytest.raises(ValueError, match="deeper"):
        depth_by_digest({"0": []} | dict(reversed(chain.items())))


def test_no_chain_is_deeper_than_the_limit() -> None:
    chain: dict[str, list[str]] = {"0": []}
    chain |= {str(number): [str(number - 1)] for number in range(1, MAX_CHAIN_DEPTH + 1)}
    assert max(depth_by_digest(chain).values()) == MAX_CHAIN_DEPTH
    with pytest.raises(ValueError, match="deeper"):
        depth_by_digest(chain | {"last": [str(MAX_CHAIN_DEPTH)]})


def test_many_ways_to_one_keyframe_are_no_more_work_than_files() -> None:
    """Each file leans on two that both lean on the same two: as many ways as 2 to the power of the steps."""
    first, *others = range(MAX_CHAIN_DEPTH)
    ways: dict[str, list[str]] = {f"{side}{first}": [] for side in "ab"}
    ways |= {f"{side}{step}": [f"a{step - 1}", f"b{step - 1}"] for step in others for side in "ab"}
    assert max(depth_by_digest(ways).values()) == MAX_CHAIN_DEPTH - 1
    archives = {
        digest: ArchiveRecord.model_construct(moved_digests=tuple(others)) for digest, others in ways.items()
    }
    assert len(list_needed(archives, f"a{others[-1]}")) == len(ways) - 1


def test_settings_allow_the_chains_that_manifests_may_have() -> None:
    assert EncodeSettings(max_chain_depth=MAX_CHAIN_DEPTH).max_chain_depth == MAX_CHAIN_DEPTH
    with pytest.raises(ValidationError):
        EncodeSettings(max_chain_depth=MAX_CHAIN_DEPTH + 1)


def test_trackers_come_back_and_are_no_part_of_the_identity(manifest: Manifest) -> None:
    content = json.loads(encode_document(manifest))
    content["checkpoint"]["trackers"] = [TRACKER | {"text": f"{manifest.step}\n"}]
    again = decode(seal(content))
    assert [tracker.text for tracker in again.trackers] == [f"{manifest.step}\n"]
    assert again.identity == manifest.identity


TRACKER = {
    "name": "latest_checkpointed_iteration.txt",
    "kind": "file",
    "text": "3",
    "mode": 0o644,
    "mtime_ns": 7,
}


@pytest.mark.parametrize(
    "change",
    [
        {"text": "4"},
        {"name": "train.py", "text": "checkpoint-3"},
        {"name": "../latest", "text": "checkpoint-3"},
        {"name": "latest", "text": "checkpoint-3; rm"},
        {"name": "latest", "text": "checkpoint-3" + " " * 5000},
        {"name": "checkpoint-3", "text": "checkpoint-3"},
        {"name": "last", "kind": "symlink", "text": "/etc"},
        {"name": "last", "kind": "directory", "text": "checkpoint-3"},
    ],
)
def test_a_tracker_that_does_more_than_name_its_checkpoint_is_refused(
    manifest: Manifest, change: dict[str, Any]
) -> None:
    assert (manifest.name, manifest.step) == ("checkpoint-3", 3)
    for trackers in ([TRACKER | change], [TRACKER, TRACKER]):
        content = json.loads(encode_document(manifest))
        content["checkpoint"]["trackers"] = trackers
        with pytest.raises(CorruptData, match=r"tracker|cannot name a file"):
            decode(seal(content))


@pytest.mark.parametrize("twin_of", ["model.safetensors", "nested", "../x", "config.json"])
def test_a_twin_of_something_else_is_refused(manifest: Manifest, twin_of: str) -> None:
    content = json.loads(encode_document(manifest))
    entry = next(e for e in content["checkpoint"]["parts"][0]["entries"] if e["path"] == "config.json")
    entry["twin_of"] = twin_of
    with pytest.raises(CorruptData, match="twin"):
        decode(seal(content))
