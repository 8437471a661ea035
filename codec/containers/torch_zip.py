"""Files of torch.save since torch 1.6: a zip archive of a pickle and the storages that it refers to.

TorchScript archives hold a second pickle of constants. Storages are files of the archive, stored as they are; one that
is deflated is no storage to us. Names that torch gave to the archive or to its files count for nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weightzip.codec.containers.naming import name_logically
from weightzip.codec.containers.pickles import MAX_PICKLE_BYTES, PickleContents, PickleFacts, read_pickles
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_claims import (
    StoragePlace,
    TorchClaims,
    make_torch_claims,
    settle_torch_claims,
)
from weightzip.codec.containers.zip_directory import ZipEntry, read_zip_directory
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.format.limits import MAX_TENSORS
from weightzip.codec.source import BytesLike, ByteSource

# The pickles of an archive, by the folder of their storages, and what goes before the names of their tensors.
_PICKLES = {"data": "", "constants": "constants."}
_MAX_BYTEORDER_BYTES = 16
# One child reads pickles of about so many bytes: enough for hundreds of small ones.
_BATCH_BYTES = 16 << 20
# Tensors, their storages and as many views: a few bytes of a pickle may claim the same again and again.
_MAX_CLAIMS = 4 * MAX_TENSORS


@dataclass(frozen=True)
class _Archive:
    entries: Mapping[str, ZipEntry]
    is_little_endian: bool
    pickles: Mapping[str, BytesLike]

    @property
    def pickle_bytes(self) -> int:
        return sum(map(len, self.pickles.values()))


def read_torch_zip_layout(source: ByteSource, surroundings: Surroundings) -> Layout | None:
    """Return the layout of a torch zip, None if it is none."""
    (claims,) = list_torch_zip_claims([source])
    if claims is None:
        return None
    tensors = settle_torch_claims(name_logically(claims, surroundings, _read_facts), source.size_bytes)
    return Layout(ContainerKind.TORCH_ZIP, source.size_bytes, tensors)


def _read_facts(source: ByteSource) -> PickleFacts | None:
    (claims,) = list_torch_zip_claims([source])
    return claims.facts if claims is not None else None


def list_torch_zip_claims(windows: Sequence[ByteSource]) -> list[TorchClaims | None]:
    """Return what torch zips claim, each in the coordinates of its window; None for each window that is none.

    All their pickles are read by one child process: give all windows of a file in one call. A tensor that was saved
    bare has the empty name.
    """
    claims: list[TorchClaims | None] = []
    batch: list[_Archive | None] = []
    batch_bytes = 0
    for window in windows:
        batch.append(_open_archive(window))
        batch_bytes += batch[-1].pickle_bytes if batch[-1] else 0
        if batch_bytes > _BATCH_BYTES:
            claims += _list_claims(batch)
            batch, batch_bytes = [], 0
            if sum(map(_count_claims, claims)) > _MAX_CLAIMS:
                break
    claims += _list_claims(batch)
    return claims if sum(map(_count_claims, claims)) <= _MAX_CLAIMS else [None] * len(windows)


def _count_claims(claims: TorchClaims | None) -> int:
    return len(claims.tensors) + len(claims.storages) if claims is not None else 0


def _list_claims(archives: list[_Archive | None]) -> list[TorchClaims | None]:
    pickles = [pickle for archive in archives if archive for pickle in archive.pickles.values()]
    contents = iter(read_pickles(pickles))
    return [_claim(archive, contents) if archive else None for archive in archives]


def _open_archive(source: ByteSource) -> _Archive | None:
    entries = {
        _strip_folder(entry.name): entry for entry in read_zip_directory(source) or () if entry.is_stored
    }
    pickles = {folder: entries[f"{folder}.pkl"] for folder in _PICKLES if f"{folder}.pkl" in entries}
    if "data" not in pickles or sum(entry.n_bytes for entry in pickles.values()) > MAX_PICKLE_BYTES:
        return None
    order = entries.get("byteorder")
    return _Archive(
        entries,
        order is None or _read_byteorder(source, order) == b"little",
        {folder: source.read_at(entry.offset, entry.n_bytes) for folder, entry in pickles.items()},
    )


def _strip_folder(name: str) -> str:
    """Return the name of a file without the folder that all of them are in, which has the name of the saved file."""
    return name.partition("/")[2] or name


def _read_byteorder(source: ByteSource, entry: ZipEntry) -> bytes:
    return bytes(source.read_at(entry.offset, min(entry.n_bytes, _MAX_BYTEORDER_BYTES)))


def _claim(archive: _Archive, contents: Iterator[PickleContents | None]) -> TorchClaims | None:
    """Return the claims of an archive, whose pickles' contents come next."""
    parts = [
        _claim_part(archive, folder, known)
        for folder in archive.pickles
        if (known := next(contents)) is not None
    ]
    if len(parts) < len(archive.pickles):
        return None
    tensors = tuple(tensor for part in parts for tensor in part.tensors)
    storages = tuple(storage for part in parts for storage in part.storages)
    return TorchClaims(tensors, storages, parts[0].facts)


def _claim_part(archive: _Archive, folder: str, contents: PickleContents) -> TorchClaims:
    places = {}
    for storage in contents.storages:
        entry = archive.entries.get(f"{folder}/{storage.key}")
        if entry is not None:
            places[storage.key] = StoragePlace(entry.offset, entry.n_bytes)
    is_little_endian, prefix = archive.is_little_endian, _PICKLES[folder]
    return make_torch_claims(contents, places, is_little_endian=is_little_endian, prefix=prefix)
