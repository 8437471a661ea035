"""When a Hugging Face Trainer directory is complete: pure decisions over names, times and small documents."""

from collections import Counter

import pytest

from support.sightings import see_directory, see_file
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.expected import find_missing_file
from weightzip.daemon.layouts.hf import HfLayout
from weightzip.daemon.layouts.names import count_shapes

HF = HfLayout()
NAMES: frozenset[str] = frozenset()
COMPLETE = ("config.json", "model.safetensors", "optimizer.pt", "rng_state.pth", "trainer_state.json")
STATE = Evidence(documents={"trainer_state.json": {"global_step": 500}})


def test_only_numbered_checkpoint_directories_are_claimed() -> None:
    assert HF.claims(see_directory("checkpoint-500", "a"), NAMES)
    assert not HF.claims(see_directory("checkpoint-500x", "a"), NAMES)
    assert not HF.claims(see_directory("tmp-checkpoint-500", "a"), NAMES)
    assert not HF.claims(see_file("checkpoint-500"), NAMES)
    assert HF.find_step(see_directory("checkpoint-500", "a")) == 500


def test_a_whole_directory_is_complete() -> None:
    sighting = see_directory("checkpoint-500", *COMPLETE)
    assert find_missing_file(sighting, STATE) is None
    assert HF.find_unmarked(sighting, STATE, Peers(), patient=False) is None


@pytest.mark.parametrize(
    ("paths", "documents", "reason"),
    [
        ((*COMPLETE, "checkpoint-is-incomplete.txt"), {}, "checkpoint-is-incomplete.txt"),
        ((*COMPLETE, "model.safetensors.index.json"), {"model.safetensors.index.json": {"weight_map": {"w": "x.safetensors"}}}, "x.safetensors named by"),
        ((*COMPLETE, "model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"), {}, "model-00002-of-00003.safetensors is missing"),
        ((*COMPLETE, "rng_state_0.pth"), {}, "rng_state_1.pth is missing"),
        ((*COMPLETE, "rng_state_0.pth", "rng_state_2.pth"), {}, "rng_state_1.pth is missing"),
        ((), {}, "no file yet"),
    ],
)  # fmt: skip
def test_what_the_expected_set_lacks_is_named(
    paths: tuple[str, ...], documents: dict[str, object], reason: str
) -> None:
    missing = find_missing_file(see_directory("checkpoint-500", *paths), Evidence(documents=documents))
    assert missing is not None
    assert reason in missing


def test_an_index_in_a_folder_names_files_of_that_folder() -> None:
    document = {"sub/m.safetensors.index.json": {"weight_map": {"w": "a.safetensors"}}}
    sighting = see_directory("checkpoint-500", "sub/m.safetensors.index.json", "sub/a.safetensors")
    assert find_missing_file(sighting, Evidence(documents=document)) is None


def test_a_marker_of_another_step_waits_for_patience() -> None:
    sighting = see_directory("checkpoint-500", *COMPLETE)
    evidence = Evidence(documents={"trainer_state.json": {"global_step": 400}})
    reason = HF.find_unmarked(sighting, evidence, Peers(), patient=False)
    assert reason is not None
    assert "step 400" in reason
    assert HF.find_unmarked(sighting, evidence, Peers(), patient=True) is None


def test_weights_newer_than_the_marker_mean_that_it_is_written_again() -> None:
    sighting = see_directory("checkpoint-500", *COMPLETE, mtimes={"model.safetensors": 200})
    reason = HF.find_unmarked(sighting, STATE, Peers(), patient=False)
    assert reason is not None
    assert "written again" in reason


def test_other_ranks_may_write_after_the_marker() -> None:
    paths = (*COMPLETE[:3], "rng_state_0.pth", "rng_state_1.pth", "trainer_state.json")
    sighting = see_directory("checkpoint-500", *paths, mtimes={"rng_state_1.pth": 200})
    assert HF.find_unmarked(sighting, STATE, Peers(), patient=False) is None


def test_a_rank_that_the_predecessor_had_is_missed() -> None:
    before = count_shapes(
        [*COMPLETE[:3], "rng_state_0.pth", "rng_state_1.pth", "rng_state_2.pth", "trainer_state.json"]
    )
    sighting = see_directory(
        "checkpoint-500", *COMPLETE[:3], "rng_state_0.pth", "rng_state_1.pth", "trainer_state.json"
    )
    reason = HF.find_unmarked(sighting, STATE, Peers(before), patient=True)
    assert reason is not None
    assert "rng_state_#.pth" in reason


def test_without_its_marker_silence_proves_nothing() -> None:
    sighting = see_directory("checkpoint-500", "config.json", "model.safetensors")
    reason = HF.find_unmarked(sighting, Evidence(), Peers(), patient=True)
    assert reason is not None
    assert "trainer_state.json is missing" in reason


def test_a_trainer_without_marker_is_recognised_by_its_second_checkpoint() -> None:
    first = see_directory("checkpoint-500", "config.json", "model.safetensors")
    second = see_directory("checkpoint-600", "config.json", "model.safetensors")
    assert HF.find_unmarked(first, Evidence(), Peers(newer=(second,)), patient=False) is None
    assert HF.find_unmarked(second, Evidence(), Peers(count_shapes(first.paths)), patient=False) is None


def test_a_crashed_save_is_not_excused_by_a_later_whole_one() -> None:
    crashed = see_directory("checkpoint-500", "config.json", "model.safetensors")
    later = see_directory("checkpoint-600", *COMPLETE)
    for peers in (Peers(newer=(later,)), Peers(count_shapes(COMPLETE), (later,)), Peers(Counter())):
        assert HF.find_unmarked(crashed, Evidence(), peers, patient=True) is not None
