"""Which layout judges which candidate."""

from typing import get_args

from support.sightings import see_directory, see_file
from weightzip.config.source import LayoutName
from weightzip.daemon.layouts import assign_layouts, choose_layouts, list_signals

NAMES: frozenset[str] = frozenset()


def test_each_setting_but_auto_asks_one_layout() -> None:
    for name in get_args(LayoutName):
        asked = [layout.name for layout in choose_layouts(name)]
        assert asked == [name] if name != "auto" else len(asked) == len(get_args(LayoutName)) - 1
    assert [layout.name for layout in choose_layouts("auto")][-1] == "generic"


def test_every_trainer_is_recognised_by_its_own() -> None:
    sightings = {
        "hf": see_directory("checkpoint-5", "trainer_state.json"),
        "accelerate": see_directory("checkpoint_5", "model.safetensors"),
        "megatron": see_directory("iter_0000005", "__0_0.distcp"),
        "deepspeed": see_directory("global_step5", "mp_rank_00_model_states.pt"),
        "verl": see_directory("global_step_5", "actor/model_world_size_1_rank_0.pt"),
        "lightning": see_file("epoch=0-step=5.ckpt"),
        "nemo": see_directory("m-step=5-consumed_samples=1.0", "weights/metadata.json"),
        "nvrx": see_file("iter_0000005_0_local.pt"),
        "orbax": see_directory("5", "_CHECKPOINT_METADATA"),
        "dcp": see_directory("step-5", ".metadata"),
    }
    for name, sighting in sightings.items():
        assert assign_layouts(choose_layouts("auto"), [sighting], NAMES)[sighting.name].name == name
        assert assign_layouts(choose_layouts(name), [sighting], NAMES)[sighting.name].name == name  # type: ignore[arg-type]


def test_deepspeed_and_fsdp_inside_a_trainers_directory_are_that_trainers() -> None:
    inside = see_directory("checkpoint-5", "global_step5/mp_rank_00_model_states.pt", "optimizer_0/.metadata")
    assert assign_layouts(choose_layouts("auto"), [inside], NAMES)["checkpoint-5"].name == "hf"


def test_beside_a_known_trainer_nothing_else_is_taken() -> None:
    checkpoint, exported = see_directory("checkpoint-5", "a"), see_file("model.safetensors")
    assert set(assign_layouts(choose_layouts("auto"), [checkpoint, exported], NAMES)) == {"checkpoint-5"}
    assert set(assign_layouts(choose_layouts("auto"), [exported], NAMES)) == {"model.safetensors"}


def test_trackers_are_no_checkpoints() -> None:
    assert assign_layouts(choose_layouts("generic"), [see_file("latest")], NAMES) == {}


def test_every_layout_says_what_it_goes_by() -> None:
    signals = list_signals()
    assert set(signals) == set(get_args(LayoutName)) - {"auto"}
    assert all(signals.values())
