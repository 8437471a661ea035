"""DLRover's agent writes other trainers' checkpoints; its tracker alone tells the end."""

from support.sightings import explain, see_directory
from weightzip.daemon.layouts import Peers, assign_layouts, choose_layouts
from weightzip.daemon.layouts.dlrover import TRACKER, DlroverLayout

DLROVER = DlroverLayout()
NAMES = frozenset({TRACKER})
EARLY = ("config.json", "trainer_state.json")
SAVE = (*EARLY, "model.safetensors", "optimizer.pt")


def test_its_tracker_claims_what_others_would() -> None:
    sighting = see_directory("checkpoint-500", *SAVE)
    for names, layout in ((NAMES, "dlrover"), (frozenset[str](), "hf")):
        assert assign_layouts(choose_layouts("auto"), [sighting], names)["checkpoint-500"].name == layout
    for name in ("500", "checkpoint-500", "global_step500", "iter_0000500", "step-500"):
        assert DLROVER.claims(see_directory(name, "a"), NAMES)
        assert DLROVER.find_step(see_directory(name, "a")) == 500
    assert not DLROVER.claims(see_directory("runs", "a"), NAMES)


def test_small_files_that_come_first_are_no_marker() -> None:
    for text in ("400", ""):
        assert explain(
            DLROVER, see_directory("checkpoint-500", *EARLY), peers=Peers(trackers={TRACKER: text})
        )
    whole = see_directory("checkpoint-500", *SAVE)
    assert explain(DLROVER, whole, peers=Peers(trackers={TRACKER: "500"}), patient=False) is None


def test_a_save_that_was_given_up_is_not_excused_by_a_later_one() -> None:
    peers = Peers(newer=(see_directory("checkpoint-600", *SAVE),), trackers={TRACKER: "600"})
    assert explain(DLROVER, see_directory("checkpoint-500", *EARLY), peers=peers) is not None
