"""How much shared memory a frame takes, how a warp's is divided, and how many warps have room."""

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


def divide_warp_memory(row: Any, element_bytes: int) -> None:
    """Set the offsets of a row of FRAME: after its streams, what the frame needs of a stretch, one after another."""
    end = WARP_MEMORY_BYTES + int(row["n_streams"]) * STREAM_BYTES
    for field, is_needed, n_bytes in (
        ("contexts_offset", row["context_input"] != 0, STRETCH_ELEMENTS),
        ("low_contexts_offset", row["has_low_contexts"] != 0, STRETCH_ELEMENTS),
        ("scales_offset", row["n_sections"] != 0, STRETCH_ELEMENTS * element_bytes),
    ):
        row[field] = end
        end += n_bytes if is_needed else 0
    row["warp_bytes"] = end


def share_memory(row: Any) -> SharedMemory:
    """Return what a frame, a divided row of FRAME, gets: its tables if half of all warps have room beside them."""
    fixed_bytes, warp_bytes = FRAME.itemsize, int(row["warp_bytes"])
    for n_warps in (MAX_WARPS, MAX_WARPS // 2):
        n_bytes = fixed_bytes + int(row["table_bytes"]) + n_warps * warp_bytes
        if n_bytes <= MAX_SHARED_BYTES:
            return SharedMemory(n_warps, n_bytes, True)
    n_warps = min(MAX_WARPS, (MAX_SHARED_BYTES - fixed_bytes) // warp_bytes)
    return SharedMemory(n_warps, fixed_bytes + n_warps * warp_bytes, False)
