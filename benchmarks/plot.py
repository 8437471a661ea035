"""The ratio table as a picture: bars a row, ours beside the rivals', and the target as a tick."""

import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from benchmarks.ratio import BEST_PEERS, RatioRow
from benchmarks.rivals.names import OURS, ZIPNN, ZIPNN_ON_XOR
from benchmarks.rivals.xor_planes import NAME as XOR_PLANES

_BARS = (
    (OURS, (OURS,), "#1b7f5c"),
    ("ZipNN, alone or on XOR, whichever is smaller", (ZIPNN, ZIPNN_ON_XOR), "#8d99a6"),
    (XOR_PLANES, (XOR_PLANES,), "#c3cad1"),
    (BEST_PEERS, (BEST_PEERS,), "#59636e"),
)
_BAR_HEIGHT = 0.27
_ROW_INCHES = 0.42
_PANEL_INCHES = 5.2


def plot_ratios(rows: Sequence[RatioRow], path: Path) -> None:
    """Write a PNG of stored / original size, a panel for each set of data."""
    panels = [[row for row in rows if row.facts.data == data] for data in _list_data(rows)]
    n_rows = max(map(len, panels))
    figure = Figure(figsize=(_PANEL_INCHES * len(panels), _ROW_INCHES * n_rows + 1.2), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _draw_panel(axes, panel)
        axes.set_ylim(n_rows - 0.5, -0.6)
    handles, labels = figure.axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle("Stored / original size (smaller is better)")
    _save_with_palette(figure, path)


def _list_data(rows: Sequence[RatioRow]) -> list[str]:
    return list(dict.fromkeys(row.facts.data for row in rows))


def _save_with_palette(figure: Figure, path: Path) -> None:
    """Write a third of the bytes that colours in full would take: the picture lies in the repository."""
    FigureCanvasAgg(figure)
    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=90)
    with Image.open(pixels) as image:
        image.convert("RGB").quantize(32).save(path, optimize=True)


def _draw_panel(axes: Axes, rows: Sequence[RatioRow]) -> None:
    for name, sources, colour in _BARS:
        found = [(place, min(ratios)) for place, ratios in _find(rows, sources) if ratios]
        offset = -_BAR_HEIGHT if name == OURS else _BAR_HEIGHT * (sources[0] == XOR_PLANES)
        bars = axes.barh(
            [place + offset for place, _ in found],
            [ratio for _, ratio in found],
            _BAR_HEIGHT,
            color=colour,
            label=name,
        )
        if name == OURS:
            axes.bar_label(bars, fmt="%.3f", padding=3, fontsize=8)
    targets = [(place, row.target) for place, row in enumerate(rows) if row.target is not None]
    axes.plot(
        [target for _, target in targets],
        [place - _BAR_HEIGHT for place, _ in targets],
        "|",
        color="black",
        markersize=9,
        label="target",
    )
    axes.set_yticks(range(len(rows)), [_label(row) for row in rows], fontsize=8)
    axes.set_xlim(0, 1)
    axes.set_title(rows[0].facts.data)
    axes.spines[["top", "right"]].set_visible(False)


def _find(rows: Sequence[RatioRow], sources: Sequence[str]) -> list[tuple[int, list[float]]]:
    return [
        (place, [row.ratios[source] for source in sources if source in row.ratios])
        for place, row in enumerate(rows)
    ]


def _label(row: RatioRow) -> str:
    return f"{row.facts.dtype} {row.facts.kind}\n{row.facts.spacing}"
