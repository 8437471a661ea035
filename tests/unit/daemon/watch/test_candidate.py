"""The state machine over sightings and a clock value: no disk, no sleep."""

from dataclasses import replace

from support.sightings import see_directory
from weightzip.daemon.layouts import Evidence, FileSighting, Peers
from weightzip.daemon.layouts.generic import GenericLayout
from weightzip.daemon.layouts.hf import HfLayout
from weightzip.daemon.watch.candidate import Candidate, Judgement, Stage, judge, observe

QUIET = 10.0
SIGHTING = see_directory("checkpoint-5", "model.safetensors", "trainer_state.json")
EVIDENCE = Evidence(documents={"trainer_state.json": {"global_step": 5}})


def judge_at(now: float, candidate: Candidate, evidence: Evidence | None = EVIDENCE) -> Judgement:
    return judge(candidate, HfLayout(), evidence, Peers(), now_seconds=now, quiet_seconds=QUIET)


def test_silence_starts_anew_with_every_change() -> None:
    first = observe(None, SIGHTING, 100.0)
    assert observe(first, SIGHTING, 105.0).changed_at_seconds == 100.0
    entry = SIGHTING.entries[0]
    changed_entries = (
        replace(entry, inode=999),
        replace(entry, size_bytes=999),
        replace(entry, mtime_ns=999),
        replace(entry, ctime_ns=999),
    )
    changes = [replace(SIGHTING, entries=(changed, *SIGHTING.entries[1:])) for changed in changed_entries]
    changes.append(replace(SIGHTING, entries=SIGHTING.entries[1:]))
    changes.append(replace(SIGHTING, temporaries=(FileSighting(".tmp1", "file", 9, 9, 9, 9),)))
    for changed in changes:
        assert observe(first, changed, 105.0).changed_at_seconds == 105.0


def test_the_stages_follow_each_other() -> None:
    candidate = observe(None, SIGHTING, 100.0)
    assert judge_at(109.9, candidate) == Judgement(
        Stage.SEEN, "still changing, or changed a moment ago", 110.0
    )
    assert judge_at(110.0, candidate, None).stage == Stage.QUIET
    assert (
        judge_at(110.0, candidate, Evidence(problem="model.safetensors is cut")).reason
        == "model.safetensors is cut"
    )
    assert judge_at(110.0, candidate) == Judgement(Stage.MARKED)


def test_a_candidate_with_a_socket_is_never_complete() -> None:
    odd = replace(SIGHTING, entries=(*SIGHTING.entries, FileSighting("s", "other", 3, 0, 1, 1)))
    judgement = judge_at(1000.0, observe(None, odd, 0.0))
    assert judgement.stage == Stage.QUIET
    assert judgement.reason == "s is a socket, a device or a pipe"


def test_a_hole_is_doubted_until_patience_shows_that_nobody_fills_it() -> None:
    candidate = observe(None, SIGHTING, 0.0)
    evidence = Evidence(hole="model.safetensors has a hole", documents=EVIDENCE.documents)
    assert judge_at(39.0, candidate, evidence) == Judgement(Stage.QUIET, "model.safetensors has a hole", 40.0)
    assert judge_at(40.0, candidate, evidence).stage == Stage.MARKED


def test_a_missing_file_stops_at_closed_and_waits_for_a_change() -> None:
    sharded = see_directory("checkpoint-5", "m-1-of-2.safetensors", "trainer_state.json")
    judgement = judge_at(200.0, observe(None, sharded, 0.0))
    assert (judgement.stage, judgement.recheck_at_seconds) == (Stage.CLOSED, None)


def test_patience_is_asked_for_when_time_alone_can_help() -> None:
    candidate = observe(None, see_directory("step-5", "a.bin"), 0.0)

    def at(now: float) -> Judgement:
        return judge(
            candidate, GenericLayout(choosy=False), Evidence(), Peers(), now_seconds=now, quiet_seconds=QUIET
        )

    assert (at(39.0).stage, at(39.0).recheck_at_seconds) == (Stage.COUNTED, 40.0)
    assert at(40.0).stage == Stage.MARKED
