"""Structural closure: every cut of a file is noticed, a whole file passes, holes are seen."""

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from weightzip.daemon.layouts.closed import check_closed

SAFETENSORS = save({"a": np.arange(30, dtype=np.float32), "b": np.arange(5, dtype=np.int64)})


def make_zip(*, zip64: bool) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in ("archive/data.pkl", "archive/data/0"):
            with archive.open(name, "w", force_zip64=zip64) as entry:
                entry.write(os.urandom(200))
    return buffer.getvalue()


def make_torch_zip() -> bytes:
    """The tail that torch writes: zip64 end record and locator even for small files."""
    plain = make_zip(zip64=False)
    end = len(plain) - 22
    directory_bytes = int.from_bytes(plain[end + 12 : end + 16], "little")
    directory_offset = int.from_bytes(plain[end + 16 : end + 20], "little")
    record = b"PK\x06\x06" + (44).to_bytes(8, "little") + bytes(28)
    record += directory_bytes.to_bytes(8, "little") + directory_offset.to_bytes(8, "little")
    locator = b"PK\x06\x07" + bytes(4) + end.to_bytes(8, "little") + bytes(4)
    return plain[:end] + record + locator + plain[end:]


WHOLE = {
    "model.safetensors": SAFETENSORS,
    "optimizer.pt": make_torch_zip(),
    "plain.ckpt": make_zip(zip64=False),
    "state.json": json.dumps({"global_step": 3}).encode(),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file_is_closed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(WHOLE[name])
    closure = check_closed(path, trust_kernel=True)
    assert closure.problem is None
    assert closure.proven


@pytest.mark.parametrize("name", WHOLE)
def test_every_cut_is_noticed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for length in range(len(WHOLE[name])):
        path.write_bytes(WHOLE[name][:length])
        closure = check_closed(path, trust_kernel=True)
        assert closure.problem is not None or not closure.proven, f"cut at {length}"
        if length >= 4 or name.endswith((".safetensors", ".json")):
            assert closure.problem is not None, f"cut at {length}"


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.pt", "plain.ckpt"])
def test_bytes_after_the_end_are_noticed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(WHOLE[name] + b"x")
    assert check_closed(path, trust_kernel=True).problem is not None


def test_a_file_that_was_allocated_and_not_written_has_a_hole(tmp_path: Path) -> None:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1 << 20], "data_offsets": [0, 4 << 20]}}).encode()
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + (4 << 20))
    with path.open("rb") as file:
        if os.lseek(file.fileno(), 0, os.SEEK_HOLE) == path.stat().st_size:
            pytest.skip("the file system of the test directory does not show holes")
    closure = check_closed(path, trust_kernel=True)
    assert closure.problem is None
    assert closure.hole is not None
    assert check_closed(path, trust_kernel=False).hole is None


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"w": {"data_offsets": [0, 4]}, "v": {"data_offsets": [8, 12]}}, "do not tile"),
        ({"w": {"data_offsets": [4, 0]}}, "do not tile"),
        ({"w": {"data_offsets": [0, -4]}}, "without tensor offsets"),
        ({"w": [1]}, "without tensor offsets"),
        ([1], "without tensor offsets"),
    ],
)
def test_headers_that_contradict_themselves(tmp_path: Path, header: object, reason: str) -> None:
    text = json.dumps(header).encode()
    path = tmp_path / "m.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(12))
    problem = check_closed(path, trust_kernel=True).problem
    assert problem is not None
    assert reason in problem


def test_a_header_length_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes((1 << 62).to_bytes(8, "little") + bytes(100))
    problem = check_closed(path, trust_kernel=True).problem
    assert problem is not None
    assert "more than the format allows" in problem


def test_a_link_or_a_missing_file_is_not_closed(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("real.json")
    assert check_closed(tmp_path / "link.json", trust_kernel=True).problem is not None
    assert check_closed(tmp_path / "none.json", trust_kernel=True).problem is not None


def test_a_foreign_format_is_closed_but_not_proven(tmp_path: Path) -> None:
    for name in ("own.pt", "notes.txt", "packed.nemo"):
        (tmp_path / name).write_bytes(b"\x1f\x8b\x08 anything")
        closure = check_closed(tmp_path / name, trust_kernel=True)
        assert closure.problem is None
        assert not closure.proven


def test_a_file_that_is_open_for_writing_is_not_closed(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(SAFETENSORS)
    with path.open("r+b"):
        assert check_closed(path, trust_kernel=True).problem == "is open for writing"
        assert check_closed(path, trust_kernel=False).problem is None
    assert check_closed(path, trust_kernel=True).proven


def test_a_check_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(SAFETENSORS)
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        assert check_closed(path, trust_kernel=True).proven
        # A lease that is left behind would make this raise, instead of waiting.
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open


def test_a_nesting_bomb_is_a_finding_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("[" * 200_000)
    assert check_closed(path, trust_kernel=True).problem is not None
