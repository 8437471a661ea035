"""A trainer that writes as the Hugging Face Trainer does, slowly if asked, and misbehaves on demand."""

import json
import shutil
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import save

_PIECES = 8


class TrainerSimulator:
    """Writes `checkpoint-N` directories below `root`: weights and moments that drift, the marker last."""

    def __init__(self, root: Path, *, n_elements: int = 20_000, seed: int = 0) -> None:
        self.root = root
        self._random = np.random.default_rng(seed)
        self._weights = self._random.normal(scale=0.02, size=n_elements).astype(np.float32)
        self._moments = np.zeros(n_elements, np.float32)
        root.mkdir(parents=True, exist_ok=True)

    def save(self, step: int, *, seconds: float = 0.0) -> Path:
        """Write a checkpoint, spread over some seconds."""
        path = self.path(step)
        path.mkdir()
        for name, data in self._next_files(step).items():
            self._write_slowly(path / name, data, seconds / 4)
        return path

    def save_partially(self, step: int) -> Path:
        """Write what a trainer leaves that dies in the middle of a shard."""
        path = self.path(step)
        path.mkdir()
        files = self._next_files(step)
        (path / "config.json").write_bytes(files["config.json"])
        (path / "model.safetensors").write_bytes(files["model.safetensors"][:-100])
        return path

    def overwrite(self, step: int) -> Path:
        """Save a step again into the same files (same inodes), as after a resume."""
        for name, data in self._next_files(step).items():
            with (self.path(step) / name).open("r+b") as file:
                file.truncate(0)
                file.write(data)
        return self.path(step)

    def rotate(self, keep: int) -> None:
        """Delete all but the newest checkpoints, as `save_total_limit` does."""
        for path in sorted(self.root.glob("checkpoint-*"), key=lambda path: int(path.name[11:]))[
            : -keep or None
        ]:
            shutil.rmtree(path)

    def path(self, step: int) -> Path:
        """Return the directory of a step."""
        return self.root / f"checkpoint-{step}"

    def _next_files(self, step: int) -> dict[str, bytes]:
        gradient = self._random.normal(scale=1e-3, size=self._weights.size).astype(np.float32)
        self._moments = 0.9 * self._moments + 0.1 * gradient
        self._weights = self._weights - 0.01 * self._moments
        return {
            "config.json": json.dumps({"model_type": "simulated"}).encode(),
            "model.safetensors": save({"weight": self._weights}),
            "optimizer.safetensors": save({"exp_avg": self._moments}),
            "trainer_state.json": json.dumps({"global_step": step}).encode(),
        }

    @staticmethod
    def _write_slowly(path: Path, data: bytes, seconds: float) -> None:
        piece_bytes = max(len(data) // _PIECES, 1)
        with path.open("wb") as file:
            for start in range(0, len(data), piece_bytes):
                file.write(data[start : start + piece_bytes])
                file.flush()
                time.sleep(seconds / _PIECES)
