"""The results as a table for people and as JSON for programs."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.case import Facts
from benchmarks.speed import Measurement, Rate


@dataclass(frozen=True)
class CaseResult:
    """Every rival on one case."""

    facts: Facts
    n_bytes: int
    fresh: Sequence[Measurement]  # buffers from the kernel
    reused: Sequence[Measurement]  # buffers that were in use before


@dataclass(frozen=True)
class MemoryResult:
    """Peak memory of one action on one file, above the process before it."""

    action: str
    file: str
    n_bytes: int
    n_threads: int
    peak_bytes: int


@dataclass(frozen=True)
class Results:
    """One run of the benchmarks."""

    machine: dict[str, object]
    n_rounds: int
    cases: Sequence[CaseResult]
    memory: Sequence[MemoryResult]


def write_results(results: Results, folder: Path) -> None:
    """Write `results.json` and `results.md` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(asdict(results), indent=2) + "\n")
    (folder / "results.md").write_text(format_results(results))


def format_results(results: Results) -> str:
    """Return the results as Markdown."""
    sections = [f"Measured on: {json.dumps(results.machine)}\n"]
    rounds = f"median of {results.n_rounds} interleaved rounds (slowest-fastest)"
    sections += [f"One thread on one core. Speeds: GB (10^9 bytes) of original bytes a second, {rounds};"]
    sections += [
        "first with buffers fresh from the kernel, then with memory that the process keeps and reuses.\n"
    ]
    sections += ["## Ratio and speed\n", _format_table(_CASE_HEAD, _list_case_rows(results.cases))]
    sections += ["## Whole checkpoints: the kinds of a run together\n"]
    sections += [_format_table(_WHOLE_HEAD, _list_whole_rows(results.cases))]
    if results.memory:
        sections += [
            "## Peak memory above the process\n",
            _format_table(_MEMORY_HEAD, _list_memory_rows(results)),
        ]
    return "\n".join(sections)


_CASE_HEAD = (
    "data", "dtype", "kind", "beta2", "against", "rate phase", "MB", "compressor", "ratio",
    "encode", "decode", "encode, memory reused", "decode, memory reused"
)  # fmt: skip
_WHOLE_HEAD = ("data", "against", "MB", "compressor", "ratio")
_MEMORY_HEAD = ("action", "file", "MB", "threads", "peak MB")


def _list_case_rows(cases: Sequence[CaseResult]) -> Iterable[Sequence[str]]:
    for case in cases:
        facts = case.facts
        described = (facts.data, facts.dtype, facts.kind, facts.beta2, facts.spacing, facts.rate_phase)
        for measurement, warm in zip(case.fresh, case.reused, strict=True):
            yield (
                *described,
                f"{case.n_bytes / 1e6:.1f}",
                measurement.rival,
                f"{measurement.ratio:.4f}",
                _format_rate(measurement.encode),
                _format_rate(measurement.decode),
                _format_rate(warm.encode),
                _format_rate(warm.decode),
            )


def _list_whole_rows(cases: Sequence[CaseResult]) -> Iterable[Sequence[str]]:
    """Add up what belongs to one checkpoint; a model in several dtypes is not one."""
    stored: dict[tuple[str, str, str], float] = defaultdict(float)
    original: dict[tuple[str, str, str], int] = defaultdict(int)
    for case in cases:
        if case.facts.beta2 == "-":
            continue
        for measurement in case.fresh:
            key = (case.facts.data, case.facts.spacing, measurement.rival)
            stored[key] += measurement.ratio * case.n_bytes
            original[key] += case.n_bytes
    for (data, spacing, rival), n_bytes in original.items():
        yield data, spacing, f"{n_bytes / 1e6:.1f}", rival, f"{stored[data, spacing, rival] / n_bytes:.4f}"


def _list_memory_rows(results: Results) -> Iterable[Sequence[str]]:
    for row in results.memory:
        n_megabytes, peak_megabytes = f"{row.n_bytes / 1e6:.0f}", f"{row.peak_bytes / 1e6:.0f}"
        yield row.action, row.file, n_megabytes, str(row.n_threads), peak_megabytes


def _format_rate(rate: Rate) -> str:
    return f"{rate.median:.2f} ({rate.slowest:.2f}-{rate.fastest:.2f})"


def _format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
