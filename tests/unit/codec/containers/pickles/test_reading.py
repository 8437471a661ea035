"""What is learned from sound pickles: facts on names, and the metadata of distributed checkpoints."""

import pickle
from collections import OrderedDict
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint.state_dict_saver import save

from weightzip.codec.containers.pickles import (
    MAX_PICKLE_BYTES,
    DcpTensor,
    ParamGroupEntry,
    ParamShape,
    PickleFacts,
    SliceMapping,
    read_dcp_metadata,
    read_pickles,
)


@dataclass
class FragmentAddress:
    """As DeepSpeed's."""

    numel: int
    start: int


class Stage(IntEnum):
    """As DeepSpeed's."""

    GRADIENTS = 2


def _read_facts(value: object, protocol: int = 2) -> PickleFacts:
    (contents,) = read_pickles([pickle.dumps(value, protocol)])
    assert contents is not None
    return contents.facts


@pytest.mark.parametrize("protocol", range(6))
def test_facts_of_partitioned_optimizers(protocol: int) -> None:
    slices = [
        OrderedDict(a=FragmentAddress(10, 0), b=FragmentAddress(5, 10)),
        OrderedDict(c=FragmentAddress(7, 3)),
    ]
    facts = _read_facts(
        {
            "param_shapes": [OrderedDict(a=torch.Size([2, 5])), OrderedDict(c=torch.Size([]))],
            "optimizer_state_dict": {
                "param_slice_mappings": slices,
                "group_paddings": [0, 3],
                "partition_count": [2, 2],
                "zero_stage": Stage.GRADIENTS,
            },
        },
        protocol,
    )
    assert facts.slice_mappings == (
        SliceMapping("optimizer_state_dict", 0, "a", 0, 10),
        SliceMapping("optimizer_state_dict", 0, "b", 10, 5),
        SliceMapping("optimizer_state_dict", 1, "c", 3, 7),
    )
    assert facts.param_shapes == (ParamShape("", 0, "a", (2, 5)), ParamShape("", 1, "c", ()))
    assert facts.numbers == {
        "optimizer_state_dict.group_paddings": (0, 3),
        "optimizer_state_dict.partition_count": (2, 2),
        "optimizer_state_dict.zero_stage": (2,),
    }


def test_one_dictionary_of_shapes_is_one_group() -> None:
    facts = _read_facts({"module": {"param_shapes": {"a": torch.Size([3])}}, "partition_count": 4})
    assert facts.param_shapes == (ParamShape("module", 0, "a", (3,)),)
    assert facts.numbers == {"partition_count": (4,)}


def test_groups_of_parameters() -> None:
    groups = [{"params": [0, 1], "param_names": ["a", "b"], "lr": 0.1}, {"params": ["c.weight"], "lr": 0.1}]
    facts = _read_facts({"optimizer_states": [{"state": {}, "param_groups": groups}]})
    assert facts.param_groups == (
        ParamGroupEntry("optimizer_states.0", 0, 0, "a"),
        ParamGroupEntry("optimizer_states.0", 0, 1, "b"),
        ParamGroupEntry("optimizer_states.0", 1, "c.weight", None),
    )


@pytest.mark.parametrize(
    "odd",
    [
        {"param_groups": 3},
        {"param_groups": [None, {"params": 7}, {"params": [object, -1]}]},
        {"param_slice_mappings": [{"a": FragmentAddress(-1, 0)}]},
        {"param_slice_mappings": [{"a": None}]},
        {"param_shapes": [{"a": "text"}]},
        {"param_shapes": {3: torch.Size([1])}},
        {"group_paddings": ["x"]},
        {"partition_count": None},
    ],
)
def test_odd_facts_are_no_facts(odd: object) -> None:
    assert _read_facts(odd) == PickleFacts()


def test_too_much_is_refused() -> None:
    assert read_pickles([bytes(MAX_PICKLE_BYTES + 1)]) == [None]
    assert read_pickles([]) == []


def test_metadata_of_a_distributed_checkpoint(tmp_path: Path) -> None:
    state = {"model": {"w": torch.randn(4, 3), "b": torch.ones(2, dtype=torch.bfloat16)}, "step": 7}
    save(state, checkpoint_id=tmp_path, no_dist=True)
    metadata = read_dcp_metadata((tmp_path / ".metadata").read_bytes())
    assert metadata is not None
    assert metadata.tensors == {"model.w": DcpTensor((4, 3), 1), "model.b": DcpTensor((2,), 1)}
    items = {item.fqn: item for item in metadata.items}
    assert (items["model.w"].fragment_offset, items["model.w"].fragment_shape) == ((0, 0), (4, 3))
    assert (items["model.w"].dtype, items["model.b"].dtype) == ("float32", "bfloat16")
    assert (items["step"].fragment_offset, items["step"].fragment_shape, items["step"].dtype) == (
        None,
        None,
        None,
    )
    assert {item.transforms for item in metadata.items} == {()}
    position = 0
    for item in sorted(metadata.items, key=lambda item: item.offset):
        assert (item.file_name, item.offset) == ("__0_0.distcp", position)
        position += item.n_bytes
    assert position == (tmp_path / "__0_0.distcp").stat().st_size


def test_other_pickles_are_no_metadata() -> None:
    assert read_dcp_metadata(pickle.dumps({"state_dict_metadata": {}, "storage_data": 3})) is None
    assert read_dcp_metadata(pickle.dumps([1])) is None
