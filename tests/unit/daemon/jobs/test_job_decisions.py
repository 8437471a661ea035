"""The pure decisions of the pipeline: predecessor, restore at the start, retention of what lies on disk, pauses."""

import pytest

from support.manifests import make_manifest
from support.sightings import see_directory
from weightzip.daemon.jobs.backoff import Backoff
from weightzip.daemon.jobs.choose_predecessor import choose_predecessor
from weightzip.daemon.jobs.outdated import is_outdated
from weightzip.daemon.jobs.settling import can_settle_by, is_settled
from weightzip.daemon.jobs.startup_restore import needs_restore
from weightzip.daemon.store import Manifest
from weightzip.daemon.watch.candidate import Judgement, Stage
from weightzip.daemon.watch.watcher import Finding, Look

KEYFRAME = make_manifest(100)
FIRST = make_manifest(200, predecessor=KEYFRAME)
SECOND = make_manifest(300, predecessor=FIRST)
ALL = (KEYFRAME, FIRST, SECOND)


def choose(last: Manifest | None, setting: str, depth: int, n_since: int = 0) -> Manifest | None:
    return choose_predecessor(
        last,
        setting,  # type: ignore[arg-type]
        depth,
        find_identity=lambda identity: next((m for m in ALL if m.identity == identity), None),
        count_since=lambda _: n_since,
    )


def test_residuals_are_taken_against_the_last_until_the_chain_is_deep() -> None:
    assert choose(SECOND, "previous", 3) is SECOND
    assert choose(SECOND, "previous", 2) is None
    assert choose(None, "previous", 8) is None
    assert choose(SECOND, "previous", 0) is None
    assert choose(SECOND, "none", 8) is None


def test_residuals_are_taken_against_the_keyframe_until_it_is_old() -> None:
    assert choose(SECOND, "keyframe", 8, n_since=2) is KEYFRAME
    assert choose(KEYFRAME, "keyframe", 8) is KEYFRAME
    assert choose(SECOND, "keyframe", 8, n_since=8) is None


@pytest.mark.parametrize(
    ("setting", "on_disk", "newest", "wanted"),
    [
        ("never", set(), "checkpoint-5", False),
        ("if_empty", set(), "checkpoint-5", True),
        ("if_empty", {"checkpoint-1"}, "checkpoint-5", False),
        ("if_empty", set(), None, False),
        ("if_missing_newest", {"checkpoint-1"}, "checkpoint-5", True),
        ("if_missing_newest", {"checkpoint-5"}, "checkpoint-5", False),
        ("if_missing_newest", set(), None, False),
    ],
)
def test_when_the_newest_is_restored_at_the_start(
    setting: str, on_disk: set[str], newest: str | None, wanted: bool
) -> None:
    assert needs_restore(setting, on_disk, newest) is wanted  # type: ignore[arg-type]


def test_what_retention_would_remove_at_once_is_outdated() -> None:
    committed = [make_manifest(step).checkpoint_key for step in (300, 400)]
    assert is_outdated(1, 100, committed, 2, None)
    assert is_outdated(1, 900, committed, 2, None), "a higher step of before the run was set back"
    assert not is_outdated(1, 100, committed, 2, 100), "a rule keeps it"
    assert not is_outdated(1, 100, committed, 3, None), "there is room"
    assert not is_outdated(350, 350, committed, 2, None)
    assert not is_outdated(10**9, 100, committed, 2, None), "saved after the others: the run was set back"


@pytest.mark.parametrize(
    ("stage", "recheck_at", "settled"),
    [
        (Stage.SEEN, 5.0, False),
        (Stage.COUNTED, 9.0, False),
        (Stage.COUNTED, None, True),
        (Stage.MARKED, None, False),
        (Stage.PINNED, None, True),
    ],
)
def test_settled_means_that_time_alone_changes_nothing(
    stage: Stage, recheck_at: float | None, settled: bool
) -> None:
    finding = Finding(see_directory("checkpoint-1", "a"), "hf", 1, Judgement(stage, None, recheck_at))
    assert is_settled(Look((finding,), recheck_at), ()) is settled


def test_nobody_waits_for_what_cannot_come_in_time() -> None:
    def look(stage: Stage, recheck_at: float | None) -> Look:
        return Look(
            (Finding(see_directory("checkpoint-1", "a"), "hf", 1, Judgement(stage, None, recheck_at)),),
            recheck_at,
        )

    assert can_settle_by(look(Stage.SEEN, 5.0), (), 6.0)
    assert not can_settle_by(look(Stage.SEEN, 7.0), (), 6.0)
    assert can_settle_by(look(Stage.MARKED, None), (), 6.0)


def test_pauses_double_to_a_limit_and_start_over() -> None:
    backoff = Backoff(1.0, 5.0)
    assert [backoff.next_pause() for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]
    backoff.reset()
    assert backoff.next_pause() == 1.0
