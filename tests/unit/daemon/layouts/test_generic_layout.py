"""When a checkpoint of an unknown trainer is complete: neighbours and silence."""

from support.sightings import see_directory, see_file
from weightzip.daemon.layouts import Evidence, Peers
from weightzip.daemon.layouts.generic import GenericLayout
from weightzip.daemon.layouts.names import count_shapes

ANY, CHOOSY = GenericLayout(choosy=False), GenericLayout(choosy=True)
NAMES: frozenset[str] = frozenset()
DIRECTORY = see_directory("step-7", "model.bin", "optimizer.bin")


def test_choosy_takes_only_what_looks_like_a_checkpoint() -> None:
    logs = see_directory("runs", "events.out.tfevents.1")
    assert ANY.claims(logs, NAMES)
    assert not CHOOSY.claims(logs, NAMES)
    assert CHOOSY.claims(DIRECTORY, NAMES)
    assert CHOOSY.claims(see_file("last.ckpt"), NAMES)
    assert not CHOOSY.claims(see_file("train.log"), NAMES)
    assert not ANY.claims(see_directory("empty"), NAMES)


def test_a_name_without_number_is_numbered_by_time() -> None:
    assert ANY.find_step(DIRECTORY) == 7
    assert ANY.find_step(see_file("last.ckpt", mtime_ns=1_700_000_000 * 10**9 + 5)) == 1_700_000_000


def test_a_file_whose_structure_shows_its_end_needs_no_more() -> None:
    assert (
        ANY.find_unmarked(see_file("a.pt"), Evidence(proven=frozenset({"."})), Peers(), patient=False) is None
    )
    assert ANY.find_unmarked(see_file("a.pt"), Evidence(), Peers(), patient=False) is not None


def test_a_directory_waits_for_patience_unless_neighbours_vouch_for_it() -> None:
    newer = see_directory("step-8", "model.bin")
    assert ANY.find_unmarked(DIRECTORY, Evidence(), Peers(), patient=False) is not None
    assert ANY.find_unmarked(DIRECTORY, Evidence(), Peers(), patient=True) is None
    assert ANY.find_unmarked(DIRECTORY, Evidence(), Peers(newer=(newer,)), patient=False) is None
    assert (
        ANY.find_unmarked(DIRECTORY, Evidence(), Peers(count_shapes(DIRECTORY.paths)), patient=False) is None
    )


def test_what_neighbours_have_and_it_lacks_is_missed_forever() -> None:
    whole = see_directory("step-8", "model.bin", "optimizer.bin", "sampler.bin")
    for peers in (Peers(count_shapes(whole.paths)), Peers(newer=(whole,))):
        reason = ANY.find_unmarked(DIRECTORY, Evidence(), peers, patient=True)
        assert reason is not None
        assert "sampler.bin" in reason


def test_a_marker_beside_the_checkpoint_says_that_the_save_goes_on() -> None:
    peers = Peers(root_names=frozenset({"step-7-unfinished", "step-7"}))
    reason = ANY.find_unmarked(DIRECTORY, Evidence(), peers, patient=True)
    assert reason == "step-7-unfinished says that the save goes on"
