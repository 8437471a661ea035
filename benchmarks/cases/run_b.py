"""Run-b: a real AdamW run of a GPT of 1.1 M parameters, steps 5000, 5900, 5999 and 6000 of a cosine schedule of 6000.

Too large for this repository; it lies beside the maintainers' working copies. Elsewhere the demo run stands alone.
"""

from pathlib import Path

from benchmarks.cases.training_run import TrainingRun

NAME = "run-b"
FOLDER = Path(__file__).parents[3] / "shared" / "data" / NAME


def find_run_b() -> TrainingRun | None:
    """Return the run, None where it is not there."""
    return TrainingRun(NAME, FOLDER, "0.95", "end of cosine") if FOLDER.is_dir() else None
