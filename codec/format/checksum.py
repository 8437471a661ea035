"""Checksums (XXH3-64, find damage) and digests (BLAKE3, identify files) as the format uses them."""

import xxhash
from blake3 import blake3

from weightzip.codec.source import BytesLike

DIGEST_BYTES = 32


def compute_checksum(*parts: BytesLike) -> int:
    """Return the XXH3-64, with seed 0, of the parts as if they were concatenated."""
    if len(parts) == 1:
        return xxhash.xxh3_64_intdigest(parts[0])
    state = xxhash.xxh3_64()
    for part in parts:
        state.update(part)
    return state.intdigest()


class DigestBuilder:
    """Computes the BLAKE3 digest of bytes that come in parts. `n_threads` 0 uses all cores."""

    def __init__(self, n_threads: int = 0) -> None:
        self._state = blake3(max_threads=n_threads or blake3.AUTO)

    def update(self, data: BytesLike) -> None:
        """Append data."""
        self._state.update(data)

    def digest(self) -> bytes:
        """Return the digest of what was appended so far."""
        return self._state.digest()
