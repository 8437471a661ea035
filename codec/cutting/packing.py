"""Decides which bytes of a shard share a frame, and in which order the frames stand. Pure decisions, no bytes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from weightzip.codec.cutting.segments import (
    MAX_PACK_BYTES,
    MAX_PACKED_ALONE_BYTES,
    MAX_PACKED_LEANING_BYTES,
    NOTHING,
    FrameSpan,
    GlueSource,
    Run,
    TensorInputs,
    cut_gathered_glue,
    cut_glue,
    cut_segment,
)
from weightzip.codec.cutting.windows import Window, plan_windows
from weightzip.codec.format.layout import Layout, TensorRange
from weightzip.codec.format.limits import MAX_PIECES

Inputs = Mapping[str, TensorInputs]


def cut_layout(layout: Layout, inputs: Inputs, glue_source: GlueSource | None) -> Iterator[FrameSpan]:
    """Yield the spans of a shard in the order of their frames; they tile it.

    `inputs` has what tensors may lean on, by name. Windows stand in the order of the shard; within one that is
    arranged first comes the glue, then small tensors by kind, then large ones.
    """
    for window in plan_windows(layout):
        if window.is_arranged:
            yield from _cut_arranged(window, inputs)
        else:
            yield from _cut_in_order(window, inputs, glue_source)


def _cut_in_order(window: Window, inputs: Inputs, glue_source: GlueSource | None) -> Iterator[FrameSpan]:
    position = window.begin
    for segment in _group_neighbours(window.tensors, inputs):
        begin, end = segment[0].offset, segment[-1].end
        yield from cut_glue(position, begin, glue_source)
        yield from cut_segment(segment, [inputs.get(tensor.name, NOTHING) for tensor in segment])
        position = end
    yield from cut_glue(position, window.end, glue_source)


def _cut_arranged(window: Window, inputs: Inputs) -> Iterator[FrameSpan]:
    place = Run(window.begin, window.end - window.begin)
    yield from cut_gathered_glue((Run(begin, end - begin) for begin, end in window.list_glue()), place)
    kinds: defaultdict[tuple[object, ...], list[tuple[TensorRange, TensorInputs]]] = defaultdict(list)
    large: list[tuple[TensorRange, TensorInputs]] = []
    for tensor in window.tensors:
        # Single numbers, such as the steps of optimizer states, are mostly one number: they lean on nothing.
        is_scalar = tensor.n_bytes == tensor.dtype.element_bytes
        given = NOTHING if is_scalar else inputs.get(tensor.name, NOTHING)
        if tensor.n_bytes > _find_max_packed(given):
            large.append((tensor, given))
        else:
            kinds[given.form, tensor.dtype, is_scalar].append((tensor, given))
    packs = [pack for kind in kinds.values() for pack in _pack(kind)] + [[pair] for pair in large]
    for pack in packs:
        yield from cut_segment([tensor for tensor, _ in pack], [given for _, given in pack], place)


def _pack(
    kind: Iterable[tuple[TensorRange, TensorInputs]],
) -> Iterator[list[tuple[TensorRange, TensorInputs]]]:
    """Yield what shares a frame, of small tensors that may."""
    pack: list[tuple[TensorRange, TensorInputs]] = []
    n_bytes = 0
    for tensor, given in kind:
        if pack and (n_bytes + tensor.n_bytes > MAX_PACK_BYTES or len(pack) == MAX_PIECES):
            yield pack
            pack, n_bytes = [], 0
        pack.append((tensor, given))
        n_bytes += tensor.n_bytes
    yield pack


def _group_neighbours(tensors: Iterable[TensorRange], inputs: Inputs) -> Iterator[list[TensorRange]]:
    """Yield runs of tensors that share frames: small neighbours of one dtype, or one tensor alone."""
    run: list[TensorRange] = []
    for tensor in tensors:
        if run and not _may_join(run, tensor, inputs):
            yield run
            run = []
        run.append(tensor)
    if run:
        yield run


def _may_join(run: list[TensorRange], tensor: TensorRange, inputs: Inputs) -> bool:
    first, last = run[0], run[-1]
    mine = inputs.get(tensor.name, NOTHING)
    return (
        last.end == tensor.offset
        and last.dtype == tensor.dtype
        and max(last.n_bytes, tensor.n_bytes) <= _find_max_packed(mine)
        and tensor.end - first.offset <= MAX_PACK_BYTES
        and len(run) < MAX_PIECES
        and inputs.get(first.name, NOTHING).form == mine.form
    )


def _find_max_packed(given: TensorInputs) -> int:
    """Return how large a tensor may be that shares a frame."""
    if given.predecessor is not None and not given.is_second_moment:
        return MAX_PACKED_LEANING_BYTES
    return MAX_PACKED_ALONE_BYTES
