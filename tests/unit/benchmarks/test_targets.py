"""Targets: which rows have one, and how far a figure is from it."""

from benchmarks.case import Facts
from benchmarks.targets import describe_ratio_distance, describe_speed_distance, find_target


def test_a_target_is_for_one_spacing() -> None:
    far = Facts("run-b", "F32", "weights", "0.95", "1000 steps before", "end of cosine")
    assert find_target(far) == 0.72
    assert find_target(Facts("run-b", "F32", "weights", "0.95", "alone")) is None
    assert find_target(Facts("demo run", "F32", "weights", "0.95", "1000 steps before")) is None


def test_a_ratio_meets_its_target_or_is_above_it() -> None:
    assert describe_ratio_distance(0.72, 0.72) == "met"
    assert describe_ratio_distance(0.7201, 0.72) == "+0.0001 (+0.0%)"
    assert describe_ratio_distance(0.792, 0.72) == "+0.0720 (+10.0%)"


def test_a_speed_meets_its_target_or_is_part_of_it() -> None:
    assert describe_speed_distance(4.5, 4.5) == "met"
    assert describe_speed_distance(2.25, 4.5) == "50% of it"
