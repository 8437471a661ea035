"""`python -m support.replaying_trainer SOURCE TARGET`: writes real checkpoints again, slowly, as a trainer would.

Each file is written in pieces under its final name, in the order in which the real trainer wrote it, trackers last; old
checkpoints are rotated away. What is there already is written over in place, into the same inodes, as by a job that was
started again after it died.
"""

import argparse
import shutil
import time
from pathlib import Path

N_PIECES = 3


def main() -> None:
    """Write the checkpoints of SOURCE into TARGET from the first to the last."""
    parser = argparse.ArgumentParser(prog="python -m support.replaying_trainer", description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds after each piece of a file")
    parser.add_argument("--rest", type=float, default=0.0, help="seconds after each checkpoint")
    parser.add_argument("--keep", type=int, default=0, help="checkpoints that rotation leaves; 0 keeps all")
    arguments = parser.parse_args()
    arguments.target.mkdir(exist_ok=True)
    names = [path.name for path in list_written(arguments.source)]
    for position, name in enumerate(names):
        write_slowly(arguments.source / name, arguments.target / name, arguments.pause)
        for tracker in list_trackers(arguments.source):
            (arguments.target / tracker.name).write_text(_name_step(tracker, names, position))
        for old in names[: max(position + 1 - arguments.keep, 0)] if arguments.keep else ():
            if (arguments.target / old).exists():
                _delete_slowly(arguments.target / old, arguments.pause)
        time.sleep(arguments.rest)


def list_written(source: Path) -> list[Path]:
    """Return the checkpoint directories in the order in which they were written."""
    return sorted(
        (path for path in source.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime_ns
    )


def list_trackers(source: Path) -> list[Path]:
    """Return the files beside the checkpoints that name the newest."""
    return sorted(path for path in source.iterdir() if path.is_file())


def write_slowly(source: Path, target: Path, pause: float) -> None:
    """Write the files of a checkpoint in their order, each in pieces."""
    files = sorted(
        (path for path in source.rglob("*") if path.is_file()), key=lambda path: path.stat().st_mtime_ns
    )
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        size = max(-(-len(data) // N_PIECES), 1)
        with place.open("wb") as file:
            for start in range(0, len(data), size):
                file.write(data[start : start + size])
                file.flush()
                time.sleep(pause)


def _name_step(tracker: Path, names: list[str], position: int) -> str:
    """Return what a tracker says when the checkpoint at that position is the newest."""
    return tracker.read_text().replace(_find_number(names[-1]), _find_number(names[position]))


def _find_number(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit()).lstrip("0")


def _delete_slowly(folder: Path, pause: float) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            path.unlink()
            time.sleep(pause)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
