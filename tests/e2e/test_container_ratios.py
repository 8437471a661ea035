"""What containers cost: the same weights and moments in optimizer.pt and in .distcp are as small as in safetensors."""

from pathlib import Path

from benchmarks.containers import MAX_DISTANCE, compute_distance, measure_forms


def test_torch_files_reach_the_ratios_of_safetensors(trained_run: Path, tmp_path: Path) -> None:
    run, work = tmp_path / "run", tmp_path / "work"
    run.mkdir()
    for path in sorted(trained_run.iterdir(), key=lambda path: int(path.name.rpartition("-")[2]))[-2:]:
        (run / path.name).symlink_to(path)
    rows = list(measure_forms(run, work))
    assert [(row.spacing, row.form) for row in rows] == [
        (spacing, form)
        for form in ("safetensors", "optimizer.pt", ".distcp")
        for spacing in ("5 before", "alone")
    ]
    for row in rows:
        assert compute_distance(row, rows) <= MAX_DISTANCE, row
    assert all(row.ratio < 0.9 for row in rows), "nothing was compressed, so nothing was compared"
