"""Deriving 2-byte elements from fp32 on a device (docs/format.md, "Data frame body", method derived)."""

import numpy as np

from weightzip.codec.derivation import Derivation
from weightzip.gpu.device import Device

_N_THREADS = 256
# A thread goes on with what is that many blocks further.
_MAX_BLOCKS = 4096


def derive_elements(
    device: Device, companion: int, out: int, n_elements: int, derivation: Derivation
) -> None:
    """Derive n_elements (1 or more) at `out` from as many fp32 elements at `companion`; both are addresses."""
    n_blocks = min(-(-n_elements // _N_THREADS), _MAX_BLOCKS)
    arguments: list[np.generic] = [
        np.uint64(companion),
        np.uint64(out),
        np.uint32(n_elements),
        np.uint32(derivation),
    ]
    device.launch("derive_elements", n_blocks, _N_THREADS, arguments, 0)
