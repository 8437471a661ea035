"""Levels: how much time the encoder may take for fewer bytes. The decoder knows nothing of them."""

from enum import Enum

from weightzip.errors import UsageError


class Level(str, Enum):
    """How hard to try. See docs/performance.md for what each costs and saves."""

    FAST = "fast"
    DEFAULT = "default"
    MAX = "max"

    @classmethod
    def parse(cls, name: "Level | str") -> "Level":
        """Return the level of that name. Raises UsageError if there is none."""
        try:
            return cls(name)
        except ValueError:
            raise UsageError(f"{name!r} is no level: it is one of {', '.join(cls)}") from None

    @property
    def rank(self) -> int:
        """Return the place of the level in their order."""
        return _RANKS[self]

    @property
    def zstd_level(self) -> int:
        """Return the level of zstd for bytes that no recipe fits."""
        return _ZSTD_LEVELS[self]


_RANKS = {level: rank for rank, level in enumerate(Level)}
# 3 is the knee: 9 gains under 2 % on headers and pickles and costs four times the time.
_ZSTD_LEVELS = {Level.FAST: 1, Level.DEFAULT: 3, Level.MAX: 15}
