"""Sizes of cases and checkpoints: what is counted for whom."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmarks.case import Facts, WholeCheckpoint, build_case
from benchmarks.ratio import BEST_PEERS, RatioRow, measure_ratios, measure_wholes, share_archive
from benchmarks.rivals.memcpy import Memcpy
from benchmarks.shard import read_tensors

from shards.related import write_related
from weightzip import compress_file
from weightzip.files.bench.kinds import Part
from weightzip.files.bench.report import Kind

KIND = Kind("weights", "F32")
FACTS = Facts("data", "F32", "weights")


def _part(name: str | None, raw_bytes: int, stored_bytes: int) -> Part:
    return Part(name, KIND, (), raw_bytes, stored_bytes)


def _row(kind: str, n_bytes: int, ratios: Mapping[str, float], spacing: str = "alone") -> RatioRow:
    return RatioRow(Facts("data", "F32", kind, spacing=spacing), n_bytes, ratios, {}, None)


def test_what_belongs_to_no_tensor_is_shared_by_original_bytes() -> None:
    parts = [_part(None, 50, 20), _part("a", 100, 60), _part("b", 300, 90)]
    assert share_archive(parts, 210, frozenset({"a"})) == pytest.approx(60 + 60 / 4)
    assert share_archive(parts, 210, frozenset({"a", "b"})) == 210


def test_the_shares_of_an_archive_are_all_of_it(tmp_path: Path) -> None:
    _, optimizer = write_related(tmp_path, 1)
    tensors = read_tensors(optimizer)
    masters = {name: tensor for name, tensor in tensors.items() if name.startswith("fp32_param.")}
    moments = {name: tensor for name, tensor in tensors.items() if name not in masters}
    cases = [
        build_case(tmp_path, FACTS, *pair) for pair in ((masters, None, moments), (moments, None, masters))
    ]
    rows = measure_ratios(cases, [Memcpy()], tmp_path)
    stored = sum(row.ratios["weightzip"] * row.n_bytes for row in rows)
    assert [row.ratios["memcpy"] for row in rows] == [1, 1]
    assert stored == pytest.approx(
        compress_file(cases[1].shard, tmp_path / "all", force=True).stored_bytes, rel=0.01
    )


def test_each_kind_of_a_checkpoint_goes_to_its_best_rival(tmp_path: Path) -> None:
    _, optimizer = write_related(tmp_path, 1)
    rows = [
        _row("a", 100, {"x": 0.5, "y": 0.9, "weightzip": 0.1}),
        _row("b", 300, {"x": 0.8, "y": 0.7, "weightzip": 0.1}),
        _row("b", 300, {"x": 0.1, "weightzip": 0.1}, spacing="1 step before"),
    ]
    (row,) = measure_wholes([WholeCheckpoint(FACTS, (optimizer,), None)], rows, tmp_path)
    assert row.ratios[BEST_PEERS] == pytest.approx((50 + 210) / 400)


def test_a_copy_in_a_checkpoint_costs_next_to_nothing(tmp_path: Path) -> None:
    model, optimizer = write_related(tmp_path, 1)
    rows = [_row("a", 100, {"x": 1, "weightzip": 1})]
    whole, alone = measure_wholes(
        [WholeCheckpoint(FACTS, files, None) for files in ((model, optimizer), (optimizer,))], rows, tmp_path
    )
    stored = [row.ratios["weightzip"] * row.n_bytes for row in (whole, alone)]
    assert whole.n_bytes - alone.n_bytes == model.stat().st_size
    assert stored[0] - stored[1] < 0.02 * model.stat().st_size
