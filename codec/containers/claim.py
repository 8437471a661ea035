"""What a container says of its bytes: claims on ranges, which may overlap, before they are settled to tensors.

Claims come from files that may be hostile: the work is bounded by their number, and what comes out is always sound.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import nlargest

from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_TENSORS

MAX_NAME_BYTES = 512
MAX_RANK = 64
_MAX_DIMENSION = (1 << 63) - 1


def settle_claims(
    claims: Iterable[TensorRange], file_bytes: int, storages: Iterable[TensorRange] = ()
) -> tuple[TensorRange, ...]:
    """Return tensors in ascending order, without overlap and with unique names, out of what was claimed.

    Views share storages: of claims that overlap, those that together cover the bytes of a larger one go before it,
    else the larger one goes before what it holds; of equals the first name in the alphabet. What remains in the way
    of an earlier claim is dropped. Claims beyond the file are dropped. Of the `storages` only what no tensor has is
    claimed: a whole storage under its own name, what is left of one as `<name>.rest`. All other bytes are glue, and
    restored as all others are. Of more than MAX_TENSORS tensors the largest are kept.
    """
    tensors = list(_drop_overlaps(_sort_claims(claims, file_bytes)))
    backing = list(_drop_overlaps(_sort_claims(storages, file_bytes)))
    tensors += list(_list_rests(tensors, backing))
    if len(tensors) > MAX_TENSORS:
        tensors = nlargest(MAX_TENSORS, tensors, key=lambda tensor: tensor.n_bytes)
    tensors.sort(key=lambda tensor: tensor.offset)
    return tuple(_name_uniquely(tensors))


def make_claim(name: str, dtype: DType, shape: tuple[int, ...], offset: int, n_bytes: int) -> TensorRange:
    """Return a claim; what its shape and dtype do not agree on is opaque."""
    if len(shape) > MAX_RANK or not all(0 <= size <= _MAX_DIMENSION for size in shape):
        shape = (n_bytes,)
        dtype = DType.OPAQUE
    claim = TensorRange(_shorten(name), dtype, shape, offset, n_bytes)
    return claim if claim.is_consistent else replace(claim, dtype=DType.OPAQUE)


def make_flat_claim(name: str, dtype: DType, offset: int, n_bytes: int) -> TensorRange:
    """Return a claim of one dimension on as many elements as n_bytes hold; opaque if they hold no whole number."""
    return make_claim(name, dtype, (n_bytes * 8 // dtype.bits,), offset, n_bytes)


def move_claim(claim: TensorRange, offset: int, name: str) -> TensorRange:
    """Return a claim on the same bytes of a window that begins at `offset`, under another name."""
    return replace(claim, name=_shorten(name), offset=claim.offset + offset)


def _sort_claims(claims: Iterable[TensorRange], file_bytes: int) -> list[TensorRange]:
    inside = {
        claim for claim in claims if claim.n_bytes > 0 and claim.offset >= 0 and claim.end <= file_bytes
    }
    return sorted(
        inside, key=lambda claim: (claim.offset, -claim.n_bytes, claim.name, claim.shape, claim.dtype)
    )


def _drop_overlaps(ordered: list[TensorRange]) -> Iterator[TensorRange]:
    position = index = 0
    while index < len(ordered):
        claim = ordered[index]
        index += 1
        if claim.offset < position:
            continue
        parts = _find_parts(ordered, index, claim)
        yield from parts or [claim]
        position = claim.end


def _find_parts(ordered: list[TensorRange], index: int, whole: TensorRange) -> list[TensorRange]:
    """Return the claims from index on that tile `whole` without a gap, empty if they do not."""
    parts: list[TensorRange] = []
    position = whole.offset
    while index < len(ordered) and position < whole.end and ordered[index].offset <= position:
        claim = ordered[index]
        if claim.offset == position and claim.end <= whole.end and claim.n_bytes < whole.n_bytes:
            parts.append(claim)
            position = claim.end
        index += 1
    return parts if position == whole.end else []


def _list_rests(tensors: list[TensorRange], storages: list[TensorRange]) -> Iterator[TensorRange]:
    """Yield what of the storages no tensor has. Both are in ascending order and without overlap."""
    index = 0
    for storage in storages:
        while index < len(tensors) and tensors[index].end <= storage.offset:
            index += 1
        position, after = storage.offset, index
        while position < storage.end:
            has_next = after < len(tensors) and tensors[after].offset < storage.end
            gap_end = tensors[after].offset if has_next else storage.end
            if position == storage.offset and gap_end == storage.end:
                yield storage
            elif position < gap_end:
                yield make_flat_claim(f"{storage.name}.rest", storage.dtype, position, gap_end - position)
            position = tensors[after].end if has_next else storage.end
            after += 1


def _name_uniquely(tensors: Iterable[TensorRange]) -> Iterator[TensorRange]:
    """Yield the tensors, with `#1`, `#2`... after names that came before; names that are given go first."""
    tensors = list(tensors)
    taken = {tensor.name for tensor in tensors}
    seen: dict[str, int] = {}
    for tensor in tensors:
        n_before = seen.get(tensor.name)
        if n_before is None:
            seen[tensor.name] = 1
            yield tensor
            continue
        while (name := f"{tensor.name}#{n_before}") in taken:
            n_before += 1
        taken.add(name)
        seen[tensor.name] = n_before + 1
        yield replace(tensor, name=name)


def _shorten(name: str) -> str:
    """Return a name that UTF-8 can spell, without what leads beyond MAX_NAME_BYTES."""
    text = name.encode("utf-8", "backslashreplace")
    return name if text == name.encode("utf-8", "replace") and len(text) <= MAX_NAME_BYTES else _cut(text)


def _cut(text: bytes) -> str:
    return text[:MAX_NAME_BYTES].decode("utf-8", "ignore")
