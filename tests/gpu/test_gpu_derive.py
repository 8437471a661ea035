"""Elements derived on the device are those that the CPU derives, for patterns of every kind."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cudasim.device import SimulatedDevice
from weightzip.codec.derivation import Derivation, derive
from weightzip.gpu.derive import derive_elements


def _list_patterns() -> NDArray[np.uint32]:
    """List zeros, denormals, ties, overflow, infinities, NaN payloads, and what lies between."""
    upper = np.concatenate(
        [np.arange(0, 1 << 16, 97), [0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x8000, 0xFF80, 0xFFFF]]
    )
    lower = np.array([0, 1, 0x1000, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    patterns: NDArray[np.uint32] = (upper[:, None] << 16 | lower).astype("<u4").reshape(-1)
    return patterns


@pytest.mark.parametrize("derivation", Derivation)
def test_every_derivation(derivation: Derivation) -> None:
    patterns, device = _list_patterns(), SimulatedDevice()
    companion, out = device.upload(patterns), device.allocate(2 * len(patterns))
    derive_elements(device, companion.address, out.address, len(patterns), derivation)
    derived = device.download(out.address, out.n_bytes)
    assert derived.tobytes() == bytes(derive(patterns.tobytes(), derivation))
