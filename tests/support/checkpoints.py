"""Small checkpoints on disk: real safetensors files beside JSON, links and directories, different at each step."""

import json
import os
import random
import struct
from pathlib import Path

TREE_FILES = (
    "-x/+y",
    "config.json",
    "empty.bin",
    "model.safetensors",
    "nested/optimizer.safetensors",
    "trainer_state.json",
)


def write_checkpoint(root: Path, step: int, n_elements: int = 600) -> Path:
    """Write `checkpoint-STEP` below `root`: tensors that drift with the step, a file that never changes, a link."""
    path = root / f"checkpoint-{step}"
    (path / "nested" / "hollow").mkdir(parents=True)
    _write_tensors(path / "model.safetensors", "weight", step, n_elements)
    _write_tensors(path / "nested" / "optimizer.safetensors", "exp_avg", step + 7, n_elements)
    (path / "config.json").write_text(json.dumps({"layers": 2, "name": "always the same"}))
    (path / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    (path / "empty.bin").touch()
    (path / "latest.safetensors").symlink_to("model.safetensors")
    (path / "-x").mkdir()  # sorts before "."
    (path / "-x" / "+y").write_bytes(b"odd names")
    (path / "elsewhere").symlink_to("/nonexistent/place")
    (path / "config.json").chmod(0o640)
    (path / "trainer_state.json").chmod(0o444)
    for number, entry in enumerate(sorted(path.rglob("*"), reverse=True)):
        if not entry.is_symlink():
            os.utime(entry, ns=(0, 1_700_000_000_123_456_789 + step * 10**9 + number))
    (path / "nested").chmod(0o750)
    os.utime(path, ns=(0, 1_700_000_000_987_654_321 + step))
    return path


def describe_tree(root: Path) -> dict[str, tuple[object, ...]]:
    """Return everything about a tree that must come back, by relative path."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [root, *root.rglob("*")]:
        name = path.relative_to(root).as_posix()
        status = path.lstat()
        if path.is_symlink():
            found[name] = ("symlink", str(path.readlink()))
        elif path.is_dir():
            found[name] = ("directory", status.st_mode, status.st_mtime_ns)
        else:
            found[name] = ("file", status.st_mode, status.st_mtime_ns, path.read_bytes())
    return found


def _write_tensors(path: Path, name: str, step: int, n_elements: int) -> None:
    start = random.Random(name)
    drift = random.Random(step)
    values = [start.gauss(0, 0.02) * (1 + drift.gauss(0, 1e-3)) for _ in range(n_elements)]
    data = struct.pack(f"<{n_elements}f", *values)
    header = {name: {"dtype": "F32", "shape": [n_elements], "data_offsets": [0, len(data)]}}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
