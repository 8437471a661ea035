"""Megatron's tracker is written last of all; asynchronous saves are complete minutes after their files."""

import pytest

from support.sightings import explain, list_cut_saves, see_directory, see_saving
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.megatron import TRACKER, MegatronLayout
from weightzip.daemon.layouts.names import count_shapes

MEGATRON = MegatronLayout()
NAME = "iter_0000100"
DIST = ("common.pt", "__0_0.distcp", "__0_1.distcp", "__1_0.distcp", ".metadata", "metadata.json")
TORCH = tuple(
    f"mp_rank_{tensor:02d}_{pipeline:03d}/{name}"
    for tensor in range(2)
    for pipeline in range(2)
    for name in ("model_optim_rng.pt", "distrib_optim.pt")
)
ZARR = ("common.pt", "decoder.weight/.zarray", "decoder.weight/0.0", "metadata.json")


def tracked(text: str, *shapes: str) -> Peers:
    return Peers(count_shapes(shapes) if shapes else None, trackers={TRACKER: text})


def test_iterations_and_releases_are_claimed() -> None:
    assert MEGATRON.claims(see_directory(NAME, "a"), frozenset())
    assert MEGATRON.claims(see_directory("release", "a"), frozenset({TRACKER}))
    assert not MEGATRON.claims(see_directory("release", "a"), frozenset())
    assert not MEGATRON.claims(see_directory("iter_0000100.tmp", "a"), frozenset())
    assert MEGATRON.find_step(see_directory(NAME, "a")) == 100


@pytest.mark.parametrize("save", [DIST, TORCH, ZARR])
def test_without_its_tracker_no_silence_is_long_enough(save: tuple[str, ...]) -> None:
    whole = see_saving(NAME, save)
    for text in ("90", "", "release", "1e3", "\u0661\u0660\u0660"):
        reason = explain(MEGATRON, whole, peers=tracked(text, *save))
        assert reason is not None, text
        assert TRACKER in reason
    assert explain(MEGATRON, whole, peers=tracked("100"), patient=False) is None
    assert explain(MEGATRON, see_saving("release", save), peers=tracked("release"), patient=False) is None


def test_a_later_step_in_the_tracker_does_not_excuse_a_save_that_broke_off() -> None:
    for save in (DIST[:-1], TORCH):
        for cut in list_cut_saves(NAME, save):
            assert explain(MEGATRON, cut, peers=tracked("200", *save)) is not None
    assert explain(MEGATRON, see_saving(NAME, DIST), peers=tracked("200")) is None


def test_a_directory_without_tracker_goes_by_its_neighbours() -> None:
    whole = see_saving(NAME, DIST)
    assert explain(MEGATRON, whole, patient=False) is not None
    assert explain(MEGATRON, whole, peers=Peers(count_shapes(DIST)), patient=False) is None


def test_a_rank_of_the_torch_format_is_missed_by_the_names() -> None:
    peers = tracked("100")
    reason = explain(MEGATRON, see_saving(NAME, TORCH[:-1]), peers=peers)
    assert reason == "mp_rank_01_001/distrib_optim.pt is missing"
    assert explain(MEGATRON, see_saving(NAME, TORCH[:-2]), peers=peers) == (
        "3 of 4 mp_rank_* directories are there"
    )


def test_a_directory_that_is_written_again_is_not_complete() -> None:
    again = see_directory(NAME, *DIST, mtimes={"__1_0.distcp": 200})
    assert "written again" in (explain(MEGATRON, again, peers=tracked("100")) or "")
    again = see_directory(NAME, *DIST, mtimes={".metadata": 200})
    assert "metadata.json is older" in (explain(MEGATRON, again, peers=tracked("100")) or "")


def test_a_shard_that_the_metadata_names_is_missed() -> None:
    evidence = Evidence(named={".metadata": frozenset({"__0_0.distcp", "__7_0.distcp"})})
    reason = explain(MEGATRON, see_saving(NAME, DIST), evidence=evidence, peers=tracked("100"))
    assert reason == "__7_0.distcp named by .metadata is missing"
