"""The `.metadata` file of a DCP checkpoint: what it says of one `.distcp` file. All files of a checkpoint share it."""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from threading import Lock

from weightzip.codec.containers.fragment_names import name_fragment
from weightzip.codec.containers.pickles import MAX_PICKLE_BYTES, DcpItem, read_dcp_metadata
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.containers.torch_dtypes import TorchDType, find_torch_dtype
from weightzip.codec.format.checksum import DigestBuilder

_METADATA = ".metadata"
_RANK = re.compile(r"__(\d+)_\d+\.distcp")
_N_KEPT = 2


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """An item of a `.distcp` file: its name in the checkpoint, with its offset if the tensor has several fragments.

    `n_elements` of `element` are expected in it; None where it is no tensor, or of a dtype that is not known here.
    """

    name: str
    offset: int
    n_bytes: int
    is_transformed: bool = False
    element: TorchDType | None = None
    n_elements: int = 0


ItemsByFile = Mapping[str, tuple[ItemPlace, ...]]


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


def find_items(surroundings: Surroundings) -> tuple[ItemPlace, ...]:
    """Return what the metadata beside a file say of it, in the order of the file; empty if they say nothing."""
    for name in _name_metadata(surroundings.name):
        with surroundings.open_file(name) as source:
            if source is None or source.size_bytes > MAX_PICKLE_BYTES:
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
    by_file: dict[str, list[ItemPlace]] = defaultdict(list)
    for item in metadata.items:
        tensor = metadata.tensors.get(item.fqn)
        by_file[item.file_name].append(
            _place_item(item, is_fragment=tensor is not None and tensor.n_fragments > 1)
        )
    return {
        name: tuple(sorted(items, key=lambda item: (item.offset, item.n_bytes)))
        for name, items in by_file.items()
    }


def _place_item(item: DcpItem, *, is_fragment: bool) -> ItemPlace:
    is_transformed = len(item.transforms) > 0
    if item.fragment_offset is None or item.fragment_shape is None:
        return ItemPlace(item.fqn, item.offset, item.n_bytes, is_transformed)
    name = name_fragment(item.fqn, item.fragment_offset) if is_fragment else item.fqn
    element = find_torch_dtype(item.dtype or "")
    n_elements = prod(item.fragment_shape) * (element.n_parts if element is not None else 0)
    return ItemPlace(name, item.offset, item.n_bytes, is_transformed, element, n_elements)
