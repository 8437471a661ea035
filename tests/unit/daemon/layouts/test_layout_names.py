"""What names say about steps, families and temporary files."""

import pytest

from weightzip.daemon.layouts.names import is_shard_name, is_temporary, read_step, strip_numbers


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("checkpoint-500", 500),
        ("epoch=1-step=200.ckpt", 200),
        ("epoch=1-step=200-v1.ckpt", 200),
        ("iter_0000100", 100),
        ("global_step42", 42),
        ("step-7", 7),
        ("run2_checkpoint_12.pt", 12),
        ("last.ckpt", None),
        ("model.safetensors", None),
        ("x9999999999999999", None),
    ],
)
def test_the_step_is_read_from_the_name(name: str, step: int | None) -> None:
    assert read_step(name) == step


def test_names_without_numbers_compare_equal() -> None:
    assert strip_numbers("global_step500/mp_rank_00.pt") == strip_numbers("global_step1000/mp_rank_11.pt")


@pytest.mark.parametrize(
    "name",
    [
        ".tmpAb3",
        "x.tmp",
        "model.part",
        "tmp-checkpoint-5",
        ".nfs0001",
        "5.orbax-checkpoint-tmp-1",
        ".weightzip-restore-1",
    ],
)
def test_names_that_writers_use_before_they_rename(name: str) -> None:
    assert is_temporary(name)


@pytest.mark.parametrize("name", ["checkpoint-5", "model.safetensors", "tmp.safetensors", "temporary.pt"])
def test_names_of_finished_files_are_not_temporary(name: str) -> None:
    assert not is_temporary(name)


def test_endings_of_shards() -> None:
    assert is_shard_name("a.safetensors")
    assert is_shard_name("b.c.pt")
    assert not is_shard_name(".pt")
    assert not is_shard_name("events.out.tfevents")
