"""Reading the layouts of shards in memory."""

from weightzip.codec.containers import read_layout
from weightzip.codec.format.layout import ContainerKind, TensorRange
from weightzip.codec.source import MemorySource


def read_tensors(data: bytes) -> tuple[ContainerKind, dict[str, TensorRange]]:
    """Return what kind of file it is, and its tensors by name in the order of the file."""
    layout = read_layout(MemorySource(data))
    assert layout.file_bytes == len(data)
    return layout.container, {tensor.name: tensor for tensor in layout.tensors}


def cut(data: bytes, tensor: TensorRange) -> bytes:
    """Return the bytes of a tensor."""
    return data[tensor.offset : tensor.end]
