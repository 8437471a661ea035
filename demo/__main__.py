"""`python -m demo`: exits with 0 only if the losses and every restored file were the same."""

import argparse
import os
import shlex
import shutil
from pathlib import Path

from rich.console import Console

from demo.processes import WEIGHTZIP
from demo.story import Script, Story

MARK = ".weightzip-demo"


def main() -> None:
    """Play the demonstration."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("demo-run"), help="emptied first")
    parser.add_argument("--steps", type=int, default=210)
    parser.add_argument("--save-every", type=int, default=30)
    parser.add_argument(
        "--kill-at", type=int, default=135, help="the step after which all but the store is lost"
    )
    arguments = parser.parse_args()
    folder = _empty_folder(arguments.folder.absolute())
    console = Console()
    story = Story(folder, Script(arguments.steps, arguments.save_every, arguments.kill_at), console)
    try:
        identical = story.play()
    finally:
        story.end()
    if not identical:
        raise SystemExit("something did not come back the same")
    console.print("Everything came back identical.", style="bold green")
    store = shlex.quote(os.path.relpath(folder / "store"))
    look = f"{shlex.quote(os.path.relpath(WEIGHTZIP))} list {store}"
    console.print(f"Look around in {folder}, say with: {look}", highlight=False, soft_wrap=True)


def _empty_folder(folder: Path) -> Path:
    """Return `folder`, empty but for a mark; refuses to empty one that an earlier demonstration did not make."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise SystemExit(f"{folder} is not empty and not ours: choose another with --folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    return folder


if __name__ == "__main__":
    main()
