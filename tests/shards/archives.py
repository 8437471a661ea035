"""Archives in memory, for tests below the file operations."""

from collections.abc import Iterable, Sequence

from weightzip.codec.backend import BlockBackend, CpuBackend
from weightzip.codec.containers import read_layout
from weightzip.codec.encoder import encode_shard
from weightzip.codec.format.checksum import DigestBuilder
from weightzip.codec.format.layout import Layout, TensorRange
from weightzip.codec.joining.join import join_shard
from weightzip.codec.joining.moved import FindMoved, find_nothing
from weightzip.codec.predecessor import Predecessor
from weightzip.codec.source import BytesLike, MemorySource
from weightzip.codec.writer import ArchiveWriter


class MemoryPredecessor(MemorySource):
    """A Predecessor over bytes in memory."""

    def __init__(self, data: bytes, layout: Layout | None = None) -> None:
        super().__init__(data)
        self.digest = compute_digest(data)
        tensors = (layout or read_layout(MemorySource(data))).tensors
        self.tensors: dict[str, TensorRange] = {tensor.name: tensor for tensor in tensors}


def compute_digest(data: bytes) -> bytes:
    """Return the BLAKE3 digest of bytes."""
    builder = DigestBuilder(n_threads=1)
    builder.update(data)
    return builder.digest()


def map_by_digest(files: Iterable[MemoryPredecessor]) -> dict[bytes, BytesLike]:
    """Return the bytes of files by their digests, as the reference decoder takes its inputs."""
    return {file.digest: file.read_at(0, file.size_bytes) for file in files}


def build_archive(
    shard: bytes,
    predecessor: Predecessor | None = None,
    *,
    beside: Sequence[Predecessor] = (),
    backend: BlockBackend | None = None,
    layout: Layout | None = None,
    find_moved: FindMoved = find_nothing,
) -> bytes:
    """Return the archive of a shard; `layout` is what a container says of it, None to read it."""
    source = MemorySource(shard)
    layout = layout or read_layout(source)
    out = bytearray()
    join = join_shard(source, layout, predecessor, beside, find_moved)
    writer = ArchiveWriter(out.extend, join.header)
    frames = encode_shard(source, join, backend or CpuBackend(1), verify=True, name="a shard")
    for _, frame in frames:
        writer.add_frame(frame)
    writer.finish(layout, join.arrangement, compute_digest(shard))
    return bytes(out)
