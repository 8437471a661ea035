"""Checkpoints of one training run: every kind of tensor, alone and against predecessors at several distances."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.case import Case, Facts, build_case
from benchmarks.shard import RawTensor, read_tensors

Tensors = dict[str, RawTensor]
SLOTS = {"fp32_param": "weights", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}


@dataclass(frozen=True)
class TrainingRun:
    """A folder of `<anything>-<step>/` checkpoints, and what its files cannot tell.

    Each checkpoint holds `model.safetensors` (bf16) and `optimizer.safetensors` (`fp32_param.*`, `exp_avg.*`,
    `exp_avg_sq.*` in fp32).
    """

    name: str
    folder: Path
    beta2: str
    rate_phase: str

    def build_cases(self, folder: Path) -> list[Case]:
        """Write to `folder`, and return, the newest checkpoint's kinds: each alone, then against each older step."""
        steps = self._list_steps()
        newest = max(steps)
        kinds = {step: _split_by_kind(path) for step, path in steps.items()}
        return [
            build_case(
                folder,
                Facts(self.name, _dtype(tensors), kind, self.beta2, _spacing(step, newest), self.rate_phase),
                tensors,
                None if step == newest else kinds[step][label],
            )
            for label, tensors in kinds[newest].items()
            for kind in (label.split()[0],)
            for step in sorted(steps, key=lambda step: (step != newest, step))
        ]

    def _list_steps(self) -> dict[int, Path]:
        found = {int(path.name.rpartition("-")[2]): path for path in self.folder.glob("*-*") if path.is_dir()}
        if not found:
            raise SystemExit(f"{self.folder}: no <name>-<step> folders")
        return found


def _split_by_kind(checkpoint: Path) -> dict[str, Tensors]:
    kinds = {"weights bf16": read_tensors(checkpoint / "model.safetensors")}
    optimizer = read_tensors(checkpoint / "optimizer.safetensors")
    for slot, kind in SLOTS.items():
        kinds[f"{kind} fp32"] = dict(_select(optimizer, slot))
    return kinds


def _select(tensors: Tensors, slot: str) -> Iterator[tuple[str, RawTensor]]:
    return ((name, tensor) for name, tensor in tensors.items() if name.startswith(f"{slot}."))


def _dtype(tensors: Tensors) -> str:
    (dtype,) = {tensor.dtype for tensor in tensors.values()}
    return dtype


def _spacing(step: int, newest: int) -> str:
    if step == newest:
        return "alone"
    return f"{newest - step} step{'s' if newest - step > 1 else ''} before"
