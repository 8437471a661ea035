"""What the command line prints: results, tables, progress. Nothing here decides anything.

The standard output carries data only: tables, JSON, bytes of `-`. All that is said to a person goes to the standard
error, and moves only on a terminal.
"""

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from weightzip.cli.streams import escape_controls, standard_output
from weightzip.errors import UsageError

Progress = Callable[[int, int], None]


def say(message: str) -> None:
    """Print a line for a person."""
    print(escape_controls(message), file=sys.stderr)


class Speaker:
    """Tells of results as the options want it: in words, as JSON, or not at all."""

    def __init__(self, *, quiet: bool, json: bool) -> None:
        self._quiet = quiet
        self._json = json

    def leave_output_to_data(self) -> None:
        """Raise UsageError if JSON and bytes of `-` would go into the same standard output."""
        if self._json:
            raise UsageError("--json and the target - both need the standard output: leave out one of them")

    def say(self, message: str) -> None:
        """Print a line for a person, unless nobody wants it."""
        if not (self._quiet or self._json):
            say(message)

    def report(self, result: Any, message: str) -> None:
        """Print a result, as JSON or in these words."""
        if self._json:
            print_json(result)
        else:
            self.say(message)

    def show_progress(self, label: str) -> AbstractContextManager[Progress | None]:
        """Return what yields a progress callback, as the function show_progress does."""
        return show_progress(label, quiet=self._quiet or self._json)


def print_json(result: Any) -> None:
    """Print a dataclass or a mapping as one JSON object on one line."""
    plain = result if isinstance(result, Mapping) else dataclasses.asdict(result)
    with standard_output() as stream:
        print(json.dumps(plain, default=_to_plain), file=stream)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows as a table on a terminal, as tab-separated lines elsewhere. Text stands left, numbers right."""
    with standard_output() as stream:
        if not stream.isatty():
            for row in (columns, *rows):
                print("\t".join(map(escape_controls, row)), file=stream)
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(title=_show_literally(title), title_justify="left")
        for column in columns:
            table.add_column(column, justify="left" if column in _TEXT_COLUMNS else "right", overflow="fold")
        for row in rows:
            table.add_row(*map(_show_literally, row))
        Console(file=stream).print(table)


@contextmanager
def show_progress(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """Yield a progress callback that draws a bar, None where there is no terminal or `quiet` is set."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(_show_literally(label), total=None)
        yield lambda done_bytes, total_bytes: bars.update(task, completed=done_bytes, total=total_bytes)


def format_bytes(n_bytes: float) -> str:
    """Return a size in decimal units with three digits, such as "4.51 MB"."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if n_bytes < 999.5 or unit == "TB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.3g} {unit}"


def describe_sizes(raw_bytes: int, stored_bytes: int) -> str:
    """Return what became of a size, such as "4.51 MB -> 3 MB (0.665)"."""
    sizes = f"{format_bytes(raw_bytes)} -> {format_bytes(stored_bytes)}"
    return f"{sizes} ({format_ratio(stored_bytes, raw_bytes)})"


def format_count(n: int, noun: str) -> str:
    """Return a count with its noun, such as "1 checkpoint" or "2 checkpoints"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def format_ratio(stored_bytes: int, raw_bytes: int) -> str:
    """Return stored / raw with three decimals, a dash for nothing."""
    return f"{stored_bytes / raw_bytes:.3f}" if raw_bytes else "-"


_TEXT_COLUMNS = {
    "tensor",
    "dtype",
    "shape",
    "recipe",
    "path",
    "against",
    "name",
    "saved",
    "kind",
    "state",
    "detail",
    "digest",
}


def _show_literally(text: str) -> str:
    """Return text in the form that rich shows as it is, brackets included."""
    from rich.markup import escape

    return escape(escape_controls(text))


def _to_plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Enum):
        return value.name
    raise TypeError(f"no JSON form for {type(value).__name__}")
