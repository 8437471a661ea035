"""Tables of text: every column of every row, and what is missing as a dash."""

from benchmarks.case import Facts
from benchmarks.ratio import RatioRow
from benchmarks.speed import Rate, SpeedRow
from benchmarks.speed_targets import SpeedComparison
from benchmarks.tables import (
    format_comparison_table,
    format_ratio_table,
    format_speed_table,
    format_table,
)

FACTS = Facts("run", "F32", "exp_avg", "0.95", "1 step before", "end of cosine")


def _split_cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_columns_line_up() -> None:
    assert format_table(("a", "bc"), [("123", "4")]) == "| a   | bc |\n| --- | -- |\n| 123 | 4  |\n"


def test_ratios_stand_beside_the_facts_the_entropies_and_the_target() -> None:
    rows = [
        RatioRow(
            FACTS, 2_000_000, {"zstd": 0.9, "weightzip": 0.5, "weightzip max": 0.3}, {"int": 0.45}, 0.4, 0.35
        ),
        RatioRow(FACTS, 2_000_000, {"zstd": 0.8, "xor": 0.7, "weightzip": 0.25}, {}, None),
    ]
    head, _, first, second = _split_cells(format_ratio_table(rows))
    assert head == [
        *("data", "dtype", "kind", "beta2", "against", "rate phase", "MB"),
        *("zstd", "xor", "int (computed)"),
        *("weightzip fast", "weightzip", "weightzip max", "target", "distance"),
    ]
    facts = ["run", "F32", "exp_avg", "0.95", "1 step before", "end of cosine", "2.0"]
    distance = ["0.400, max 0.350", "+0.1000 (+25.0%), max met"]
    assert first == [*facts, "0.9000", "-", "0.4500", "-", "0.5000", "0.3000", *distance]
    assert second == [*facts, "0.8000", "0.7000", "-", "-", "0.2500", "-", "-", "-"]


def test_speeds_are_the_fastest_and_the_median() -> None:
    row = SpeedRow(FACTS, 1_000_000, "memcpy", 1, Rate(3, 2, 1), Rate(6, 5, 4))
    assert _split_cells(format_speed_table([row]))[2][-3:] == ["memcpy", "3.00 (2.00)", "6.00 (5.00)"]


def test_comparisons_say_how_far() -> None:
    rows = _split_cells(format_comparison_table([SpeedComparison("a / b", 4, 2, 3)]))
    assert rows[2] == ["a / b", "2.00", "3.00", "4", "50% of it"]
