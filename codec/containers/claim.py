"""What a container says of its bytes: claims on ranges, which may overlap, before they are settled to tensors."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange


def settle_claims(claims: Iterable[TensorRange], file_bytes: int) -> tuple[TensorRange, ...]:
    """Return tensors in ascending order, without overlap and with unique names, out of what was claimed.

    Views share storages: of claims that overlap, those that together cover the bytes of a larger one go before it,
    else the larger one goes before what it holds; of equals the first name in the alphabet. What remains in the way
    of an earlier claim is dropped: its bytes are glue, and restored as all others are. Claims beyond the file are dropped.
    """
    inside = [
        claim for claim in claims if claim.n_bytes > 0 and claim.offset >= 0 and claim.end <= file_bytes
    ]
    ordered = sorted(set(inside), key=lambda claim: (claim.offset, -claim.n_bytes, claim.name))
    return tuple(_name_uniquely(_drop_overlaps(ordered)))


def make_claim(name: str, dtype: DType, shape: tuple[int, ...], offset: int, n_bytes: int) -> TensorRange:
    """Return a claim; what its shape and dtype do not agree on is opaque."""
    claim = TensorRange(name, dtype, shape, offset, n_bytes)
    return claim if claim.is_consistent else replace(claim, dtype=DType.OPAQUE)


def _drop_overlaps(ordered: list[TensorRange]) -> Iterator[TensorRange]:
    position = index = 0
    while index < len(ordered):
        claim = ordered[index]
        index += 1
        if claim.offset < position:
            continue
        tiles = _find_tiles(ordered, index, claim)
        yield from tiles or [claim]
        position = claim.end


def _find_tiles(ordered: list[TensorRange], index: int, whole: TensorRange) -> list[TensorRange]:
    """Return the claims from index on that tile `whole` without a gap, empty if they do not."""
    tiles: list[TensorRange] = []
    position = whole.offset
    while index < len(ordered) and position < whole.end and ordered[index].offset <= position:
        claim = ordered[index]
        if claim.offset == position and claim.end <= whole.end and claim.n_bytes < whole.n_bytes:
            tiles.append(claim)
            position = claim.end
        index += 1
    return tiles if position == whole.end else []


def _name_uniquely(tensors: Iterable[TensorRange]) -> Iterator[TensorRange]:
    seen: dict[str, int] = {}
    for tensor in tensors:
        n_before = seen.get(tensor.name, 0)
        seen[tensor.name] = n_before + 1
        yield replace(tensor, name=f"{tensor.name}#{n_before}") if n_before else tensor
