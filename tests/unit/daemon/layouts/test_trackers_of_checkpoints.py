"""Which trackers are kept with a checkpoint, and what they say then."""

import pytest

from weightzip.daemon.checkpoint import Tracker
from weightzip.daemon.layouts.trackers import select_trackers


def file(name: str, text: str) -> Tracker:
    return Tracker(name, "file", text, 0o644, 7)


def link(name: str, text: str) -> Tracker:
    return Tracker(name, "symlink", text, 0, 7)


@pytest.mark.parametrize(
    ("observed", "text"),
    [
        (file("latest_checkpointed_iteration.txt", "100"), "100"),
        (file("latest_checkpointed_iteration.txt", "200\n"), "100\n"),
        (file("latest_checkpointed_iteration.txt", ""), "100"),
        (file("dlrover_latest.txt", "90"), "100"),
        (file("latest", "iter_0000200"), "iter_0000100"),
        (link("last", "iter_0000100"), "iter_0000100"),
        (link("latest", "iter_0000200"), "iter_0000100"),
        (link("best", "iter_0000100"), "iter_0000100"),
    ],
)
def test_a_tracker_names_the_checkpoint_that_it_is_kept_with(observed: Tracker, text: str) -> None:
    (tracker,) = select_trackers([observed], "iter_0000100", 100)
    assert (tracker.name, tracker.text, tracker.mtime_ns) == (observed.name, text, 7)


@pytest.mark.parametrize(
    "observed",
    [
        file("latest", "somebody else's words"),
        file("latest_checkpointed_iteration.txt", "release"),
        link("best", "iter_0000200"),
        link("blast", "iter_0000200"),
        link("last", "logs"),
    ],
)
def test_what_speaks_of_something_else_is_left_out(observed: Tracker) -> None:
    assert select_trackers([observed], "iter_0000100", 100) == ()


def test_a_release_of_megatron_is_named_as_such() -> None:
    (tracker,) = select_trackers([file("latest_checkpointed_iteration.txt", "release")], "release", 0)
    assert tracker.text == "release"
