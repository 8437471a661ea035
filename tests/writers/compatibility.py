"""What is proven of each format, as one row a format, and the table in docs/compatibility.md that says so."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass
from pathlib import Path

from support.checkpoints import describe_tree
from weightzip import compress_directory, compress_file, decompress_directory, decompress_file
from weightzip.daemon.layouts.names import read_step
from writers.examine.completeness import examine_completeness
from writers.examine.contents import load_tensors
from writers.examine.ranges import Examined, examine_checkpoint
from writers.examine.relations import Count, count_joined, count_masters, count_moments
from writers.formats import FORMATS, Format

DOCUMENT = Path(__file__).parents[2] / "docs" / "compatibility.md"
N_CUTS = 200
HEAD = (
    "format",
    "layout",
    "ranges",
    "names",
    "moments",
    "masters",
    "whole",
    "cut",
    "missing",
    "restored",
    "loads",
)


@dataclass(frozen=True)
class Row:
    """One format, in words."""

    title: str
    layout: str
    ranges: str
    names: str
    moments: str
    masters: str
    whole: str
    cut: str
    missing: str
    restored: str
    loads: str

    def format(self) -> str:
        """Return the row of the table."""
        return f"| {' | '.join(astuple(self))} |"


def examine_format(one: Format, written: Path, work: Path) -> Row:
    """Try everything on the checkpoints of one format. `work` is an empty folder."""
    watched = written / one.watched
    checkpoints = list_checkpoints(watched)
    before, after = checkpoints[-2:]
    examined = [examine_checkpoint(path) for path in (before, after)]
    for checkpoint in examined:
        assert not checkpoint.strangers, f"{checkpoint.path}: {checkpoint.strangers[0]}"
    completeness = examine_completeness(watched, [path.name for path in checkpoints], work, N_CUTS)
    restored = restore(before, after, work)
    return Row(
        title=one.title,
        layout=completeness.layout,
        ranges=_describe_share(examined[1]),
        names=str(count_joined(*examined)),
        moments=str(count_moments(examined[1])),
        masters=str(count_masters(examined[1])),
        whole=completeness.whole_after,
        cut=str(completeness.cut),
        missing=str(completeness.missing),
        restored=_say(describe_tree(restored) == describe_tree(after)),
        loads=_say(_have_equal_tensors(restored, after)),
    )


def list_checkpoints(watched: Path) -> list[Path]:
    """Return the checkpoints in the order in which they were written; trackers and links are none."""
    found = [
        path
        for path in watched.iterdir()
        if not path.is_symlink() and (path.is_dir() or path.suffix != ".txt")
    ]
    named = [path for path in found if any(letter.isdigit() for letter in path.name)]
    # As the store has them: tiny models are saved several times within a tick of the clock.
    return sorted(named, key=lambda path: (int(path.stat().st_mtime), read_step(path.name) or 0))


def restore(before: Path, after: Path, work: Path) -> Path:
    """Compress a checkpoint against its predecessor, prove it, and return where it was restored to."""
    archives, restored = work / "archives", work / "restored"
    if after.is_dir():
        compress_directory(after, archives, base=before, n_threads=1)
        decompress_directory(archives, restored, base=before, n_threads=1)
    else:
        archives.mkdir()
        restored = work / after.name
        compress_file(after, archives / f"{after.name}.wzst", base=before, n_threads=1)
        decompress_file(archives / f"{after.name}.wzst", restored, base=before, n_threads=1)
    return restored


def format_table(rows: list[Row]) -> str:
    """Return the table in Markdown."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}", *(row.format() for row in rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Let everything be written, try it, and put the table into the document."""
    parser = argparse.ArgumentParser(prog="python -m writers.compatibility", description=__doc__)
    parser.add_argument("--written", type=Path, help="what `python -m writers` wrote before")
    parser.add_argument("--only", action="append", help="name of a format (repeatable); prints only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        written = arguments.written or Path(folder) / "written"
        if arguments.written is None:
            subprocess.run([sys.executable, "-m", "writers", written], check=True)
        rows = []
        for name in arguments.only or FORMATS:
            work = Path(folder) / name
            work.mkdir()
            rows.append(examine_format(FORMATS[name], written / name, work))
            print(rows[-1].format(), flush=True)
            shutil.rmtree(work)
    if not arguments.only:
        head, _, tail = DOCUMENT.read_text().partition(f"| {HEAD[0]} |")
        rest = tail.partition("\n\n")[2]
        DOCUMENT.write_text(f"{head}{format_table(rows)}\n{rest}")


def _describe_share(examined: Examined) -> str:
    share = Count(examined.range_bytes, examined.storage_bytes)
    if share.n_found == 0:
        return "none"
    return "all" if share.n_found == share.n_all else f"{share.n_found / share.n_all:.1%}"


def _have_equal_tensors(first: Path, second: Path) -> bool:
    loaded, expected = load_tensors(first), load_tensors(second)
    return list(loaded) == list(expected) and all(
        tensor.dtype == expected[key].dtype and tensor.equal(expected[key]) for key, tensor in loaded.items()
    )


def _say(good: bool) -> str:
    return "yes" if good else "no"


if __name__ == "__main__":
    main()
