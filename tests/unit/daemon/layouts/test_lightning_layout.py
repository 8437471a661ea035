"""Lightning's files show their end; in its directories `meta.pt` is written last."""

from support.sightings import explain, list_cut_saves, see_directory, see_file, see_saving
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.lightning import LightningLayout

LIGHTNING = LightningLayout()
NAME = "epoch=1-step=20.ckpt"
SAVE = ("__0_0.distcp", "__1_0.distcp", ".metadata", "meta.pt")
DEEPSPEED = (
    "checkpoint/mp_rank_00_model_states.pt",
    "checkpoint/zero_pp_rank_0_mp_rank_00_optim_states.pt",
    "latest",
)


def test_the_ending_tells() -> None:
    assert LIGHTNING.claims(see_file("last.ckpt"), frozenset())
    assert LIGHTNING.claims(see_directory(NAME, "a"), frozenset())
    assert not LIGHTNING.claims(see_file("model.pt"), frozenset())
    assert LIGHTNING.find_step(see_file(NAME)) == 20
    assert LIGHTNING.find_step(see_file("last.ckpt", mtime_ns=7 * 10**9)) == 7


def test_a_file_whose_end_shows_is_complete() -> None:
    proven = Evidence(proven=frozenset({"."}))
    assert explain(LIGHTNING, see_file(NAME), evidence=proven, patient=False) is None
    assert explain(LIGHTNING, see_file(NAME), patient=False) is not None


def test_a_directory_of_shards_ends_with_its_marker() -> None:
    for cut in list_cut_saves(NAME, SAVE):
        assert explain(LIGHTNING, cut) is not None
    assert explain(LIGHTNING, see_saving(NAME, SAVE), patient=False) is None
    again = see_directory(NAME, *SAVE, mtimes={".metadata": 150, "meta.pt": 120})
    assert (
        explain(LIGHTNING, again) == ".metadata is newer than meta.pt: the directory is being written again"
    )


def test_deepspeed_inside_has_no_marker() -> None:
    assert explain(LIGHTNING, see_saving(NAME, DEEPSPEED), patient=False) is not None
    assert explain(LIGHTNING, see_saving(NAME, DEEPSPEED), patient=True) is None
    assert explain(LIGHTNING, see_saving(NAME, DEEPSPEED[1:])) is not None


def test_a_marker_beside_it_keeps_it_waiting() -> None:
    peers = Peers(root_names=frozenset({"epoch=1-step=20-unfinished"}))
    proven = Evidence(proven=frozenset({"."}))
    assert explain(LIGHTNING, see_file(NAME), evidence=proven, peers=peers) is not None
    assert explain(LIGHTNING, see_file("epoch=1-step=200.ckpt"), evidence=proven, peers=peers) is None
