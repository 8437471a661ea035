"""The golden archives, decoded by kernels. As a program: decode those that are named, under sanitizers.

    python -m cudasim.golden_archives SANITIZERS NAME... [-- OLD NEW]...

SANITIZERS as for -fsanitize; OLD and NEW are changes of the source. It fails if other bytes come out.
"""

import sys
from itertools import pairwise
from pathlib import Path

from cudasim.device import SimulatedDevice
from shards.archives import MemoryPredecessor
from weightzip.codec.backend import CpuBackend
from weightzip.codec.decoder import decode_shard
from weightzip.codec.reader import Archive
from weightzip.codec.source import BytesLike, MemorySource
from weightzip.gpu.backend import GpuBlockDecoder
from weightzip.gpu.device import Device

VECTORS = sorted((Path(__file__).parents[1] / "golden/vectors").glob("*.wzst"))


class _GpuBackend(CpuBackend):
    """Decodes on a device, and leaves everything else to the CPU."""

    def __init__(self, device: Device) -> None:
        super().__init__(n_threads=1)
        self._decoder = GpuBlockDecoder(device)

    def decode_blocks(
        self,
        group: BytesLike,
        predecessor: BytesLike | None,
        companion: BytesLike | None,
        out: memoryview,
        place: str,
    ) -> None:
        self._decoder.decode_blocks(group, predecessor, companion, out, place)


def decode_vector(vector: Path, device: Device) -> bytes:
    """Return the shard of a golden archive."""
    bases = [
        MemoryPredecessor(base.read_bytes()) for base in sorted(vector.parent.glob(f"{vector.stem}.base*"))
    ]
    archive = Archive(MemorySource(vector.read_bytes()), beside=bases, backend=_GpuBackend(device))
    return b"".join(decode_shard(archive, n_threads=1))


def main(arguments: list[str]) -> None:
    """Decode vectors; see the head of this file."""
    sanitizers, *rest = arguments
    end = rest.index("--") if "--" in rest else len(rest)
    changes = tuple(list(pairwise(rest[end + 1 :]))[::2])
    device = SimulatedDevice(sanitizers=sanitizers, changes=changes)
    for vector in VECTORS:
        if (
            vector.stem in rest[:end]
            and decode_vector(vector, device) != vector.with_suffix(".raw").read_bytes()
        ):
            raise SystemExit(f"{vector.stem}: other bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
