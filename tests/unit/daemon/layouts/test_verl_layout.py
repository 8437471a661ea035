"""verl's files say how many ranks there are; its tracker may never come."""

from support.sightings import explain, see_directory
from weightzip.daemon.layouts import Peers
from weightzip.daemon.layouts.names import count_shapes
from weightzip.daemon.layouts.verl import TRACKER, VerlLayout

VERL = VerlLayout()
SAVE = tuple(
    f"actor/{kind}_world_size_4_rank_{rank}.pt"
    for kind in ("model", "optim", "extra_state")
    for rank in range(4)
)


def test_only_its_directories_are_claimed() -> None:
    assert VERL.claims(see_directory("global_step_20", "a"), frozenset())
    assert not VERL.claims(see_directory("global_step20", "a"), frozenset())
    assert VERL.find_step(see_directory("global_step_20", "a")) == 20


def test_every_rank_of_the_world_is_wanted() -> None:
    for left_out in SAVE:
        partial = see_directory("global_step_20", *(name for name in SAVE if name != left_out))
        assert explain(VERL, partial) == f"{left_out} is missing"


def test_the_tracker_hurries_and_its_absence_does_not_forbid() -> None:
    whole = see_directory("global_step_20", *SAVE)
    assert explain(VERL, whole, patient=False) is not None
    assert explain(VERL, whole, peers=Peers(trackers={TRACKER: "20"}), patient=False) is None
    assert explain(VERL, whole, peers=Peers(count_shapes(SAVE)), patient=False) is None
    assert explain(VERL, whole, patient=True) is None
