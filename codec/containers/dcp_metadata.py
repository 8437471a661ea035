"""The `.metadata` file of a DCP checkpoint: what it says of one `.distcp` file. All files of a checkpoint share it."""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock

from weightzip.codec.containers.chunk_names import name_chunk
from weightzip.codec.containers.pickles import DcpItem, read_dcp_metadata
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.format.checksum import DigestBuilder

_METADATA = ".metadata"
_RANK = re.compile(r"__(\d+)_\d+\.distcp")
# Some hundred bytes an item: more than any checkpoint has.
_MAX_METADATA_BYTES = 512 << 20
_N_KEPT = 2


@dataclass(frozen=True)
class NamedItem:
    """An item, and the name that it has in the checkpoint: with its offset, if the tensor has several chunks."""

    name: str
    item: DcpItem


ItemsByFile = Mapping[str, tuple[NamedItem, ...]]


class _Kept:
    """The last metadata that were read, by digest: hundreds of files ask for the same, several at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_digest: OrderedDict[bytes, ItemsByFile] = OrderedDict()

    def get(self, pickle: bytes) -> ItemsByFile:
        builder = DigestBuilder()
        builder.update(pickle)
        digest = builder.digest()
        with self._lock:  # while one file's reader parses, the others wait for what it finds
            if digest not in self._by_digest:
                self._by_digest[digest] = _group_items(pickle)
                while len(self._by_digest) > _N_KEPT:
                    self._by_digest.popitem(last=False)
            self._by_digest.move_to_end(digest)
            return self._by_digest[digest]


_kept = _Kept()


def find_items(surroundings: Surroundings) -> tuple[NamedItem, ...]:
    """Return what the metadata beside a file say of it, in the order of the file; empty if they say nothing."""
    for name in _name_metadata(surroundings.name):
        with surroundings.open_file(name) as source:
            if source is None or source.size_bytes > _MAX_METADATA_BYTES:
                continue
            items = _kept.get(bytes(source.read_at(0, source.size_bytes))).get(surroundings.name)
            if items:
                return items
    return ()


def _name_metadata(file_name: str) -> Iterator[str]:
    yield _METADATA
    rank = _RANK.fullmatch(file_name)
    if rank is not None:  # ranks that do not talk to each other write one each
        yield f"__{rank[1]}{_METADATA}"


def _group_items(pickle: bytes) -> ItemsByFile:
    metadata = read_dcp_metadata(pickle)
    if metadata is None:
        return {}
    by_file: dict[str, list[NamedItem]] = defaultdict(list)
    for item in metadata.items:
        tensor = metadata.tensors.get(item.fqn)
        is_chunk = tensor is not None and tensor.n_chunks > 1
        by_file[item.file_name].append(NamedItem(_name_item(item, is_chunk), item))
    return {
        name: tuple(sorted(items, key=lambda named: (named.item.offset, named.item.n_bytes)))
        for name, items in by_file.items()
    }


def _name_item(item: DcpItem, is_chunk: bool) -> str:
    if not is_chunk or item.chunk_offset is None:
        return item.fqn
    return name_chunk(item.fqn, item.chunk_offset)
