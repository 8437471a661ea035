"""`python -m benchmarks.containers RUN`: what containers cost. The same numbers in each form, side by side.

RUN holds `<name>-<step>` folders as HF's Trainer or the demonstration's trainer writes them. Needs torch.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases.forms import FORMS
from benchmarks.cases.make_run import make_run
from benchmarks.cases.training_state import list_steps, read_state
from benchmarks.tables import format_table
from weightzip import compress_directory, verify_directory

MAX_DISTANCE = 0.01
"""How much larger than the archives of the safetensors form those of another form may be."""


@dataclass(frozen=True)
class FormRow:
    """One form of one checkpoint, alone or against the same form of an older one."""

    form: str
    spacing: str
    raw_bytes: int
    stored_bytes: int

    @property
    def ratio(self) -> float:
        """Return stored / original size, all files of the checkpoint together."""
        return self.stored_bytes / self.raw_bytes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.containers", description=__doc__)
    parser.add_argument(
        "run", type=Path, nargs="?", help="default: a run of the demonstration's trainer, made once"
    )
    arguments = parser.parse_args()
    run = arguments.run if arguments.run is not None else make_run(Path("build/bench/demo-run")).folder
    with tempfile.TemporaryDirectory(prefix="weightzip-containers-") as work:
        print(format_rows(list(measure_forms(run, Path(work)))))


def measure_forms(run: Path, work: Path) -> Iterator[FormRow]:
    """Yield the newest checkpoint of a run against each older one, then alone, in every form. `work` is an empty folder."""
    steps = list_steps(run)
    states = {step: read_state(path) for step, path in steps.items()}
    *older, newest = steps
    for form, write in FORMS.items():
        folders = {step: work / form.strip(".") / f"step-{step}" for step in steps}
        for step, folder in folders.items():
            folder.mkdir(parents=True)
            write(folder, states[step])
        for before in (*older, None):
            base = None if before is None else folders[before]
            spacing = "alone" if before is None else f"{newest - before} before"
            archives = work / form.strip(".") / f"archives {spacing}"
            yield _measure_form(form, spacing, folders[newest], base, archives)


def compute_distance(row: FormRow, rows: Sequence[FormRow]) -> float:
    """Return how much larger the archives of a row are than those of the safetensors form, as a share of the latter."""
    other = next(one for one in rows if one.form == "safetensors" and one.spacing == row.spacing)
    return row.stored_bytes / other.stored_bytes - 1


def format_rows(rows: Sequence[FormRow]) -> str:
    """Return a table of one row a form and distance."""
    head = (
        "against",
        "form",
        "original bytes",
        "stored bytes",
        "ratio",
        "to safetensors",
        f"within {MAX_DISTANCE:.0%}",
    )
    ordered = sorted(rows, key=lambda row: [other.spacing for other in rows].index(row.spacing))
    return format_table(
        head,
        (
            (
                row.spacing,
                row.form,
                f"{row.raw_bytes:,}",
                f"{row.stored_bytes:,}",
                f"{row.ratio:.4f}",
                f"{(distance := compute_distance(row, rows)):+.2%}",
                "yes" if distance <= MAX_DISTANCE else "no",
            )
            for row in ordered
        ),
    )  # fmt: skip


def _measure_form(form: str, spacing: str, folder: Path, base: Path | None, archives: Path) -> FormRow:
    reports = compress_directory(folder, archives, base=base, verify=False)
    verify_directory(folder, archives, base=base)
    return FormRow(
        form,
        spacing,
        sum(report.raw_bytes for report in reports),
        sum(report.stored_bytes for report in reports),
    )


if __name__ == "__main__":
    main()
