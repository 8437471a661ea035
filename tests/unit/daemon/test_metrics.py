"""One table of metrics: conventions hold, every series exists from the start, promtool has nothing to say."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from weightzip.daemon.metrics import TABLE, Metrics, render_metric_table


def test_every_row_has_an_attribute_and_every_attribute_a_row() -> None:
    metrics = Metrics("main")
    names = {row.name for row in TABLE}
    assert len(names) == len(TABLE)
    assert set(Metrics.__annotations__) == names
    assert all(hasattr(metrics, name) for name in names)


def test_every_series_exists_before_anything_happened() -> None:
    registry = Metrics("main").registry
    for row in TABLE:
        suffix = {"counter": "_total", "histogram": "_count", "gauge": ""}[row.kind]
        for value in row.values or ("",):
            labels = {"source": "main", **({row.label: value} if row.label else {})}
            assert registry.get_sample_value(f"weightzip_{row.name}{suffix}", labels) == 0, (row.name, value)


def test_help_is_a_sentence_and_times_are_timestamps() -> None:
    for row in TABLE:
        assert row.help.endswith("."), row.name
        assert "_age" not in row.name


def test_the_version_is_told() -> None:
    assert b"weightzip_build_info{version=" in Metrics("main").render()


def test_an_unknown_label_value_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        Metrics("main").checkpoints.labels("unheard of")


def test_promtool_finds_nothing() -> None:
    promtool = shutil.which("promtool") or shutil.which("promtool", path=str(Path(sys.executable).parent))
    assert promtool is not None, "`make test` brings promtool; or install the package prometheus"
    checked = subprocess.run(
        [promtool, "check", "metrics"], input=Metrics("main").render(), capture_output=True, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_the_document_lists_exactly_these_metrics() -> None:
    text = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    listed = text.partition("<!-- metrics: begin -->\n")[2].partition("\n<!-- metrics: end -->")[0]
    assert listed == render_metric_table(), (
        "copy the output of weightzip.daemon.metrics.render_metric_table()"
    )
