"""Files of torch.save before torch 1.6 (`_use_new_zipfile_serialization=False` since): five pickles, then the storages.

The pickles are a magic number, a protocol, what the machine was, the object and the keys of the storages. Keys are
addresses of memory: they differ from save to save, and so does the order of the storages. Names come from the object.
"""

from weightzip.codec.containers.naming import name_logically
from weightzip.codec.containers.pickles import LegacyContents, PickleFacts, read_legacy_pickles
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_claims import (
    StoragePlace,
    TorchClaims,
    make_torch_claims,
    settle_torch_claims,
)
from weightzip.codec.containers.torch_dtypes import find_torch_dtype
from weightzip.codec.containers.unreadable import Unreadable
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.source import ByteSource

_MAGIC = bytes.fromhex("8a0a6cfc9c46f9206aa850192e")  # a number of 10 bytes, then the end of the pickle
_MAGIC_AT = 2  # after the protocol of the pickle
_LENGTH_BYTES = 8
# The size of the pickles is not known before they are read: so much of a file is tried, one after another.
_FRONT_BYTES = (1 << 20, 16 << 20, 128 << 20)


def read_torch_legacy_layout(source: ByteSource, surroundings: Surroundings) -> Layout | None:
    """Return the layout of a file of old, None if it is none, or does not end where its storages do."""
    claims = _read_claims(source)
    if claims is None:
        return None
    tensors = settle_torch_claims(name_logically(claims, surroundings, _read_facts), source.size_bytes)
    return Layout(ContainerKind.TORCH_LEGACY, source.size_bytes, tensors)


def _read_facts(source: ByteSource) -> PickleFacts | None:
    claims = _read_claims(source)
    return claims.facts if claims is not None else None


def _read_claims(source: ByteSource) -> TorchClaims | None:
    if not _has_magic(source):
        return None
    for front_bytes in _FRONT_BYTES:
        contents = read_legacy_pickles(source.read_at(0, min(front_bytes, source.size_bytes)))
        if contents is not None or front_bytes >= source.size_bytes:
            break
    try:
        return None if contents is None else _claim(source, contents)
    except Unreadable:
        return None


def _has_magic(source: ByteSource) -> bool:
    n_bytes = _MAGIC_AT + len(_MAGIC)
    return source.size_bytes > n_bytes and bytes(source.read_at(0, n_bytes))[_MAGIC_AT:] == _MAGIC


def _claim(source: ByteSource, legacy: LegacyContents) -> TorchClaims:
    places = _place_storages(source, legacy)
    return make_torch_claims(legacy.contents, places, is_little_endian=legacy.is_little_endian)


def _place_storages(source: ByteSource, legacy: LegacyContents) -> dict[str, StoragePlace]:
    """Return where the storages lie, one after another behind the pickles, each behind its number of elements."""
    dtypes = {storage.key: find_torch_dtype(storage.dtype) for storage in legacy.contents.storages}
    places: dict[str, StoragePlace] = {}
    position = legacy.contents.n_bytes
    for key in legacy.keys:
        element = dtypes.get(key)
        if element is None or key in places or position + _LENGTH_BYTES > source.size_bytes:
            raise Unreadable
        n_elements = int.from_bytes(source.read_at(position, _LENGTH_BYTES), "little")
        places[key] = StoragePlace(position + _LENGTH_BYTES, n_elements * element.item_bytes)
        position += _LENGTH_BYTES + n_elements * element.item_bytes
    if position != source.size_bytes:
        raise Unreadable
    return places
