"""The picture of the ratios: it is drawn without a screen, and small enough for a repository."""

from pathlib import Path

import pytest
from benchmarks.case import Facts
from benchmarks.plot import plot_ratios
from benchmarks.ratio import RatioRow


def test_a_panel_for_each_set_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    sizes = []
    for n_data in (1, 2):
        rows = [
            RatioRow(Facts(str(data), "F32", "weights"), 1, {"ZipNN": 0.8, "weightzip": 0.7}, {}, target)
            for data in range(n_data)
            for target in (None, 0.6)
        ]
        plot_ratios(rows, tmp_path / "ratio.png")
        content = (tmp_path / "ratio.png").read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 100_000
        sizes.append(int.from_bytes(content[16:20], "big"))
    assert sizes[1] == 2 * sizes[0]
