"""From what a torch pickle says of tensors and storages to claims on the bytes of the storages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from weightzip.codec.containers.claim import make_claim, make_flat_claim, settle_claims
from weightzip.codec.containers.pickles import PickleContents, PickledTensor, PickleFacts
from weightzip.codec.containers.torch_dtypes import TorchDType, find_torch_dtype
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange

# The names of a tensor that was saved bare, and of a storage that no tensor is known to view.
_BARE, _NAMELESS = "tensor", "storage"


@dataclass(frozen=True)
class TorchClaims:
    """What a torch file says of its bytes, for settle_claims: tensors, and the storages that they view."""

    tensors: tuple[TensorRange, ...]
    storages: tuple[TensorRange, ...]
    facts: PickleFacts


@dataclass(frozen=True, slots=True)
class StoragePlace:
    """Where a storage lies in its file."""

    offset: int
    n_bytes: int


def make_torch_claims(
    contents: PickleContents, places: Mapping[str, StoragePlace], *, is_little_endian: bool, prefix: str = ""
) -> TorchClaims:
    """Return the claims of a pickle whose storages lie at `places`, by key; storages elsewhere are left out.

    Dense tensors are claimed as they lie, a transposed one with its dimensions in the order of memory; bytes of
    others, and those that no tensor views, are claimed as storages. Numbers of big-endian files are opaque.
    """
    tensors: list[TensorRange] = []
    viewers: dict[str, _Viewer] = {}
    for tensor in contents.tensors:
        place, element = places.get(tensor.storage_key), find_torch_dtype(tensor.dtype)
        if place is None:
            continue
        name = prefix + tensor.name
        dtype = element.dtype if element is not None and is_little_endian else DType.OPAQUE
        viewer = _Viewer(prod(tensor.shape) * (element.item_bytes if element is not None else 1), name, dtype)
        viewers[tensor.storage_key] = _choose(viewers.get(tensor.storage_key, viewer), viewer)
        if element is not None:
            tensors += _claim_view(name, tensor, element, place, dtype)
    return TorchClaims(tuple(tensors), tuple(_claim_storages(contents, places, viewers)), contents.facts)


def settle_torch_claims(claims: TorchClaims, file_bytes: int) -> tuple[TensorRange, ...]:
    """Return the tensors of a torch file of its own; one that was saved bare is called `tensor`."""
    tensors, storages = (
        [claim if claim.name else replace(claim, name=_BARE) for claim in part]
        for part in (claims.tensors, claims.storages)
    )
    return settle_claims(tensors, file_bytes, storages)


@dataclass(frozen=True, slots=True)
class _Viewer:
    n_bytes: int
    name: str
    dtype: DType


def _choose(first: _Viewer, second: _Viewer) -> _Viewer:
    """Return the viewer of more bytes, of equals the first in the alphabet."""
    if first.n_bytes != second.n_bytes:
        return first if first.n_bytes > second.n_bytes else second
    return first if first.name <= second.name else second


def _claim_view(
    name: str, tensor: PickledTensor, element: TorchDType, place: StoragePlace, dtype: DType
) -> Iterator[TensorRange]:
    shape = _order_as_stored(tensor.shape, tensor.strides)
    if shape is None:
        return
    offset, n_bytes = tensor.offset * element.item_bytes, prod(shape) * element.item_bytes
    if offset + n_bytes > place.n_bytes:
        return
    yield make_claim(name, dtype, _split_elements(shape, element), place.offset + offset, n_bytes)


def _order_as_stored(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the dimensions in the order of memory if the elements lie there densely, else None."""
    if len(shape) != len(strides):
        return None
    if _is_contiguous(shape, strides):
        return shape
    order = sorted(range(len(shape)), key=lambda axis: (shape[axis] != 1, -strides[axis]))
    permuted = tuple(shape[axis] for axis in order)
    return permuted if _is_contiguous(permuted, tuple(strides[axis] for axis in order)) else None


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def _split_elements(shape: tuple[int, ...], element: TorchDType) -> tuple[int, ...]:
    """Return the shape in our elements: pairs of 4 bits make the last dimension longer, complex numbers add one."""
    if element.n_parts == 1:
        return shape
    if element.dtype == DType.F4 and shape:
        return (*shape[:-1], element.n_parts * shape[-1])
    return (*shape, element.n_parts)


def _claim_storages(
    contents: PickleContents, places: Mapping[str, StoragePlace], viewers: Mapping[str, _Viewer]
) -> Iterator[TensorRange]:
    for storage in contents.storages:
        place = places.get(storage.key)
        if place is None:
            continue
        viewer = viewers.get(storage.key, _Viewer(0, _NAMELESS, DType.OPAQUE))
        yield make_flat_claim(viewer.name, viewer.dtype, place.offset, place.n_bytes)
