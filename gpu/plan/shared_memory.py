"""How much shared memory a frame takes, and how many warps have room. kernels/decode.cu divides the memory alike."""

from dataclasses import dataclass
from typing import Any

from weightzip.gpu.plan.layout import FRAME, STREAM_BYTES, STRETCH_ELEMENTS, WARP_MEMORY_BYTES

MAX_WARPS = 8
# What a block may have on every device since the A100 (there 163 KiB), unless its tables stay outside.
MAX_SHARED_BYTES = 163 << 10


@dataclass(frozen=True)
class SharedMemory:
    """Warps in a block of threads, the bytes it asks for, and whether tables are among them."""

    n_warps: int
    n_bytes: int
    has_tables: bool


def share_memory(row: Any, element_bytes: int) -> SharedMemory:
    """Return what a frame, a row of FRAME, gets: all warps if they have room beside the tables, else fewer, down to half."""
    warp_bytes = _count_warp_bytes(row, element_bytes)
    table_bytes = int(row["table_bytes"])
    for n_warps in (MAX_WARPS, MAX_WARPS // 2):
        n_bytes = table_bytes + FRAME.itemsize + n_warps * warp_bytes
        if n_bytes <= MAX_SHARED_BYTES:
            return SharedMemory(n_warps, n_bytes, True)
    return SharedMemory(MAX_WARPS, FRAME.itemsize + MAX_WARPS * warp_bytes, False)


def _count_warp_bytes(row: Any, element_bytes: int) -> int:
    scale_bytes = STRETCH_ELEMENTS * element_bytes if row["n_sections"] else 0
    return WARP_MEMORY_BYTES + int(row["n_streams"]) * STREAM_BYTES + scale_bytes
