"""Accelerate writes no marker: the last file, its ranks and its neighbours must tell."""

import pytest

from support.sightings import explain, list_cut_saves, see_directory, see_saving
from weightzip.daemon.layouts import Peers
from weightzip.daemon.layouts.accelerate import AccelerateLayout
from weightzip.daemon.layouts.names import count_shapes

ACCELERATE = AccelerateLayout()
NAMES: frozenset[str] = frozenset()
SAVE = ("model.safetensors", "optimizer.bin", "scheduler.bin", "sampler.bin", "random_states_0.pkl")
FSDP = (
    "pytorch_model_fsdp_0/__0_0.distcp",
    "pytorch_model_fsdp_0/__1_0.distcp",
    "pytorch_model_fsdp_0/.metadata",
    "optimizer_0/__0_0.distcp",
    "optimizer_0/__1_0.distcp",
    "optimizer_0/.metadata",
    "random_states_1.pkl",
    "random_states_0.pkl",
)


def test_only_automatic_names_are_claimed() -> None:
    assert ACCELERATE.claims(see_directory("checkpoint_3", "a"), NAMES)
    assert not ACCELERATE.claims(see_directory("checkpoint-3", "a"), NAMES)
    assert ACCELERATE.find_step(see_directory("checkpoint_3", "a")) == 3


@pytest.mark.parametrize("save", [SAVE, FSDP])
def test_no_part_of_a_save_is_complete_however_long_it_is_quiet(save: tuple[str, ...]) -> None:
    for cut in list_cut_saves("checkpoint_1", save):
        assert explain(ACCELERATE, cut) is not None
        assert explain(ACCELERATE, cut, peers=Peers(count_shapes(save))) is not None
    whole = see_saving("checkpoint_1", save)
    assert explain(ACCELERATE, whole) is None
    assert explain(ACCELERATE, whole, patient=False) is not None
    assert explain(ACCELERATE, whole, peers=Peers(count_shapes(save)), patient=False) is None


def test_custom_objects_come_after_the_random_states_and_are_missed_by_the_predecessor() -> None:
    before = count_shapes([*SAVE, "custom_checkpoint_0.pkl"])
    reason = explain(ACCELERATE, see_saving("checkpoint_1", SAVE), peers=Peers(before))
    assert reason == "custom_checkpoint_#.pkl of the predecessor is missing"


def test_fewer_ranks_after_a_restart_are_accepted_with_the_second_checkpoint() -> None:
    before = count_shapes([*SAVE, "random_states_1.pkl"])
    first, second = see_saving("checkpoint_5", SAVE), see_saving("checkpoint_6", SAVE)
    assert explain(ACCELERATE, first, peers=Peers(before)) is not None
    assert explain(ACCELERATE, first, peers=Peers(before, newer=(second,))) is None


def test_unsharded_files_of_ranks_are_counted() -> None:
    files = ("pytorch_model_fsdp_0_rank0.bin", "pytorch_model_fsdp_0_rank2.bin", "random_states_0.pkl")
    reason = explain(ACCELERATE, see_directory("checkpoint_0", *files))
    assert reason == "pytorch_model_fsdp_0_rank1.bin is missing"
