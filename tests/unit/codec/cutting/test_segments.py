"""Cutting a layout into spans: they tile the shard, respect the limits, and find their predecessor's bytes."""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightzip.codec.cutting.packing import cut_layout
from weightzip.codec.cutting.place import Place
from weightzip.codec.cutting.segments import (
    BLOCKS_PER_FRAME,
    MAX_OPAQUE_SPAN_BYTES,
    MAX_PACK_BYTES,
    MAX_PACKED_ALONE_BYTES,
    MAX_PACKED_LEANING_BYTES,
    FrameSpan,
    GlueSource,
    TensorInputs,
)
from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.recipes.recipe import Section

_MAX_SPAN_BYTES = BLOCKS_PER_FRAME * 65536 * 8


def _make_layout(*tensors: TensorRange, file_bytes: int) -> Layout:
    return Layout(ContainerKind.SAFETENSORS, file_bytes, tensors)


def _tensor(name: str, offset: int, n_bytes: int, dtype: DType = DType.F32) -> TensorRange:
    return TensorRange(name, dtype, (n_bytes // dtype.element_bytes,), offset, n_bytes)


def _predecessor(*tensors: TensorRange) -> dict[str, TensorInputs]:
    return {tensor.name: TensorInputs(predecessor=Place(0, tensor)) for tensor in tensors}


def _cut(
    layout: Layout, inputs: Mapping[str, TensorInputs] | None = None, file_bytes: int | None = None
) -> list[FrameSpan]:
    glue = None if file_bytes is None else GlueSource(0, file_bytes)
    spans = list(cut_layout(layout, inputs or {}, glue))
    runs = sorted(run for span in spans for run in span.runs)
    assert sum(run.n_bytes for run in runs) == layout.file_bytes
    assert all(first.offset + first.n_bytes == second.offset for first, second in pairwise(runs))
    for span in spans:
        if span.window is None:
            assert len(span.runs) == 1
        assert 0 < span.n_bytes <= _MAX_SPAN_BYTES
        if span.predecessor:
            assert sum(piece.n_bytes for piece in span.predecessor) == span.n_bytes
    return spans


def test_an_opaque_file_is_cut_into_parts() -> None:
    spans = _cut(_make_layout(file_bytes=MAX_OPAQUE_SPAN_BYTES * 2 + 1))
    assert [span.n_bytes for span in spans] == [MAX_OPAQUE_SPAN_BYTES] * 2 + [1]


def test_an_empty_file_has_no_spans() -> None:
    assert _cut(_make_layout(file_bytes=0)) == []


@pytest.mark.parametrize("dtype", [DType.F64, DType.F32, DType.BF16, DType.U8])
def test_a_large_tensor_is_cut_evenly_at_block_boundaries(dtype: DType) -> None:
    n_bytes = 3 * _MAX_SPAN_BYTES + 8
    spans = _cut(_make_layout(_tensor("w", 0, n_bytes, dtype), file_bytes=n_bytes))
    block_bytes = 65536 * dtype.element_bytes
    assert all(span.n_bytes % block_bytes == 0 for span in spans[:-1])
    assert all(span.n_bytes <= BLOCKS_PER_FRAME * block_bytes for span in spans)
    assert spans[-1].n_bytes > spans[0].n_bytes * 0.8


def test_small_neighbours_of_one_dtype_share_a_span() -> None:
    tensors = [_tensor("a", 0, 400), _tensor("b", 400, 80), _tensor("c", 480, 8, DType.I64)]
    spans = _cut(_make_layout(*tensors, file_bytes=488))
    assert [(span.n_bytes, span.dtype) for span in spans] == [(480, DType.F32), (8, DType.I64)]


def test_large_tensors_glue_and_a_full_pack_end_a_span() -> None:
    small, large = 1000, MAX_PACKED_ALONE_BYTES + 4
    tensors = [_tensor("a", 0, small), _tensor("b", small, large), _tensor("c", small + large + 1, small)]
    spans = _cut(_make_layout(*tensors, file_bytes=small * 2 + large + 1))
    assert [span.n_bytes for span in spans] == [small, large, 1, small]
    each = MAX_PACKED_ALONE_BYTES
    many = [_tensor(str(number), number * each, each) for number in range(40)]
    spans = _cut(_make_layout(*many, file_bytes=40 * each))
    assert max(span.n_bytes for span in spans) <= MAX_PACK_BYTES
    assert len(spans) == -(-40 * each // MAX_PACK_BYTES)


def test_tensors_lean_on_their_namesake_wherever_it_is() -> None:
    size = BLOCKS_PER_FRAME * 65536 * 4 + 400
    layout = _make_layout(_tensor("w", 100, size), file_bytes=100 + size)
    glue, first, second = _cut(layout, _predecessor(_tensor("w", 5000, size)), 1 << 40)
    assert glue.predecessor == (Piece(0, 100),)
    assert first.predecessor == (Piece(5000, first.n_bytes),)
    assert second.predecessor == (Piece(5000 + first.n_bytes, second.n_bytes),)


def test_neighbours_in_both_files_are_one_piece() -> None:
    mine = [_tensor("a", 0, 40), _tensor("b", 40, 80), _tensor("c", 120, 8)]
    theirs = [_tensor("c", 0, 8), _tensor("a", 8, 40), _tensor("b", 48, 80)]
    (span,) = _cut(_make_layout(*mine, file_bytes=128), _predecessor(*theirs))
    assert span.predecessor == (Piece(8, 120), Piece(0, 8))


def test_larger_tensors_share_a_span_if_they_lean() -> None:
    size = MAX_PACKED_LEANING_BYTES
    tensors = [_tensor("a", 0, size), _tensor("b", size, size)]
    layout = _make_layout(*tensors, file_bytes=2 * size)
    assert len(_cut(layout)) == 2
    assert len(_cut(layout, _predecessor(*tensors))) == 1


def test_tensors_with_and_without_predecessor_do_not_share() -> None:
    mine = [_tensor("a", 0, 40), _tensor("new", 40, 40)]
    first, second = _cut(_make_layout(*mine, file_bytes=80), _predecessor(_tensor("a", 0, 40)))
    assert (first.predecessor, second.predecessor) == ((Piece(0, 40),), ())


def test_glue_beyond_the_predecessor_stands_alone() -> None:
    (span,) = _cut(_make_layout(file_bytes=100), file_bytes=99)
    assert span.predecessor == ()


def test_the_parts_of_a_tensor_have_the_same_elements_of_a_larger_companion() -> None:
    size = BLOCKS_PER_FRAME * 65536 * 2 + 400
    master = _tensor("w", 5000, 2 * size)
    inputs = {"w": TensorInputs(companion=Place(3, master))}
    first, second = _cut(_make_layout(_tensor("w", 0, size, DType.BF16), file_bytes=size), inputs)
    assert first.companion == (Piece(5000, 2 * first.n_bytes, 3),)
    assert second.companion == (Piece(5000 + 2 * first.n_bytes, 2 * second.n_bytes, 3),)


def test_pieces_of_different_files_stay_apart() -> None:
    mine = [_tensor("a", 0, 40), _tensor("b", 40, 80)]
    inputs = {
        "a": TensorInputs(companion=Place(OWN, _tensor("c", 200, 40))),
        "b": TensorInputs(companion=Place(OWN, _tensor("d", 240, 80))),
    }
    (span,) = _cut(_make_layout(*mine, file_bytes=120), inputs)
    assert span.companion == (Piece(200, 120, OWN),)
    inputs = {name: TensorInputs(companion=Place(number, mine[number])) for number, name in enumerate("ab")}
    (span,) = _cut(_make_layout(*mine, file_bytes=120), inputs)
    assert span.companion == (Piece(0, 40, 0), Piece(40, 80, 1))


def test_what_leans_on_the_shard_itself_shares_no_frame_with_what_it_leans_on() -> None:
    mine = [_tensor("exp_avg", 0, 40), _tensor("exp_avg_sq", 40, 40)]
    inputs = {"exp_avg": TensorInputs(companion=Place(OWN, mine[1]))}
    first, second = _cut(_make_layout(*mine, file_bytes=80), inputs)
    assert (first.companion, second.companion) == ((Piece(40, 40, OWN),), ())


def test_sections_tell_where_rows_begin() -> None:
    n_elements = BLOCKS_PER_FRAME * 65536
    shape = (n_elements // 1000 + 7, 1000)
    matrix = TensorRange("v", DType.F32, shape, 0, 4 * shape[0] * 1000)
    filters = TensorRange("f", DType.F32, (5, 2, 3, 3), matrix.end, 4 * 90)
    vector = TensorRange("b", DType.F32, (30,), filters.end, 4 * 30)
    first, second, third = _cut(_make_layout(matrix, filters, vector, file_bytes=vector.end), {})
    assert first.sections == (Section(first.n_bytes // 4, 1000, 0),)
    assert second.sections == (Section(second.n_bytes // 4, 1000, first.n_bytes // 4 % 1000),)
    assert third.sections == (Section(90, 9, 0), Section(30, 0, 0))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3 * MAX_PACKED_ALONE_BYTES // 8),
            st.sampled_from([DType.F32, DType.F64, DType.U8, DType.OPAQUE]),
            st.integers(0, 9),
        ),
        max_size=30,
    ),
    st.booleans(),
)
def test_any_layout_is_tiled(parts: list[tuple[int, DType, int]], with_predecessor: bool) -> None:
    tensors, position = [], 0
    for number, (n_eights, dtype, glue_bytes) in enumerate(parts):
        position += glue_bytes
        tensors.append(_tensor(str(number), position, 8 * n_eights, dtype))
        position += 8 * n_eights
    inputs = _predecessor(*tensors[::2]) if with_predecessor else {}
    _cut(_make_layout(*tensors, file_bytes=position + 3), inputs)
