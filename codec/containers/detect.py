"""Finds out what kind of file a shard is. A new container is one module and one line here."""

from collections.abc import Callable

from weightzip.codec.containers.dcp import read_dcp_layout
from weightzip.codec.containers.gguf import read_gguf_layout
from weightzip.codec.containers.msgpack import read_msgpack_layout
from weightzip.codec.containers.npy import read_npy_layout
from weightzip.codec.containers.npz import read_npz_layout
from weightzip.codec.containers.safetensors import read_safetensors_layout
from weightzip.codec.containers.surroundings import NoSurroundings, Surroundings
from weightzip.codec.containers.tar import read_tar_layout
from weightzip.codec.containers.torch_legacy import read_torch_legacy_layout
from weightzip.codec.containers.torch_zip import read_torch_zip_layout
from weightzip.codec.format.layout import ContainerKind, Layout
from weightzip.codec.source import ByteSource

# Asked in this order; each returns None for a file that is not its own.
_READERS: tuple[Callable[[ByteSource, Surroundings], Layout | None], ...] = (
    lambda source, _: read_safetensors_layout(source),
    read_dcp_layout,  # before torch zips: such a file ends as one, too
    read_torch_zip_layout,
    read_torch_legacy_layout,
    lambda source, _: read_npy_layout(source),
    lambda source, _: read_npz_layout(source),
    lambda source, _: read_gguf_layout(source),
    lambda source, _: read_msgpack_layout(source),  # last: it has no magic
)


def read_layout(source: ByteSource, surroundings: Surroundings | None = None) -> Layout:
    """Return the layout of a shard; a file of unknown or damaged format is opaque, never an error.

    `surroundings` are where containers look for names that other files of the checkpoint hold.

    Raises:
        TruncatedData: the source is shorter than it said.
    """
    around = surroundings if surroundings is not None else NoSurroundings()
    return read_tar_layout(source, _read_member) or _read_member(source, around)


def _read_member(source: ByteSource, surroundings: Surroundings) -> Layout:
    for read in _READERS:
        layout = read(source, surroundings)
        if layout is not None:
            return layout
    return Layout(ContainerKind.OPAQUE, source.size_bytes, ())
