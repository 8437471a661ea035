"""Finds out what kind of file a shard is. A new container is one module and one line here."""

from collections.abc import Callable

from weightzip.codec.containers.safetensors import read_safetensors_layout
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.source import ByteSource

# Asked in this order; each returns None for a file that is not its own.
_READERS: tuple[Callable[[ByteSource], Layout | None], ...] = (read_safetensors_layout,)


def read_layout(source: ByteSource) -> Layout:
    """Return the layout of a shard; a file of unknown or damaged format is opaque, never an error.

    Raises:
        TruncatedData: the source is shorter than it said.
    """
    for read in _READERS:
        layout = read(source)
        if layout is not None:
            return layout
    return Layout(ContainerKind.OPAQUE, source.size_bytes, ())
