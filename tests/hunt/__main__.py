"""`python -m hunt`: damage archives at random and decode them.

Exits with 0 only if nothing came of it but errors by name and right bytes. A number is one damaged archive, always the
same one: `--first 300000` goes on where another run ended, `--first N --count 1` repeats what that number did. Needs
the folder `tests` on the path.
"""

import argparse
import os
import time
from collections import Counter
from pathlib import Path
from random import Random

from hunt.forgeries import Forger
from hunt.judge import RIGHT
from hunt.pack import WorkerLost, hunt
from hunt.victims import list_victims
from hunt.worker import Tally

_N_REASONS = 20


def main() -> None:
    """Hunt, print what came of it, and keep the archive that something went wrong with."""
    arguments = _parse_arguments()
    forger = Forger(list_victims())
    begin = time.monotonic()
    numbers = range(arguments.first, arguments.first + arguments.count)
    try:
        tally = hunt(forger, numbers, arguments.jobs)
    except WorkerLost as lost:
        path = _keep_forgery(forger, lost.number, arguments.keep)
        raise SystemExit(f"{lost}; its archive is {path}") from None
    print(f"{len(numbers)} damaged archives in {time.monotonic() - begin:.0f} s")
    print("\n".join(_describe(tally)))
    print("no wrong bytes, no crash, no hang, no foreign exception, no memory beyond its bound")


def _keep_forgery(forger: Forger, number: int, folder: Path) -> Path:
    """Save the archive of a number, with the files that it leans on."""
    forgery = forger.forge(Random(number))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}-{forgery.kind}.wzst"
    path.write_bytes(forgery.archive)
    for place, file in enumerate(forgery.victim.files):
        path.with_suffix(f".base{place}").write_bytes(file.read_at(0, file.size_bytes))
    return path


def _describe(tally: Tally) -> list[str]:
    """Tell how each kind of damage went, and what the decoder of files found most often."""
    lines = []
    for kind, way in sorted({key[:2] for key in tally}):
        n_right = tally[kind, way, RIGHT]
        n_all = sum(count for key, count in tally.items() if key[:2] == (kind, way))
        lines.append(f"  {kind:9} {way:9} {n_all - n_right:8} refused {n_right:8} right")
    reasons: Counter[str] = Counter()
    for (_, way, verdict), count in tally.items():
        if way == "file":
            reasons[verdict] += count
    lines += [f"  {count:8} {verdict}" for verdict, count in reasons.most_common(_N_REASONS)]
    return lines


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hunt", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many archives to damage")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many processes")
    parser.add_argument("--keep", type=Path, default=Path("build/hunt"), help="where to save what goes wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
