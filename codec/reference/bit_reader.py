"""Bits of a byte string, bit 0 of the first byte first."""

import numpy as np

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

# The longest number of the format, a factor, has 17 digits; anything longer is damage.
_MAX_ZEROS = 32
_ONE = b"\1"


class BitReader:
    """Reads bit fields front to back."""

    def __init__(self, data: BytesLike) -> None:
        self._bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little").tobytes()
        self._position = 0

    def read(self, n_bits: int) -> int:
        """Return the next n_bits as a number, least significant bit first."""
        return sum(bit << place for place, bit in enumerate(self._take(n_bits)))

    def read_exp_golomb(self, order: int) -> int:
        """Return the next number in the Exp-Golomb code of the order."""
        n_zeros = self._bits.find(_ONE, self._position, self._position + _MAX_ZEROS + 1) - self._position
        if n_zeros < 0:
            raise CorruptData("a number of the bit stream has too many digits or none")
        self._take(n_zeros)
        value = 0
        for digit in self._take(1 + n_zeros + order):
            value = 2 * value + digit
        return value - (1 << order)

    def finish(self) -> None:
        """Raise CorruptData unless fewer than 8 bits are left, all 0."""
        left = self._bits[self._position :]
        if len(left) >= 8 or any(left):
            raise CorruptData("bits follow the end of a bit stream")

    def _take(self, n_bits: int) -> bytes:
        """Return the next n_bits, one a byte."""
        taken = self._bits[self._position : self._position + n_bits]
        if len(taken) < n_bits:
            raise CorruptData("a bit stream ends early")
        self._position += n_bits
        return taken
