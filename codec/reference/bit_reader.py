"""Bits of a byte string, bit 0 of the first byte first."""

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData

# The longest number a table can need has 13 digits; anything longer is damage.
_MAX_DIGITS = 32


class BitReader:
    """Reads bit fields front to back."""

    def __init__(self, data: BytesLike) -> None:
        self._bits = int.from_bytes(data, "little")
        self._n_bits = 8 * len(data)
        self._position = 0

    def read(self, n_bits: int) -> int:
        """Return the next n_bits as a number, least significant bit first."""
        if self._position + n_bits > self._n_bits:
            raise CorruptData("the tables end early")
        value = (self._bits >> self._position) & ((1 << n_bits) - 1)
        self._position += n_bits
        return value

    def read_exp_golomb(self, order: int) -> int:
        """Return the next number in the Exp-Golomb code of the order."""
        n_zeros = 0
        while self.read(1) == 0:
            n_zeros += 1
            if n_zeros > _MAX_DIGITS:
                raise CorruptData("a frequency has too many digits")
        value = 1
        for _ in range(n_zeros + order):
            value = 2 * value + self.read(1)
        return value - (1 << order)

    def finish(self) -> None:
        """Raise CorruptData unless fewer than 8 bits are left, all 0."""
        left = self._n_bits - self._position
        if left >= 8 or self.read(left) != 0:
            raise CorruptData("bits follow the last table")
