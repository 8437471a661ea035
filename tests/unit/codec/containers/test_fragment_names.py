"""The fragments that DCP writes into safetensors files: their offsets are part of their names."""

import json

import pytest

from shards.build import Tensor, build_safetensors
from support.layouts import read_tensors
from weightzip.codec.containers.fragment_names import read_fragment_offsets


def _build(names: list[str], info: object) -> bytes:
    tensors = [Tensor(name, "U8", (2, 2), bytes(4)) for name in names]
    text = info if isinstance(info, str) else json.dumps(info)
    return build_safetensors(tensors, metadata={"format": "pt", "DCP_SHARDING_INFO": text})


def test_fragments_are_named_by_their_offsets() -> None:
    info = {
        "w": {"saved_offsets": [4, 0]},
        "v": {"saved_offsets": [0, 0]},
        "elsewhere": {"saved_offsets": [1]},
    }
    assert list(read_tensors(_build(["w", "v", "u"], info))[1]) == ["w[4,0]", "v", "u"]


def test_a_name_that_is_taken_is_not_given_twice() -> None:
    info = {"w": {"saved_offsets": [4]}}
    assert list(read_tensors(_build(["w", "w[4]"], info))[1]) == ["w", "w[4]"]


@pytest.mark.parametrize(
    "info",
    [
        "{",
        "[" * 100_000,
        [1],
        {"w": 1},
        {"w": {}},
        {"w": {"saved_offsets": 4}},
        {"w": {"saved_offsets": [-4]}},
        {"w": {"saved_offsets": [True]}},
        {"w": {"saved_offsets": [4.0]}},
        {"w": {"saved_offsets": [1 << 63]}},
        {"w": {"saved_offsets": [4] * 65}},
    ],
)
def test_offsets_that_make_no_sense_are_left_out(info: object) -> None:
    assert list(read_tensors(_build(["w"], info))[1]) == ["w"]


def test_more_than_any_model_has_is_left_out() -> None:
    text = '{"w": {"saved_offsets": [4]}, "x": [' + "[],[]," * 500_000 + "1]}"
    assert read_fragment_offsets({"DCP_SHARDING_INFO": text}) == {}


@pytest.mark.parametrize("metadata", [None, [], {"DCP_SHARDING_INFO": 1}, {"format": "pt"}])
def test_other_metadata_says_nothing(metadata: object) -> None:
    assert read_fragment_offsets(metadata) == {}
