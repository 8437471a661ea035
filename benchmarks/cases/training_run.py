"""Checkpoints of one training run: every kind of tensor, alone and against predecessors at several distances."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.case import Case, Facts, WholeCheckpoint, build_case
from benchmarks.shard import RawTensor, read_tensors

MODEL, OPTIMIZER = "model.safetensors", "optimizer.safetensors"

WEIGHTS, FIRST, SECOND = "weights", "exp_avg", "exp_avg_sq"
BOTH_MOMENTS = f"{FIRST} + {SECOND}"
WHOLE = "whole checkpoint"

Tensors = dict[str, RawTensor]


@dataclass(frozen=True)
class _Kind:
    """Tensors of one dtype and role, and those of their file that tell something of them."""

    dtype: str
    kind: str
    tensors: Tensors
    companions: Tensors


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
        """Write to `folder`, and return, the newest checkpoint's kinds: each against each older step, then alone."""
        steps = self._list_steps()
        newest, *older = sorted(steps, reverse=True)
        kinds = _list_kinds(steps[newest])
        predecessors = {step: _read_checkpoint(steps[step]) for step in sorted(older)}
        return [
            self._build_case(folder, kind, _spacing(step, newest), predecessor)
            for kind in kinds
            for step, predecessor in (*predecessors.items(), (newest, None))
        ]

    def build_speed_cases(self, folder: Path) -> list[Case]:
        """Write to `folder`, and return, what is timed: weights and both moments against the oldest step."""
        steps = self._list_steps()
        oldest, newest = min(steps), max(steps)
        first, second = (kind for kind in _list_kinds(steps[newest]) if kind.kind in {FIRST, SECOND})
        moments = _Kind(first.dtype, BOTH_MOMENTS, {**first.tensors, **second.tensors}, {})
        weights = [kind for kind in _list_kinds(steps[newest]) if kind.kind == WEIGHTS]
        predecessor = _read_checkpoint(steps[oldest])
        return [
            self._build_case(folder, kind, _spacing(oldest, newest), predecessor)
            for kind in (*weights, moments)
        ]

    def list_wholes(self) -> list[WholeCheckpoint]:
        """Return the newest checkpoint against each older one, then alone."""
        steps = self._list_steps()
        newest, *older = sorted(steps, reverse=True)
        files = tuple(steps[newest] / name for name in (MODEL, OPTIMIZER))
        dtypes = "+".join(sorted({kind.dtype for kind in _list_kinds(steps[newest])}))
        return [
            WholeCheckpoint(self._state_facts(dtypes, WHOLE, _spacing(step, newest)), files, predecessor)
            for step, predecessor in (*((step, steps[step]) for step in sorted(older)), (newest, None))
        ]

    def _build_case(self, folder: Path, kind: _Kind, spacing: str, predecessor: Tensors | None) -> Case:
        facts = self._state_facts(kind.dtype, kind.kind, spacing)
        return build_case(folder, facts, kind.tensors, predecessor, kind.companions)

    def _state_facts(self, dtype: str, kind: str, spacing: str) -> Facts:
        return Facts(self.name, dtype, kind, self.beta2, spacing, self.rate_phase)

    def _list_steps(self) -> dict[int, Path]:
        found = {int(path.name.rpartition("-")[2]): path for path in self.folder.glob("*-*") if path.is_dir()}
        if not found:
            raise SystemExit(f"{self.folder}: no <name>-<step> folders")
        return found


def _list_kinds(checkpoint: Path) -> list[_Kind]:
    model, optimizer = read_tensors(checkpoint / MODEL), read_tensors(checkpoint / OPTIMIZER)
    masters, first, second = (
        dict(_select(optimizer, prefix)) for prefix in ("fp32_param", "exp_avg", "exp_avg_sq")
    )
    return [
        _Kind(_dtype(masters), WEIGHTS, masters, {}),
        _Kind(_dtype(first), FIRST, first, second),
        _Kind(_dtype(second), SECOND, second, {}),
        _Kind(_dtype(model), WEIGHTS, model, {}),
    ]


def _read_checkpoint(checkpoint: Path) -> Tensors:
    return {**read_tensors(checkpoint / OPTIMIZER), **read_tensors(checkpoint / MODEL)}


def _select(tensors: Tensors, slot: str) -> Iterator[tuple[str, RawTensor]]:
    return ((name, tensor) for name, tensor in tensors.items() if name.startswith(f"{slot}."))


def _dtype(tensors: Tensors) -> str:
    (dtype,) = {tensor.dtype for tensor in tensors.values()}
    return dtype


def _spacing(step: int, newest: int) -> str:
    if step == newest:
        return "alone"
    return f"{newest - step} step{'s' if newest - step > 1 else ''} before"
