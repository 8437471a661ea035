"""`.distcp` files of PyTorch's distributed checkpoints: items that tile the file, each a complete torch zip.

`.metadata` beside the file names the items. Where it is missing, or is that of another save, the items are found from
the file alone and are numbered: a file that is not whole is opaque either way. Items that went through a transform
(compression) are glue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from weightzip.codec.containers.claim import settle_claims
from weightzip.codec.containers.dcp_metadata import NamedItem, find_items
from weightzip.codec.containers.dcp_walk import ZIP_MAGIC, walk_items
from weightzip.codec.containers.dtype_names import DTYPES_BY_NAME
from weightzip.codec.containers.pickles import DcpItem
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_zip import TorchClaims, list_torch_zip_claims
from weightzip.codec.containers.window_source import WindowSource
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.source import ByteSource

_SUFFIX = ".distcp"


def read_dcp_layout(source: ByteSource, surroundings: Surroundings) -> Layout | None:
    """Return the layout of a `.distcp` file, None if it is none that is whole.

    Without metadata, a file of a single item is a torch zip, and left to the reader of those.
    """
    if not surroundings.name.endswith(_SUFFIX) and not _begins_as_zip(source):
        return None
    items = find_items(surroundings)
    claims = _claim_named(source, items) if items else None
    if claims is None:
        claims = _claim_numbered(source)
    if claims is None:
        return None
    return Layout(ContainerKind.DCP, source.size_bytes, settle_claims(claims, source.size_bytes))


def _begins_as_zip(source: ByteSource) -> bool:
    return source.size_bytes >= len(ZIP_MAGIC) and source.read_at(0, len(ZIP_MAGIC)) == ZIP_MAGIC


def _claim_named(source: ByteSource, items: Sequence[NamedItem]) -> list[TensorRange] | None:
    """Return what the items claim, None if they do not fit the file."""
    end = 0
    for named in items:
        if named.item.offset != end or named.item.n_bytes < 0:
            return None
        end += named.item.n_bytes
    if end != source.size_bytes:
        return None
    plain = [named for named in items if not named.item.transforms]
    windows = [WindowSource(source, named.item.offset, named.item.n_bytes) for named in plain]
    claims: list[TensorRange] = []
    for named, window, inner in zip(plain, windows, list_torch_zip_claims(windows), strict=True):
        if not _fits(named.item, inner):
            return None
        claims += _place_claims(named.name, window.offset, inner)
    return claims


def _claim_numbered(source: ByteSource) -> list[TensorRange] | None:
    """Return what the items claim that are found from the file alone, None if it has not several of them."""
    places = walk_items(source)
    if places is None or len(places) < 2:
        return None
    windows = [WindowSource(source, offset, n_bytes) for offset, n_bytes in places]
    return [
        claim
        for number, (window, inner) in enumerate(zip(windows, list_torch_zip_claims(windows), strict=True))
        for claim in _place_claims(f"item.{number}", window.offset, inner)
    ]


def _fits(item: DcpItem, inner: TorchClaims | None) -> bool:
    """Return whether an item holds what the metadata say; those of another save would not."""
    if item.dtype is None or item.chunk_shape is None:  # no tensor, but any bytes
        return True
    if inner is None:
        return False
    expected = DTYPES_BY_NAME.get(item.dtype, DType.OPAQUE)
    return all(
        tensor.dtype in {expected, DType.OPAQUE} and prod(tensor.shape) == prod(item.chunk_shape)
        for tensor in inner.tensors
        if not tensor.name
    )


def _place_claims(name: str, offset: int, inner: TorchClaims | None) -> Iterator[TensorRange]:
    """Yield the claims of an item at their place in the file, under its name and their own."""
    if inner is None:
        return
    for claim in (*inner.tensors, *inner.storages):
        whole_name = f"{name}.{claim.name}" if claim.name else name
        yield replace(claim, name=whole_name, offset=offset + claim.offset)
