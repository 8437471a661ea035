"""The plots of the page, as inline SVG: bars with words beside them, so that no colour carries meaning alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from weightzip.cli.bench_text import format_speed
from weightzip.cli.html.markup import element, escape_text
from weightzip.cli.output import format_bytes, format_ratio
from weightzip.files.bench import FileResult, KindResult

MAX_SPEED_FILES = 12
LEAST_SPEED_BYTES = 1_000_000  # what takes less than a millisecond tells nothing of speed

_WIDTH = 880
_LABEL_WIDTH = 200
_NOTE_WIDTH = 250
_MARGIN = 6  # below the last bar: its words are a little higher than itself
_TRACK_WIDTH = _WIDTH - _LABEL_WIDTH - _NOTE_WIDTH
_MAX_LABEL_LETTERS = 28
_LEAST_SHARE = 0.001  # of all original bytes: what is less has no bar that anyone could see


@dataclass(frozen=True)
class _Bar:
    """A bar of some share (0 to 1) of the track, in the colour of a class of the style sheet."""

    share: float
    class_: str


@dataclass(frozen=True)
class _Row:
    """A label, bars one upon the other at the same start, and a note behind them."""

    label: str
    bars: tuple[_Bar, ...]
    note: str


def plot_kinds(kinds: Sequence[KindResult]) -> str:
    """Return a bar a kind: as long as its original bytes, filled as far as they are stored."""
    all_bytes = sum(kind.raw_bytes for kind in kinds)
    shown = [kind for kind in kinds if kind.raw_bytes > _LEAST_SHARE * all_bytes]
    longest = max((max(kind.raw_bytes, kind.stored_bytes) for kind in shown), default=1)
    rows = [
        _Row(
            f"{result.kind.role} {result.kind.dtype}".removesuffix(" -"),
            (_Bar(result.raw_bytes / longest, "raw"), _Bar(result.stored_bytes / longest, "stored")),
            f"{format_ratio(result.stored_bytes, result.raw_bytes)}  "
            f"({format_bytes(result.stored_bytes)} of {format_bytes(result.raw_bytes)})",
        )
        for result in shown
    ]
    return _draw(rows, "Stored bytes of each kind of tensor, beside its original bytes", [10] * len(rows), 22)


def plot_speeds(files: Sequence[FileResult]) -> str:
    """Return two bars a file, for the largest files: how fast it is encoded and decoded."""
    large = [file for file in files if file.raw_bytes >= LEAST_SPEED_BYTES]
    shown = sorted(large, key=lambda file: -file.raw_bytes)[:MAX_SPEED_FILES]
    speeds = [timing.gb_per_second or 0.0 for file in shown for timing in (file.encode, file.decode)]
    fastest = max(speeds, default=1.0)
    rows = []
    for file in shown:
        for label, timing, action in ((file.source.name, file.encode, "encode"), ("", file.decode, "decode")):
            bar = _Bar((timing.gb_per_second or 0.0) / fastest, action)
            rows.append(_Row(label, (bar,), f"{action} {format_speed(timing)}"))
    return _draw(rows, "Speed of encoding and decoding each file", [12, 3] * len(shown), 14)


def _draw(rows: Sequence[_Row], title: str, gaps: Sequence[int], bar_height: int) -> str:
    """Return the plot, nothing for no rows. `gaps` is the room above each row."""
    if not rows:
        return ""
    drawn, top = [], 0
    for row, gap in zip(rows, gaps, strict=True):
        top += gap
        drawn.append(_draw_row(row, top, bar_height))
        top += bar_height
    box = f"0 0 {_WIDTH} {top + _MARGIN}"
    plot = element("svg", element("title", escape_text(title)), *drawn, viewBox=box, role="img")
    return element("div", plot, class_="scroll")


def _draw_row(row: _Row, top: float, height: float) -> str:
    middle = top + height / 2
    label = element("text", escape_text(_shorten(row.label)), x=_LABEL_WIDTH - 12, y=middle, class_="label")
    bars = "".join(
        element(
            "rect",
            x=_LABEL_WIDTH,
            y=top,
            width=_TRACK_WIDTH * bar.share,
            height=height,
            rx=2,
            class_=bar.class_,
        )
        for bar in row.bars
    )
    end = _LABEL_WIDTH + _TRACK_WIDTH * max(bar.share for bar in row.bars)
    return label + bars + element("text", escape_text(row.note), x=end + 10, y=middle, class_="note")


def _shorten(label: str) -> str:
    """Return the end of a label that is too long: file names of a checkpoint begin alike."""
    return label if len(label) <= _MAX_LABEL_LETTERS else "…" + label[1 - _MAX_LABEL_LETTERS :]
