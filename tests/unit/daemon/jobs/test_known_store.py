"""The memory of the store that checkpoints were committed into."""

from pathlib import Path

import pytest

from weightzip.daemon.jobs.known_store import KnownStore, read_known_store, write_known_store
from weightzip.errors import CorruptData


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "known-store.json"
    assert read_known_store(path) is None
    known = KnownStore(url="s3://bucket/run", run_id="run")
    write_known_store(path, known)
    assert read_known_store(path) == known


@pytest.mark.parametrize("data", [b"", b"{}", b'{"version": 2, "url": "u", "run_id": "r"}'])
def test_damage_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "known-store.json"
    path.write_bytes(data)
    with pytest.raises(CorruptData, match=r"known-store\.json"):
        read_known_store(path)
