"""Tables of text (Markdown), out of measured rows. Nothing is measured here."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple

from benchmarks.case import Facts
from benchmarks.peak_memory import MemoryRow
from benchmarks.ratio import RatioRow
from benchmarks.rivals.names import OUR_LEVELS, OURS, OURS_MAX
from benchmarks.speed import Rate, SpeedRow
from benchmarks.speed_targets import SpeedComparison
from benchmarks.targets import describe_ratio_distance, describe_speed_distance

_FACTS = ("data", "dtype", "kind", "beta2", "against", "rate phase", "MB")
_TARGET = ("target", "distance")


def format_ratio_table(rows: Sequence[RatioRow]) -> str:
    """Return a table of one row a case, one column a compressor; entropies are marked as computed."""
    others = list(dict.fromkeys(name for row in rows for name in row.ratios if name not in OUR_LEVELS))
    computed = list(dict.fromkeys(name for row in rows for name in row.computed))
    head = (*_FACTS, *others, *(f"{name} (computed)" for name in computed), *OUR_LEVELS, *_TARGET)
    return format_table(
        head,
        (
            (
                *_list_facts(row.facts, row.n_bytes),
                *(_format_ratio(row.ratios.get(name)) for name in others),
                *(_format_ratio(row.computed.get(name)) for name in computed),
                *(_format_ratio(row.ratios.get(name)) for name in OUR_LEVELS),
                *_list_targets(row),
            )
            for row in rows
        ),
    )


def format_speed_table(rows: Sequence[SpeedRow]) -> str:
    """Return a table of one row a case and compressor."""
    head = (*_FACTS, "compressor", "encode", "decode")
    return format_table(
        head,
        (
            (*_list_facts(row.facts, row.n_bytes), row.rival, _format_rate(row.encode), _format_rate(row.decode))
            for row in rows
        ),
    )  # fmt: skip


def format_comparison_table(comparisons: Iterable[SpeedComparison]) -> str:
    """Return a table of one row a speed target."""
    head = ("speed", "by fastest rounds", "by medians", "at least", "distance")
    return format_table(
        head,
        (
            (
                one.name,
                f"{one.by_fastest:.2f}",
                f"{one.by_median:.2f}",
                f"{one.at_least:g}",
                describe_speed_distance(one.by_fastest, one.at_least),
            )
            for one in comparisons
        ),
    )


def format_memory_table(rows: Sequence[MemoryRow]) -> str:
    """Return a table of one row an action and file."""
    head = ("action", "file", "MB", "threads", "peak MB")
    return format_table(
        head,
        (
            (
                row.action,
                row.file,
                f"{row.n_bytes / 1e6:.0f}",
                str(row.n_threads),
                f"{row.peak_bytes / 1e6:.0f}",
            )
            for row in rows
        ),
    )


def format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose columns also line up as text."""
    lines = [tuple(head), *map(tuple, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, tuple("-" * width for width in widths))
    padded = ([cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in padded) + "\n"


def _list_facts(facts: Facts, n_bytes: int) -> tuple[str, ...]:
    return (*map(str, astuple(facts)), f"{n_bytes / 1e6:.1f}")


def _list_targets(row: RatioRow) -> tuple[str, str]:
    if row.target is None:
        return "-", "-"
    target = f"{row.target:.3f}"
    distance = describe_ratio_distance(row.ratios[OURS], row.target)
    if row.max_target is None:
        return target, distance
    max_distance = describe_ratio_distance(row.ratios[OURS_MAX], row.max_target)
    return f"{target}, max {row.max_target:.3f}", f"{distance}, max {max_distance}"


def _format_ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.4f}"


def _format_rate(rate: Rate) -> str:
    return f"{rate.fastest:.2f} ({rate.median:.2f})"
