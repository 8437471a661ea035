"""Plans where the frames of a shard may hold its bytes in another order. Pure decisions, no bytes."""

from collections.abc import Iterator
from dataclasses import dataclass

from weightzip.codec.format.layout import Layout, TensorRange

# Whoever encodes, decodes or leans on a shard holds one in memory. Measured: twice as much saves nothing, half costs .01 %.
MAX_PLANNED_BYTES = 16 << 20
# Fewer pieces of glue cost less than forward decoding is worth.
MIN_GLUE_PIECES = 3


@dataclass(frozen=True)
class Window:
    """A stretch of the shard with the tensors in it that are not empty; `is_arranged` if frames gather from all over it."""

    begin: int
    end: int
    tensors: tuple[TensorRange, ...]
    is_arranged: bool

    def list_glue(self) -> Iterator[tuple[int, int]]:
        """Yield (begin, end) of what lies between the tensors."""
        position = self.begin
        for tensor in self.tensors:
            if tensor.offset > position:
                yield position, tensor.offset
            position = tensor.end
        if self.end > position:
            yield position, self.end


def plan_windows(layout: Layout) -> list[Window]:
    """Return the windows of a shard in order; they tile it.

    Where tensors and many pieces of glue take turns, a window is as large as allowed, and arranged. What is between
    such windows is one window.
    """
    planned: list[Window] = []
    waiting: list[Window] = []  # neighbours that keep their order
    for window in _fill_windows(layout):
        if window.is_arranged:
            planned += [*_unite(waiting), window]
            waiting = []
        else:
            waiting.append(window)
    return planned + _unite(waiting)


def _fill_windows(layout: Layout) -> Iterator[Window]:
    """Yield windows that hold as many parts as may be, whole."""
    begin = end = 0
    tensors: list[TensorRange] = []
    n_glue_pieces = 0
    for part_end, tensor in _list_parts(layout):
        if part_end - begin > MAX_PLANNED_BYTES and end > begin:
            yield Window(begin, end, tuple(tensors), n_glue_pieces >= MIN_GLUE_PIECES)
            begin, tensors, n_glue_pieces = end, [], 0
        if tensor is None:
            n_glue_pieces += 1
        else:
            tensors.append(tensor)
        end = part_end
    if end > begin:
        yield Window(begin, end, tuple(tensors), n_glue_pieces >= MIN_GLUE_PIECES)


def _list_parts(layout: Layout) -> Iterator[tuple[int, TensorRange | None]]:
    """Yield tensors and glue in order, each with its end."""
    position = 0
    for tensor in layout.tensors:
        if tensor.n_bytes == 0:
            continue
        if tensor.offset > position:
            yield tensor.offset, None
        yield tensor.end, tensor
        position = tensor.end
    if layout.file_bytes > position:
        yield layout.file_bytes, None


def _unite(windows: list[Window]) -> list[Window]:
    if not windows:
        return []
    tensors = tuple(tensor for window in windows for tensor in window.tensors)
    return [Window(windows[0].begin, windows[-1].end, tensors, is_arranged=False)]
