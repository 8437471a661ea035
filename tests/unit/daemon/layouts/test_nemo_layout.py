"""NeMo's marker stands beside the checkpoint until every rank is done."""

import pytest

from support.sightings import explain, list_cut_saves, see_directory, see_file, see_saving
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.nemo import NemoLayout

NEMO = NemoLayout()
NAME = "model--val_loss=2.1-step=30-consumed_samples=60.0"
SAVE = (
    "context/model.yaml",
    "weights/common.pt",
    "weights/__0_0.distcp",
    "weights/__1_0.distcp",
    "weights/.metadata",
    "weights/metadata.json",
)


def test_what_is_claimed() -> None:
    assert NEMO.claims(see_directory(NAME, "common.pt"), frozenset())
    assert NEMO.claims(see_directory("last", "weights/common.pt"), frozenset())
    assert NEMO.claims(see_file("model.nemo"), frozenset())
    assert not NEMO.claims(see_file("model.pt"), frozenset())
    assert NEMO.find_step(see_directory(NAME, "a")) == 30


@pytest.mark.parametrize("save", [SAVE, [name.removeprefix("weights/") for name in SAVE[1:]]])
def test_a_save_ends_with_its_metadata(save: list[str]) -> None:
    for cut in list_cut_saves(NAME, save):
        assert explain(NEMO, cut) is not None
    assert explain(NEMO, see_saving(NAME, save), patient=False) is None


@pytest.mark.parametrize("name", [NAME, f"{NAME}-EMA"])
def test_the_marker_beside_it_outlasts_any_silence(name: str) -> None:
    peers = Peers(root_names=frozenset({f"{NAME}-unfinished"}))
    reason = explain(NEMO, see_saving(name, SAVE), peers=peers)
    assert reason == f"{NAME}-unfinished says that the save goes on"


def test_an_archive_shows_its_end_unless_it_is_compressed() -> None:
    assert (
        explain(NEMO, see_file("m.nemo"), evidence=Evidence(proven=frozenset({"."})), patient=False) is None
    )
    assert explain(NEMO, see_file("m.nemo"), patient=False) is not None
    assert explain(NEMO, see_file("m.nemo"), patient=True) is None


def test_a_checkpoint_that_is_written_again_later_is_not_complete() -> None:
    again = see_directory(NAME, *SAVE, mtimes={"weights/__0_0.distcp": 200})
    assert explain(NEMO, again) is not None
