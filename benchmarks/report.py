"""What a run leaves behind, a part each: a table for people, JSON for programs, and for the ratios a picture."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peak_memory import MemoryRow
from benchmarks.plot import plot_ratios
from benchmarks.ratio import RatioRow
from benchmarks.speed import SpeedRow
from benchmarks.speed_targets import compare_speeds
from benchmarks.tables import (
    format_comparison_table,
    format_memory_table,
    format_ratio_table,
    format_speed_table,
)

_RATIO_WORDS = """\
Stored / original size. Every compressor gave back every byte. Columns marked as computed are entropies: no coder, no
tables, no headers (see docs/performance.md). ZipNN and zstd alone see no predecessor. Smaller is better.
"""
_WHOLE_WORDS = """\
All files of a checkpoint, 14 bytes a parameter: weights in bf16, fp32 master weights, both moments. Beside it, each
kind with whichever rival makes it smallest.
"""
_SPEED_WORDS = """\
GB (10^9 bytes) of original bytes a second: the fastest of {n_rounds} interleaved rounds, and the median. One thread on one core,
or two on two.
"""


@dataclass(frozen=True)
class RatioReport:
    """All sizes of one run."""

    machine: dict[str, object]
    cases: Sequence[RatioRow]
    wholes: Sequence[RatioRow]

    def format(self) -> str:
        """Return the report as text."""
        return _join_sections(
            "# Ratio",
            _describe_machine(self.machine),
            _RATIO_WORDS,
            format_ratio_table(self.cases),
            "## Whole checkpoints",
            _WHOLE_WORDS,
            format_ratio_table(self.wholes),
        )


@dataclass(frozen=True)
class SpeedReport:
    """All speeds of one run: with buffers fresh from the kernel, and with some that were used before."""

    machine: dict[str, object]
    n_rounds: int
    fresh: Sequence[SpeedRow]
    reused: Sequence[SpeedRow]

    def format(self) -> str:
        """Return the report as text."""
        sections = ["# Speed", _describe_machine(self.machine), _SPEED_WORDS.format(n_rounds=self.n_rounds)]
        for title, rows in (("Fresh buffers", self.fresh), ("Reused buffers", self.reused)):
            sections += [
                f"## {title}",
                format_comparison_table(compare_speeds(rows)),
                format_speed_table(rows),
            ]
        return _join_sections(*sections)


@dataclass(frozen=True)
class MemoryReport:
    """All peaks of one run."""

    machine: dict[str, object]
    rows: Sequence[MemoryRow]

    def format(self) -> str:
        """Return the report as text."""
        table = format_memory_table(self.rows)
        return _join_sections("# Peak memory above the process", _describe_machine(self.machine), table)


Report = RatioReport | SpeedReport | MemoryReport


def write_report(report: Report, folder: Path, name: str) -> None:
    """Write a report to `folder`: `name`.md, `name`.json, and for ratios `name`.png."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(report.format())
    (folder / f"{name}.json").write_text(json.dumps(asdict(report), indent=1) + "\n")
    if isinstance(report, RatioReport):
        plot_ratios([*report.cases, *report.wholes], folder / f"{name}.png")


def _describe_machine(machine: dict[str, object]) -> str:
    return "\n".join(f"- {key}: {json.dumps(value)}" for key, value in machine.items())


def _join_sections(*sections: str) -> str:
    return "\n\n".join(section.strip("\n") for section in sections) + "\n"
