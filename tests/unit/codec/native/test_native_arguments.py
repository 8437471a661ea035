"""What the native functions refuse to be asked."""

from typing import Any

import numpy as np
import pytest

from support.groups import Job, decode, encode, make_weights
from weightzip.codec import _native

GOOD: dict[str, Any] = {
    "raw": bytes(16),
    "predecessor": bytes(16),
    "element_bytes": 4,
    "transform": 2,
    "max_contexts": 4,
    "key_shift": 23,
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"raw": b""}, "empty"),
        ({"raw": bytes(15)}, "whole elements"),
        ({"element_bytes": 3}, "element_bytes"),
        ({"element_bytes": 16}, "element_bytes"),
        ({"transform": 4}, "transform"),
        ({"max_contexts": 0}, "max_contexts"),
        ({"max_contexts": 33}, "max_contexts"),
        ({"key_shift": 64}, "key_shift"),
        ({"predecessor": bytes(12)}, "as long"),
        ({"predecessor": None}, "predecessor"),
        ({"predecessor": None, "transform": 1}, "predecessor"),
        ({"predecessor": None, "max_contexts": 1}, "predecessor"),
    ],
)
def test_encode_and_estimate_refuse(changes: dict[str, Any], message: str) -> None:
    arguments = GOOD | changes
    raw, predecessor = arguments.pop("raw"), arguments.pop("predecessor")
    with pytest.raises(ValueError, match=message):
        _native.encode_blocks(raw, predecessor, n_threads=1, **arguments)
    with pytest.raises(ValueError, match=message):
        _native.estimate_blocks(raw, predecessor, **arguments)


def test_decode_refuses_an_empty_output() -> None:
    with pytest.raises(ValueError, match="empty"):
        _native.decode_blocks(b"", None, bytearray(), n_threads=1)


def test_decode_refuses_a_predecessor_of_another_length() -> None:
    raw, predecessor = make_weights(100, 4)
    group = encode(Job(4, 2, 1, 0), raw, predecessor)
    with pytest.raises(ValueError, match="as long"):
        _native.decode_blocks(group, predecessor[:-1], bytearray(len(raw)), n_threads=1)


def test_decode_refuses_to_write_where_it_may_not() -> None:
    group = encode(Job(1, 0, 1, 0), b"abc", None)
    with pytest.raises(BufferError):
        _native.decode_blocks(group, None, b"xyz", n_threads=1)


def test_predecessor_bytes_must_match_the_recipe() -> None:
    raw, predecessor = make_weights(2000, 4)
    alone = encode(Job(4, 1, 1, 0), raw, None)
    leaning = encode(Job(4, 2, 1, 0), raw, predecessor)
    with pytest.raises(_native.CorruptBlocks, match="needs no predecessor"):
        _native.decode_blocks(alone, predecessor, bytearray(len(raw)), n_threads=1)
    with pytest.raises(_native.CorruptBlocks, match="needs predecessor"):
        _native.decode_blocks(leaning, None, bytearray(len(raw)), n_threads=1)


def test_any_contiguous_buffer_will_do() -> None:
    values = np.arange(1000, dtype=np.float32)
    group = encode(Job(4, 1, 1, 0), values.tobytes(), None)
    out = np.empty_like(values)
    _native.decode_blocks(memoryview(group), None, out.data, n_threads=1)
    assert np.array_equal(out, values)
    assert decode(group, values.nbytes, None) == values.tobytes()


def test_cpu_features_are_names() -> None:
    assert all(name == name.lower() and name.isalnum() for name in _native.cpu_features())


def test_kernel_sets_go_with_the_features() -> None:
    features = _native.cpu_features()
    kernels = _native.list_kernels()
    assert kernels[-1] == "scalar"
    assert ("avx2" in kernels) == ("avx2" in features)
    assert ("avx512" in kernels) == ("avx512vbmi2" in features)


def test_kernels_that_do_not_exist_are_refused() -> None:
    group = encode(Job(1, 0, 1, 0), b"abc", None)
    with pytest.raises(ValueError, match="list_kernels"):
        decode(group, 3, None, kernels="avx1024")
