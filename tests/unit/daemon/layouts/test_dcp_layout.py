"""torchtitan and plain distributed checkpoints: `.metadata`, or the index of safetensors, comes last."""

from support.sightings import explain, list_cut_saves, see_directory, see_saving
from weightzip.daemon.layouts import Peers
from weightzip.daemon.layouts.dcp import DcpLayout
from weightzip.daemon.layouts.names import count_shapes

DCP = DcpLayout()
NAMES: frozenset[str] = frozenset()
SAVE = ("__0_0.distcp", "__0_1.distcp", "__1_0.distcp", ".metadata")
CONSOLIDATED = (
    "sharded/shard-00001-model-00001-of-00001.safetensors",
    "model-00001-of-00002.safetensors",
    "model-00002-of-00002.safetensors",
    "model.safetensors.index.json",
)


def test_directories_are_claimed_by_name_or_files() -> None:
    assert DCP.claims(see_directory("step-10", "__0_0.distcp"), NAMES)
    assert DCP.claims(see_directory("anything", ".metadata"), NAMES)
    assert DCP.claims(see_directory("step-10", *CONSOLIDATED[:1]), NAMES)
    assert not DCP.claims(see_directory("export", *CONSOLIDATED[:1]), NAMES)
    assert not DCP.claims(see_directory("step-10", "notes.txt"), NAMES)


def test_no_part_of_a_save_is_complete_and_the_whole_is_at_once() -> None:
    for cut in list_cut_saves("step-10", SAVE):
        assert explain(DCP, cut, peers=Peers(count_shapes(SAVE[:-1]))) is not None
    assert explain(DCP, see_saving("step-10", SAVE), patient=False) is None


def test_an_old_metadata_among_new_files_is_no_marker() -> None:
    for newer in SAVE[:-1]:
        again = see_directory("step-10", *SAVE, mtimes={newer: 200})
        reason = explain(DCP, again, peers=Peers(count_shapes(SAVE)))
        assert reason is not None
        assert f"{newer} is newer than .metadata" in reason


def test_ranks_without_collectives_write_a_metadata_each() -> None:
    files = ("__0_0.distcp", "__0.metadata", "__1_0.distcp", "__1.metadata")
    sighting = see_saving("step-10", files)
    assert explain(DCP, sighting, patient=False) is not None
    assert explain(DCP, sighting, patient=True) is None


def test_as_safetensors_the_index_is_the_marker() -> None:
    assert explain(DCP, see_saving("step-10", CONSOLIDATED), patient=False) is None
    for cut in list_cut_saves("step-10", CONSOLIDATED):
        assert explain(DCP, cut, patient=False) is not None
    again = see_directory("step-10", *CONSOLIDATED, mtimes={CONSOLIDATED[1]: 200})
    assert explain(DCP, again, patient=False) is not None


def test_the_shards_of_ranks_make_one_numbered_set() -> None:
    files = [f"shard-0000{rank}-model-0000{rank}-of-00003.safetensors" for rank in (1, 3)]
    reason = explain(DCP, see_directory("step-10", *files))
    assert reason == "shard-*-model-00002-of-00003.safetensors is missing"
