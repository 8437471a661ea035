"""Which kind of tensor is which, and what an archive spends on each: read off names, dtypes and the index."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.frame_table import Column
from weightzip.codec.format.index import Index
from weightzip.codec.format.layout import ContainerKind
from weightzip.codec.placement import locate_range
from weightzip.files.bench.report import Kind, KindResult, merge_kinds

GLUE = Kind("glue", "-")
WHOLE_FILE = Kind("file without tensors", "-")
ARCHIVE = Kind("index and ends", "-")

_FLOATS = {dtype for dtype in DType if dtype.name.startswith(("F", "BF", "C"))}
# Words as trainers write them into names, set apart by anything that is neither letter nor digit. The first that fits
# counts: exp_avg_sq holds exp_avg, and the moments of master weights may hold both.
_ROLES = tuple(
    (role, re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])", re.IGNORECASE))
    for role, words in (
        ("exp_avg_sq", r"(?:max_)?exp_avg_sqs?"),
        ("exp_avg", r"exp_avgs?"),
        ("momentum", r"momentum(?:_buffers?)?"),
        ("gradients", r"grads?|gradients?"),
        ("EMA", r"ema|shadow_params?"),
        ("master weights", r"(?:fp32|main|master)_(?:params?|weights?)|fp32_from_fp16(?:_params)?|master"),
    )
)


@dataclass(frozen=True)
class Part:
    """One tensor, or one stretch of glue (without name and shape), with its exact part of the frames' bytes."""

    name: str | None
    kind: Kind
    shape: tuple[int, ...]
    raw_bytes: int
    stored_bytes: int


def choose_kind(name: str, dtype: DType) -> Kind:
    """Return the kind of a tensor. A floating-point tensor whose name tells nothing counts as weights."""
    if dtype == DType.OPAQUE:
        return Kind("opaque", dtype.name)
    if dtype not in _FLOATS:
        return Kind("integers", dtype.name)
    role = next((role for role, pattern in _ROLES if pattern.search(name)), "weights")
    return Kind(role, dtype.name)


def split_index(index: Index) -> list[Part]:
    """Return every tensor and stretch of glue in the order of the shard; their bytes sum up to those of the frames.

    A frame that holds several is shared by original bytes.
    """
    edges = [0]
    described: list[tuple[str | None, Kind, tuple[int, ...]]] = []
    for name, kind, shape, end in _walk_layout(index):
        described.append((name, kind, shape))
        edges.append(end)
    stored = _share_stored_bytes(index, np.array(edges))
    raw = np.diff(edges).tolist()
    return [Part(*facts, *sizes) for facts, *sizes in zip(described, raw, stored, strict=True)]


def _share_stored_bytes(index: Index, edges: Column) -> list[int]:
    """Return how many of the frames' bytes belong to the bytes of the shard between edges, which tile it."""
    if index.file_bytes == 0:
        return [0] * (len(edges) - 1)
    frames = index.frames
    parts = locate_range(index, 0, index.file_bytes)
    # Stretches of the shard that lie together in the frames and in one part.
    all_edges = np.unique(np.concatenate([parts.offset, edges]))
    begins, sizes = all_edges[:-1], np.diff(all_edges)
    by_offset = np.argsort(parts.offset)
    place = by_offset[np.searchsorted(parts.offset[by_offset], begins, side="right") - 1]
    arranged = frames.raw_offset[parts.frame[place]] + parts.first[place] + begins - parts.offset[place]
    stored_before = np.concatenate([[0], np.cumsum(frames.frame_bytes, dtype=np.int64)])
    # Rounded at the edges, not between them: so nothing is lost or counted twice.
    first, last = (
        np.rint(np.interp(places, frames.raw_offset, stored_before)).astype(np.int64)
        for places in (arranged, arranged + sizes)
    )
    shares_before = np.concatenate([[0], np.cumsum(last - first)])
    stored: list[int] = np.diff(shares_before[np.searchsorted(all_edges, edges)]).tolist()
    return stored


def sum_kinds(parts: list[Part], archive_bytes: int) -> tuple[KindResult, ...]:
    """Return one result a kind; what of the archive is in no frame is a kind of its own, so all sum up to it."""
    results = [
        KindResult(part.kind, int(part.name is not None), part.raw_bytes, part.stored_bytes) for part in parts
    ]
    rest_bytes = archive_bytes - sum(part.stored_bytes for part in parts)
    return merge_kinds([*results, KindResult(ARCHIVE, 0, 0, rest_bytes)])


def _walk_layout(index: Index) -> Iterator[tuple[str | None, Kind, tuple[int, ...], int]]:
    """Yield (name, kind, shape, end) of what tiles the shard."""
    glue = WHOLE_FILE if index.layout.container == ContainerKind.OPAQUE else GLUE
    position = 0
    for tensor in index.layout.tensors:
        if tensor.offset > position:
            yield None, glue, (), tensor.offset
        yield tensor.name, choose_kind(tensor.name, tensor.dtype), tensor.shape, tensor.end
        position = tensor.end
    if index.file_bytes > position:
        yield None, glue, (), index.file_bytes
