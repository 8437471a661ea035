"""An independent reader of a store: what docs/store.md says, written a second time, and no code of the repository.

It looks at raw objects alone. Archives are decoded forward, one after another through raw predecessor files on a disk,
not at random and on top of each other as the restore does.
"""

import io
import json
import re
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3

from weightzip.daemon.store import Store
from weightzip.files import decompress_stream

MANIFEST_KEY = re.compile(r"checkpoints/(\d{12})-(\d{12})-([0-9a-f]{16})\.json")
OBJECT_KEY = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{64})\.wzst")


@dataclass(frozen=True)
class CheckedCheckpoint:
    """A listed checkpoint that was found complete, with the bytes of its files by path."""

    key: str
    step: int
    name: str
    files: Mapping[str, bytes]
    links: Mapping[str, str]


def read_raw(store: Store) -> dict[str, bytes]:
    """Return every object under the prefixes of a repository."""
    keys = [item.key for prefix in ("checkpoints/", "objects/") for item in store.list_objects(prefix)]
    return {key: store.read_bytes(key, 1 << 30) for key in keys}


def check_store(raw: Mapping[str, bytes]) -> dict[int, CheckedCheckpoint]:
    """Assert that every listed checkpoint is complete and restorable; return them by step.

    An object no manifest names is no fault: an interrupted publish leaves such.
    """
    for key in raw:
        assert MANIFEST_KEY.fullmatch(key) or OBJECT_KEY.fullmatch(key), f"unknown key {key}"
    checked = {}
    with tempfile.TemporaryDirectory() as scratch:
        for key, data in sorted(raw.items()):
            if MANIFEST_KEY.fullmatch(key):
                checkpoint = _check_manifest(json.loads(data), raw, Path(scratch))
                assert checkpoint.key == key
                copies = [other for other in raw if other.endswith(key[-35:])]
                assert copies == [key], "one step and identity has two manifests"
                checked[checkpoint.step] = checkpoint
    return checked


def _check_manifest(manifest: dict[str, Any], raw: Mapping[str, bytes], scratch: Path) -> CheckedCheckpoint:
    checksum = manifest.pop("checksum")
    plain = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert checksum == blake3(plain.encode()).hexdigest()
    assert (manifest["format"], manifest["version"]) == ("weightzip-checkpoint", 1)
    record = manifest["checkpoint"]
    assert record["identity"] == _identity(record["parts"])
    archives = manifest["encoding"]["archives"]
    entries = [entry for part in record["parts"] for entry in part["entries"]]
    files = {}
    for entry in entries:
        if entry["kind"] == "file":
            path = _restore(entry["digest"], archives, raw, scratch)
            files[entry["path"]] = path.read_bytes()
            assert len(files[entry["path"]]) == entry["size_bytes"]
    links = {entry["path"]: entry["target"] for entry in entries if entry["kind"] == "symlink"}
    largest = max((e["size_bytes"], e["mtime_ns"]) for e in entries if e["kind"] == "file")
    assert record["saved_at_seconds"] == largest[1] // 1_000_000_000
    key = f"checkpoints/{record['saved_at_seconds']:012}-{record['step']:012}-{record['identity'][:16]}.json"
    return CheckedCheckpoint(key, record["step"], record["name"], files, links)


def _restore(digest: str, archives: dict[str, Any], raw: Mapping[str, bytes], scratch: Path) -> Path:
    """Restore the file with this digest from raw objects, its predecessors before it."""
    target = scratch / digest
    if target.exists():
        return target
    archive = archives[digest]
    object_digest = archive["object_digest"]
    data = raw[f"objects/{object_digest[:2]}/{object_digest}.wzst"]
    assert len(data) == archive["size_bytes"]
    assert blake3(data).hexdigest() == object_digest
    base = None
    if archive["predecessor_digest"] is not None:
        base = _restore(archive["predecessor_digest"], archives, raw, scratch)
    beside = [_restore(digest, archives, raw, scratch) for digest in archive["beside_digests"]]
    with target.open("wb") as writer:
        decompress_stream(io.BytesIO(data), writer, base=base, beside=beside, n_threads=1)
    assert blake3(target.read_bytes()).hexdigest() == digest
    return target


def _identity(parts: list[dict[str, Any]]) -> str:
    said = b"weightzip checkpoint identity 1\0"
    for part in parts:
        for entry in sorted(part["entries"], key=lambda entry: entry["path"].encode()):
            said += struct.pack("<I", part["node"]) + struct.pack("<Q", entry["size_bytes"])
            for text in (entry["path"], entry["kind"], entry["target"] or ""):
                said += struct.pack("<Q", len(text.encode())) + text.encode()
            said += bytes.fromhex(entry["digest"] or "00" * 32)
    return blake3(said).hexdigest()
