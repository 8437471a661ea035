"""npz files: a zip archive of npy files. What was deflated is glue: it is compressed already."""

from collections.abc import Iterator

from weightzip.codec.containers.claim import move_claim, settle_claims
from weightzip.codec.containers.npy import claim_array
from weightzip.codec.containers.window_source import WindowSource
from weightzip.codec.containers.zip_directory import ZipEntry, read_zip_directory
from weightzip.codec.format.layout import ContainerKind, Layout, TensorRange
from weightzip.codec.source import ByteSource

_SUFFIX = ".npy"


def read_npz_layout(source: ByteSource) -> Layout | None:
    """Return the layout of an npz file, None if it is none that is whole and makes sense."""
    entries = read_zip_directory(source)
    if not entries or not all(entry.name.endswith(_SUFFIX) for entry in entries):
        return None
    claims = settle_claims(_claim_arrays(source, entries), source.size_bytes)
    return Layout(ContainerKind.NPZ, source.size_bytes, claims)


def _claim_arrays(source: ByteSource, entries: tuple[ZipEntry, ...]) -> Iterator[TensorRange]:
    for entry in entries:
        name = entry.name.removesuffix(_SUFFIX)
        window = WindowSource(source, entry.offset, entry.n_bytes)
        claim = claim_array(window, name) if entry.is_stored else None
        if claim is not None:
            yield move_claim(claim, entry.offset, name)
