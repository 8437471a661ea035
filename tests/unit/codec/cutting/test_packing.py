"""What shares a frame where glue lies between tensors: all glue, small tensors of one kind, numbers alone."""

from itertools import pairwise

from weightzip.codec.cutting.packing import cut_layout
from weightzip.codec.cutting.place import Place
from weightzip.codec.cutting.segments import (
    MAX_OPAQUE_SPAN_BYTES,
    MAX_PACK_BYTES,
    MAX_PACKED_ALONE_BYTES,
    FrameSpan,
    GlueSource,
    Run,
    TensorInputs,
)
from weightzip.codec.format.data_frame import OWN, Piece
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange

GLUE_BYTES = 10


def _make_layout(*tensors: tuple[str, int, DType]) -> Layout:
    """Return a layout of (name, bytes, dtype) with glue around each."""
    position, ranges = GLUE_BYTES, []
    for name, n_bytes, dtype in tensors:
        shape = (n_bytes // dtype.element_bytes,)
        ranges.append(TensorRange(name, dtype, shape, position, n_bytes))
        position += n_bytes + GLUE_BYTES
    return Layout(ContainerKind.TORCH_ZIP, position, tuple(ranges))


def _cut(layout: Layout, inputs: dict[str, TensorInputs] | None = None) -> list[FrameSpan]:
    spans = list(cut_layout(layout, inputs or {}, GlueSource(7, layout.file_bytes)))
    runs = sorted(run for span in spans for run in span.runs)
    assert runs[0].offset == 0
    assert all(first.offset + first.n_bytes == second.offset for first, second in pairwise(runs))
    assert sum(runs[-1]) == layout.file_bytes
    return spans


def _list_names(layout: Layout, span: FrameSpan) -> list[str]:
    at = {tensor.offset: tensor.name for tensor in layout.tensors}
    return [at[run.offset] for run in span.runs]


def _lean(layout: Layout, *names: str) -> dict[str, TensorInputs]:
    """Let tensors lean on their namesakes in a predecessor of the same layout."""
    return {
        tensor.name: TensorInputs(predecessor=Place(0, tensor))
        for tensor in layout.tensors
        if tensor.name in names
    }


def test_all_glue_of_a_window_is_together_and_leans_on_nothing() -> None:
    layout = _make_layout(*((str(number), 40, DType.F32) for number in range(5)))
    glue, tensors = _cut(layout)
    assert glue.runs == tuple(Run(number * 50, GLUE_BYTES) for number in range(6))
    assert (glue.dtype, glue.predecessor, glue.window) == (DType.OPAQUE, (), Run(0, layout.file_bytes))
    assert _list_names(layout, tensors) == list("01234")


def test_much_glue_is_cut() -> None:
    piece_bytes = MAX_OPAQUE_SPAN_BYTES // 3 * 2
    tensors = tuple(
        TensorRange(str(number), DType.F32, (1,), (number + 1) * piece_bytes + 4 * number, 4)
        for number in range(3)
    )
    layout = Layout(ContainerKind.TORCH_ZIP, 4 * piece_bytes + 12, tensors)
    *glue, scalars = _cut(layout)
    sizes = [MAX_OPAQUE_SPAN_BYTES] * 2 + [4 * piece_bytes - 2 * MAX_OPAQUE_SPAN_BYTES]
    assert [span.n_bytes for span in glue] == sizes
    assert len(scalars.runs) == 3


def test_kinds_are_packed_apart_in_order_of_appearance_and_large_tensors_come_last() -> None:
    large = MAX_PACKED_ALONE_BYTES + 4
    layout = _make_layout(
        ("big", large, DType.F32),
        ("a", 40, DType.F32),
        ("half", 40, DType.BF16),
        ("leaning", 40, DType.F32),
        ("b", 44, DType.F32),
        ("bigger", large + 4, DType.F32),
        ("leaning too", 80, DType.F32),
    )
    spans = _cut(layout, _lean(layout, "leaning", "leaning too"))
    assert [_list_names(layout, span) for span in spans[1:]] == [
        ["a", "b"],
        ["half"],
        ["leaning", "leaning too"],
        ["big"],
        ["bigger"],
    ]
    assert spans[3].predecessor == (Piece(spans[3].runs[0].offset, 40), Piece(spans[3].runs[1].offset, 80))


def test_numbers_alone_are_a_kind_and_lean_on_nothing() -> None:
    layout = _make_layout(("step", 4, DType.F32), ("norm", 40, DType.F32), ("step.1", 4, DType.F32))
    _, steps, norm = _cut(layout, _lean(layout, "step", "norm", "step.1"))
    assert (_list_names(layout, steps), steps.predecessor) == (["step", "step.1"], ())
    assert len(norm.predecessor) == 1


def test_what_leans_on_the_shard_itself_shares_no_frame_with_what_it_leans_on() -> None:
    names = [f"{kind}.{number}" for number in range(3) for kind in ("exp_avg", "exp_avg_sq")]
    layout = _make_layout(*((name, 40, DType.F32) for name in names))
    by_name = {tensor.name: tensor for tensor in layout.tensors}
    inputs = {
        name: TensorInputs(companion=Place(OWN, by_name[f"exp_avg_sq{name[7:]}"]))
        if "sq" not in name
        else TensorInputs(is_second_moment=True)
        for name in names
    }
    _, first, second = _cut(layout, inputs)
    assert _list_names(layout, first) == names[::2]
    assert _list_names(layout, second) == names[1::2]
    assert first.companion == tuple(Piece(by_name[name].offset, 40, OWN) for name in names[1::2])


def test_packs_have_limits() -> None:
    each = MAX_PACKED_ALONE_BYTES
    layout = _make_layout(*((str(number), each, DType.U8) for number in range(40)))
    sizes = [span.n_bytes for span in _cut(layout)[1:]]
    assert max(sizes) <= MAX_PACK_BYTES
    assert len(sizes) == -(-40 * each // MAX_PACK_BYTES)
    layout = _make_layout(*((str(number), 8, DType.F32) for number in range(5000)))
    assert [len(span.runs) for span in _cut(layout)[1:]] == [4096, 904]


def test_neighbours_are_one_run() -> None:
    tensors = tuple(TensorRange(str(number), DType.F32, (10,), 10 + 40 * number, 40) for number in range(4))
    far = TensorRange("far", DType.F32, (10,), 200, 40)
    layout = Layout(ContainerKind.DCP, 250, (*tensors, far))
    assert [span.runs for span in _cut(layout)][1:] == [(Run(10, 160), Run(200, 40))]
