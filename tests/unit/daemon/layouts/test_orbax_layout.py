"""Orbax directories are whole when they have their name, or say so; Flax files end where their value does."""

from support.sightings import explain, see_directory, see_file
from weightzip.daemon.layouts import Evidence
from weightzip.daemon.layouts.names import is_temporary
from weightzip.daemon.layouts.orbax import METADATA, OrbaxLayout

ORBAX = OrbaxLayout()
FILES = (METADATA, "default/_METADATA", "default/manifest.ocdbt", "default/d/0a1b")


def test_what_is_claimed() -> None:
    assert ORBAX.claims(see_directory("40", *FILES), frozenset())
    assert ORBAX.claims(see_file("checkpoint_12"), frozenset())
    assert not ORBAX.claims(see_file("checkpoint_12.pt"), frozenset())
    assert not ORBAX.claims(see_directory("40", "model.pt"), frozenset())
    assert ORBAX.find_step(see_directory("40", *FILES)) == 40
    assert is_temporary("40.orbax-checkpoint-tmp-1712")


def test_a_marker_or_a_time_of_commit_is_proof() -> None:
    assert explain(ORBAX, see_directory("40", *FILES, "commit_success.txt"), patient=False) is None
    for committed_at, complete in ((1712345678901234567, True), (None, False)):
        evidence = Evidence(documents={METADATA: {"commit_timestamp_nsecs": committed_at}})
        reason = explain(ORBAX, see_directory("40", *FILES), evidence=evidence, patient=False)
        assert (reason is None) == complete


def test_without_either_silence_decides() -> None:
    assert explain(ORBAX, see_directory("40", *FILES), patient=False) is not None
    assert explain(ORBAX, see_directory("40", *FILES), patient=True) is None
    proven = Evidence(proven=frozenset({"."}))
    assert explain(ORBAX, see_file("checkpoint_12"), evidence=proven, patient=False) is None
