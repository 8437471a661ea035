"""What the native functions refuse to be asked."""

from typing import Any

import numpy as np
import pytest

from support.groups import Job, decode, encode, make_weights
from weightzip.codec import _native

GOOD: dict[str, Any] = {
    "raw": bytes(16),
    "predecessor": bytes(16),
    "companion": None,
    "element_bytes": 4,
    "transform": 2,
    "predictor": 1,
    "context_input": 1,
    "max_contexts": 4,
    "key_shift": 23,
}
BY_COMPANION: dict[str, Any] = {"context_input": 2, "companion": bytes(8), "companion_bytes": 2}
BY_SCALES: dict[str, Any] = {"context_input": 3, "mantissa_bits": 23, "sections": [(4, 2, 0)]}
BY_FACTORS: dict[str, Any] = {"predictor": 2, "mantissa_bits": 23, "sections": [(4, 2, 0)]}


@pytest.mark.parametrize(
    "changes", [{}, BY_COMPANION, BY_SCALES, BY_FACTORS, BY_FACTORS | {"context_input": 3}]
)
def test_encode_and_estimate_accept(changes: dict[str, Any]) -> None:
    arguments = GOOD | changes
    inputs = [arguments.pop(name) for name in ("raw", "predecessor", "companion")]
    assert _native.encode_blocks(*inputs, n_threads=1, **arguments)[:2] == bytes([2, 2])
    assert _native.estimate_blocks(*inputs, **arguments) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"raw": b""}, "empty"),
        ({"raw": bytes(15)}, "whole elements"),
        ({"element_bytes": 3}, "element_bytes"),
        ({"element_bytes": 16}, "element_bytes"),
        ({"transform": 4}, "transform"),
        ({"predictor": 3}, "predictor"),
        ({"predictor": 0}, "transforms 2 and 3"),
        ({"transform": 1}, "transforms 2 and 3"),
        ({"context_input": 4}, "context_input"),
        ({"context_input": 0}, "max_contexts above 1"),
        ({"context_input": 3}, "mantissa_bits"),
        (BY_SCALES | {"sections": []}, "sections"),
        ({"max_contexts": 0}, "max_contexts"),
        ({"max_contexts": 1}, "max_contexts above 1"),
        ({"max_contexts": 33}, "max_contexts"),
        ({"key_shift": 64}, "key_shift"),
        ({"predecessor": bytes(12)}, "as long"),
        ({"predecessor": None}, "predecessor"),
        ({"predecessor": None, "transform": 1, "predictor": 0}, "predecessor"),
        ({"predecessor": None, "max_contexts": 1, "context_input": 0}, "predecessor"),
        ({"companion": bytes(16)}, "context_input 2"),
        ({"companion_bytes": 4}, "companion_bytes"),
        (BY_COMPANION | {"companion": None}, "context_input 2"),
        (BY_COMPANION | {"companion": bytes(7)}, "as many elements"),
        (BY_COMPANION | {"companion_bytes": 3}, "companion_bytes"),
        ({"mantissa_bits": 23}, "predictor 2"),
        ({"sections": [(4, 2, 0)]}, "predictor 2"),
        (BY_FACTORS | {"mantissa_bits": 0}, "mantissa_bits"),
        (BY_FACTORS | {"mantissa_bits": 31}, "mantissa_bits"),
        (BY_FACTORS | {"mantissa_bits": 19}, "mantissa_bits"),
        (BY_FACTORS | {"sections": []}, "sections"),
        (BY_FACTORS | {"sections": [(3, 2, 0)]}, "fewer elements"),
        (BY_FACTORS | {"sections": [(3, 2, 0), (2, 0, 0)]}, "more elements"),
        (BY_FACTORS | {"sections": [(4, 2, 0), (0, 0, 0)]}, "no elements"),
        (BY_FACTORS | {"sections": [(4, 5, 0)]}, "more columns"),
        (BY_FACTORS | {"sections": [(4, 2, 2)]}, "first column"),
        (BY_FACTORS | {"sections": [(4, 0, 1)]}, "first column"),
    ],
)
def test_encode_and_estimate_refuse(changes: dict[str, Any], message: str) -> None:
    arguments = GOOD | changes
    inputs = [arguments.pop(name) for name in ("raw", "predecessor", "companion")]
    with pytest.raises(ValueError, match=message):
        _native.encode_blocks(*inputs, n_threads=1, **arguments)
    with pytest.raises(ValueError, match=message):
        _native.estimate_blocks(*inputs, **arguments)


def test_decode_refuses_an_empty_output() -> None:
    with pytest.raises(ValueError, match="empty"):
        _native.decode_blocks(b"", None, None, bytearray(), n_threads=1)


def test_decode_refuses_a_predecessor_of_another_length() -> None:
    raw, predecessor = make_weights(100, 4)
    group = encode(Job(4, 2, 1, 0), raw, predecessor)
    with pytest.raises(ValueError, match="as long"):
        _native.decode_blocks(group, predecessor[:-1], None, bytearray(len(raw)), n_threads=1)


def test_decode_refuses_to_write_where_it_may_not() -> None:
    group = encode(Job(1, 0, 1, 0), b"abc", None)
    with pytest.raises(BufferError):
        _native.decode_blocks(group, None, None, b"xyz", n_threads=1)


def test_predecessor_bytes_must_match_the_recipe() -> None:
    raw, predecessor = make_weights(2000, 4)
    alone = encode(Job(4, 1, 1, 0), raw, None)
    leaning = encode(Job(4, 2, 1, 0), raw, predecessor)
    with pytest.raises(_native.CorruptBlocks, match="needs no predecessor"):
        _native.decode_blocks(alone, predecessor, None, bytearray(len(raw)), n_threads=1)
    with pytest.raises(_native.CorruptBlocks, match="needs predecessor"):
        _native.decode_blocks(leaning, None, None, bytearray(len(raw)), n_threads=1)


def test_any_contiguous_buffer_will_do() -> None:
    values = np.arange(1000, dtype=np.float32)
    group = encode(Job(4, 1, 1, 0), values.tobytes(), None)
    out = np.empty_like(values)
    _native.decode_blocks(memoryview(group), None, None, out.data, n_threads=1)
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
