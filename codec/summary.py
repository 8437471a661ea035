"""What an archive spends on each of its tensors, read off its index."""

from collections.abc import Iterator
from dataclasses import dataclass

from weightzip.codec.format.data_frame import Method
from weightzip.codec.format.frame_table import FrameFacts
from weightzip.codec.format.index import Index
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.placement import locate_range


@dataclass(frozen=True)
class TensorSummary:
    """One tensor, or one stretch of glue (without name and shape).

    `recipe` tells in words how its frames are stored. Tensors that share a frame share its stored bytes by size.
    """

    name: str | None
    dtype: str
    shape: tuple[int, ...]
    recipe: str
    raw_bytes: int
    stored_bytes: int


def summarize_tensors(index: Index) -> Iterator[TensorSummary]:
    """Yield a summary of every tensor and of the glue between them, in the order of the shard."""
    position = 0
    for tensor in index.layout.tensors:
        if tensor.offset > position:
            yield _summarize(index, None, position, tensor.offset)
        yield _summarize(index, tensor, tensor.offset, tensor.end)
        position = tensor.end
    if index.file_bytes > position:
        yield _summarize(index, None, position, index.file_bytes)


def describe_recipe(facts: FrameFacts) -> str:
    """Return how a frame is stored, in words."""
    if facts.method != Method.BLOCKS:
        return facts.method.name.lower()
    transform = facts.transform.name.lower().replace("_", " ")
    return f"{transform}, in context" if facts.leans_on else transform


def _summarize(index: Index, tensor: TensorRange | None, begin: int, end: int) -> TensorSummary:
    recipes: dict[str, None] = {}  # a set that keeps its order
    stored_bytes = 0.0
    for part in locate_range(index, begin, end - begin).list_rows() if end > begin else ():
        row = index.frames.row(part.frame)
        stored_bytes += row.frame_bytes * part.n_bytes / row.facts.raw_bytes
        recipes[describe_recipe(row.facts)] = None
    return TensorSummary(
        name=tensor.name if tensor is not None else None,
        dtype=tensor.dtype.name if tensor is not None else "glue",
        shape=tensor.shape if tensor is not None else (),
        recipe=" + ".join(recipes),
        raw_bytes=end - begin,
        stored_bytes=round(stored_bytes),
    )
