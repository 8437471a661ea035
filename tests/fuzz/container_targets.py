"""The readers of containers as targets of the fuzzer: a file is theirs and what they say of it is sound, or it is not theirs.

Each gets inputs of its own kind; all at once they are the target `shard`. Those that start processes are not here:
they would get few inputs a second.
"""

from collections.abc import Callable, Mapping
from functools import partial

from weightzip.codec.containers import read_layout
from weightzip.codec.containers.dcp_walk import walk_items
from weightzip.codec.containers.gguf import read_gguf_layout
from weightzip.codec.containers.msgpack import read_msgpack_layout
from weightzip.codec.containers.npy import read_npy_layout
from weightzip.codec.containers.npz import read_npz_layout
from weightzip.codec.containers.safetensors import read_safetensors_layout
from weightzip.codec.containers.tar import read_tar_layout
from weightzip.codec.format.layout import Layout
from weightzip.codec.format.tensor_table import encode_tensor_table
from weightzip.codec.source import ByteSource, MemorySource
from weightzip.errors import CorruptData


def check_layout(layout: Layout, data: bytes) -> None:
    """Raise AssertionError unless a layout is one that an index may hold, and the reader of the index takes."""
    names = [tensor.name for tensor in layout.tensors]
    _require(layout.file_bytes == len(data) and len(set(names)) == len(names))
    end = 0
    for tensor in layout.tensors:
        _require(end <= tensor.offset <= tensor.end <= len(data) and tensor.is_consistent)
        end = tensor.end
    encode_tensor_table(layout.tensors)


def parse_container(read: Callable[[ByteSource], Layout | None], data: bytes) -> None:
    """Take data as a file of one container."""
    layout = read(MemorySource(data))
    if layout is None:
        raise CorruptData("it is none")
    check_layout(layout, data)


def parse_dcp_items(data: bytes) -> None:
    """Take data as the items of a `.distcp` file."""
    end = 0
    for offset, n_bytes in walk_items(MemorySource(data)):
        _require(offset == end and n_bytes > 0)
        end += n_bytes
    if end != len(data):
        raise CorruptData("it is none")


CONTAINER_TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "safetensors": partial(parse_container, read_safetensors_layout),
    "npy": partial(parse_container, read_npy_layout),
    "npz": partial(parse_container, read_npz_layout),
    "gguf": partial(parse_container, read_gguf_layout),
    "msgpack": partial(parse_container, read_msgpack_layout),
    "tar": partial(parse_container, partial(read_tar_layout, read_member=read_layout)),
    "dcp items": parse_dcp_items,
}


def _require(holds: bool) -> None:
    if not holds:
        raise AssertionError("what was found is no layout of this file")
