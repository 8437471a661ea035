"""`.distcp` files of PyTorch's distributed checkpoints: items that tile the file, each a complete torch zip.

`.metadata` beside the file names the items. Where it is missing, or is that of another save, the items are found from
the file alone and are numbered: a file that is not whole is opaque either way. Items that went through a transform
(compression) are glue.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from weightzip.codec.containers.claim import move_claim, settle_claims
from weightzip.codec.containers.dcp_metadata import ItemPlace, find_items
from weightzip.codec.containers.dcp_walk import ZIP_MAGIC, walk_items
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_claims import TorchClaims
from weightzip.codec.containers.torch_zip import list_torch_zip_claims
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
    claims = _list_claims(source, _list_named(source, surroundings))
    claims = claims or _list_claims(source, _list_numbered(source))
    if not claims:
        return None
    tensors = [claim for one in claims for claim in one.tensors]
    storages = [claim for one in claims for claim in one.storages]
    settled = settle_claims(tensors, source.size_bytes, storages)
    return Layout(ContainerKind.DCP, source.size_bytes, settled)


def _begins_as_zip(source: ByteSource) -> bool:
    return source.size_bytes >= len(ZIP_MAGIC) and source.read_at(0, len(ZIP_MAGIC)) == ZIP_MAGIC


def _list_named(source: ByteSource, surroundings: Surroundings) -> Sequence[ItemPlace]:
    """Return the items by the metadata; none if they do not tile the file."""
    items = find_items(surroundings)
    end = 0
    for item in items:
        if item.offset != end or item.n_bytes < 0:
            return ()
        end += item.n_bytes
    return items if end == source.size_bytes else ()


def _list_numbered(source: ByteSource) -> Sequence[ItemPlace]:
    """Return the items that the file alone tells; none if there are not several."""
    places = walk_items(source)
    if len(places) < 2:
        return ()
    return [ItemPlace(f"item.{number}", *place) for number, place in enumerate(places)]


def _list_claims(source: ByteSource, items: Sequence[ItemPlace]) -> list[TorchClaims]:
    """Return what the items claim, at their places in the file; nothing if one is not what the metadata say."""
    plain = [item for item in items if not item.is_transformed]
    windows = [WindowSource(source, item.offset, item.n_bytes) for item in plain]
    claims = []
    for item, inner in zip(plain, list_torch_zip_claims(windows), strict=True):
        if not _fits(item, inner):
            return []
        if inner is not None:
            claims.append(_move_claims(inner, item))
    return claims


def _fits(item: ItemPlace, inner: TorchClaims | None) -> bool:
    """Return whether an item holds the tensor that is expected in it; the metadata of another save expect others."""
    if item.element is None:
        return True
    return inner is not None and all(
        tensor.dtype in {item.element.dtype, DType.OPAQUE} and prod(tensor.shape) == item.n_elements
        for tensor in inner.tensors
        if not tensor.name
    )


def _move_claims(inner: TorchClaims, item: ItemPlace) -> TorchClaims:
    def move(claim: TensorRange) -> TensorRange:
        return move_claim(claim, item.offset, f"{item.name}.{claim.name}" if claim.name else item.name)

    return replace(inner, tensors=tuple(map(move, inner.tensors)), storages=tuple(map(move, inner.storages)))
