"""What becomes a case of a training run: kinds, distances, and what lies in the same file."""

from pathlib import Path

import pytest
from benchmarks.cases.training_run import TrainingRun
from benchmarks.shard import read_tensors

from shards.related import write_related


@pytest.fixture
def run(tmp_path: Path) -> TrainingRun:
    """Give a run of three checkpoints, the last at step 110."""
    for step in (10, 109, 110):
        folder = tmp_path / "run" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        model, optimizer = write_related(folder, step)
        model.rename(folder / "model.safetensors")
        optimizer.rename(folder / "optimizer.safetensors")
    return TrainingRun("a run", tmp_path / "run", "0.99", "flat")


def test_every_kind_meets_every_distance(run: TrainingRun, tmp_path: Path) -> None:
    cases = run.build_cases(tmp_path)
    facts = [(case.facts.dtype, case.facts.kind, case.facts.spacing) for case in cases]
    kinds = [("F32", "weights"), ("F32", "exp_avg"), ("F32", "exp_avg_sq"), ("BF16", "weights")]
    distances = ("100 steps before", "1 step before", "alone")
    assert facts == [(*kind, distance) for kind in kinds for distance in distances]
    assert {(case.facts.data, case.facts.beta2, case.facts.rate_phase) for case in cases} == {
        ("a run", "0.99", "flat")
    }
    assert [case.predecessor_raw is None for case in cases] == [False, False, True] * 4


def test_first_moments_come_in_one_file_with_second_ones(run: TrainingRun, tmp_path: Path) -> None:
    case = next(case for case in run.build_cases(tmp_path) if case.facts.kind == "exp_avg")
    held = read_tensors(case.shard)
    assert {name.split(".")[0] for name in held} == {"exp_avg", "exp_avg_sq"}
    assert case.raw == b"".join(held[tensor.name].data for tensor in case.tensors)
    assert {tensor.name.split(".")[0] for tensor in case.tensors} == {"exp_avg"}
    assert case.predecessor_shard is not None
    assert list(read_tensors(case.predecessor_shard)) == list(held)


def test_a_whole_checkpoint_is_its_two_files(run: TrainingRun) -> None:
    far, _, alone = run.list_wholes()
    assert far.facts.dtype == "BF16+F32"
    assert far.predecessor == run.folder / "checkpoint-10"
    assert alone.predecessor is None
    assert [path.name for path in alone.files] == ["model.safetensors", "optimizer.safetensors"]


def test_timed_are_weights_and_both_moments_against_the_oldest(run: TrainingRun, tmp_path: Path) -> None:
    cases = run.build_speed_cases(tmp_path)
    assert [(case.facts.dtype, case.facts.kind) for case in cases] == [
        ("F32", "weights"),
        ("BF16", "weights"),
        ("F32", "exp_avg + exp_avg_sq"),
    ]
    assert {case.facts.spacing for case in cases} == {"100 steps before"}


def test_a_folder_without_checkpoints_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no <name>-<step> folders"):
        TrainingRun("none", tmp_path, "-", "-").build_cases(tmp_path)
