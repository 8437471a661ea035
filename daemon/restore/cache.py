"""A bounded directory of archive objects, proven by digest, least recently used out first."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class ObjectCache:
    """Objects by digest in a directory of its own. Safe to use from several threads of one process.

    Objects in use are never evicted: the limit may be exceeded by what one restore needs at one time.
    """

    def __init__(self, directory: Path, limit_bytes: int) -> None:
        raise NotImplementedError

    @property
    def used_bytes(self) -> int:
        """Return the size of everything in the cache, unfinished downloads included."""
        raise NotImplementedError

    @contextmanager
    def hold(self, digest: str, size_bytes: int, fetch: Callable[[Path], None]) -> Iterator[Path]:
        """Give the path of an object that stays there for the length of the `with` block.

        `fetch(partial)` is called on a miss: it appends to `partial` what is missing (the file may hold an earlier
        beginning). Bytes that contradict the digest are fetched anew once, then CorruptData.
        """
        raise NotImplementedError
