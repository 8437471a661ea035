"""What the codec is to reach: stored / original size for each row, and speeds in parts of others' in the same run.

The ratios stand on measured floors: nothing the prediction leaves can go below the entropy of the residuals.
"""

from benchmarks.case import Facts
from benchmarks.cases.minilm import NAME as MINILM
from benchmarks.cases.run_b import NAME as RUN_B
from benchmarks.cases.training_run import FIRST, SECOND, WEIGHTS, WHOLE

Row = tuple[str, str, str, str]  # data, dtype, kind, spacing

RATIO_TARGETS: dict[Row, float] = {
    (RUN_B, "F32", WEIGHTS, "1000 steps before"): 0.720,
    (RUN_B, "F32", WEIGHTS, "100 steps before"): 0.640,
    (RUN_B, "F32", WEIGHTS, "1 step before"): 0.465,
    (RUN_B, "F32", FIRST, "1000 steps before"): 0.842,
    (RUN_B, "F32", SECOND, "1000 steps before"): 0.785,
    (RUN_B, "F32", SECOND, "alone"): 0.790,
    (RUN_B, "BF16", WEIGHTS, "1000 steps before"): 0.445,
    (RUN_B, "BF16", WEIGHTS, "100 steps before"): 0.295,
    (RUN_B, "BF16", WEIGHTS, "1 step before"): 0.055,
    (RUN_B, "BF16+F32", WHOLE, "1000 steps before"): 0.675,
    (MINILM, "BF16", WEIGHTS, "alone"): 0.660,
    (MINILM, "F16", WEIGHTS, "alone"): 0.845,
    (MINILM, "F32", WEIGHTS, "alone"): 0.815,
}

# What the highest level is to reach where that is more than the default's target.
MAX_TARGETS: dict[Row, float] = {(MINILM, "BF16", WEIGHTS, "alone"): 0.656}


def find_target(facts: Facts) -> float | None:
    """Return the ratio that a row is to reach at our default level, None where none is set."""
    return RATIO_TARGETS.get(_find_row(facts))


def find_max_target(facts: Facts) -> float | None:
    """Return the ratio that a row is to reach at our highest level, None where none is set."""
    return MAX_TARGETS.get(_find_row(facts))


def describe_ratio_distance(ratio: float, target: float) -> str:
    """Return whether a ratio is as small as its target, or how far it is: absolute, and in parts of the target."""
    return "met" if ratio <= target else f"{ratio - target:+.4f} ({ratio / target - 1:+.1%})"


def describe_speed_distance(reached: float, target: float) -> str:
    """Return whether a speed is as high as its target, or what part of it is reached."""
    return "met" if reached >= target else f"{reached / target:.0%} of it"


def _find_row(facts: Facts) -> Row:
    return facts.data, facts.dtype, facts.kind, facts.spacing
