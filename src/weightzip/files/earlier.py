"""The files of a predecessor checkpoint, looked through for tensors that moved from one of them to another."""

from bisect import bisect
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence

from weightzip.codec.format.layout import TensorRange
from weightzip.codec.format.limits import MAX_REFERENCES, MAX_TENSORS
from weightzip.codec.joining.earlier_tensors import EarlierTensors, Tensors

# A change of the number of shards moves tensors to neighbours; who needs more files than this may do without.
_MAX_LOOKED_THROUGH = 64


class EarlierFiles:
    """Tells by name in which files tensors lay. Layouts are read when they are asked for, the last ones kept."""

    def __init__(self, paths: Iterable[str], read_tensors: Callable[[str], Tensors]) -> None:
        """Take the paths of the files within their checkpoint, and what reads the tensors of one."""
        self._paths = sorted(paths)
        self._read_tensors = read_tensors
        self._kept: OrderedDict[str, EarlierTensors] = OrderedDict()

    def find_moved(
        self, lacking: Sequence[TensorRange], near: str, known: str | None = None
    ) -> Sequence[str]:
        """Return the paths of files that hold any of these tensors, the most bytes first.

        Looked through are those whose paths are like `near`, until all is found; `known` is not looked at again.
        """
        n_bytes: Counter[str] = Counter()
        for path in self._list_near(near, known):
            tensors = self._read(path)
            found_bytes = list(map(tensors.count_bytes, lacking))
            if any(found_bytes):
                n_bytes[path] = sum(found_bytes)
                lacking = [
                    tensor
                    for tensor, found in zip(lacking, found_bytes, strict=True)
                    if found < tensor.n_bytes
                ]
            if not lacking:
                break
        return [path for path, _ in n_bytes.most_common(MAX_REFERENCES - 1)]

    def _list_near(self, near: str, known: str | None) -> Iterator[str]:
        """Yield paths, those next to `near` in the alphabet first."""
        place = bisect(self._paths, near)
        order = sorted(range(len(self._paths)), key=lambda index: (abs(index - place), index))
        paths = [self._paths[index] for index in order[: _MAX_LOOKED_THROUGH + 1]]
        return (path for path in paths if path != known)

    def _read(self, path: str) -> EarlierTensors:
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        self._kept[path] = tensors = EarlierTensors({0: self._read_tensors(path)})
        while sum(one.n_tensors for one in self._kept.values()) > MAX_TENSORS and len(self._kept) > 1:
            self._kept.popitem(last=False)
        return tensors
