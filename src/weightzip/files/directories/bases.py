"""The directory of a predecessor: raw files, archives, or both. Which of them a file leans on, or may.

Further directories may be given: they hold what its archives lean on in turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path

from weightzip.codec.archive_info import ReferenceInfo
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.earlier_tensors import Tensors
from weightzip.codec.predecessor import FilePredecessor, Predecessor
from weightzip.files.catalog import Catalog
from weightzip.files.directories.tree import SUFFIX, FilePair, list_archives, list_files
from weightzip.files.earlier import EarlierFiles
from weightzip.files.opening import open_alone, open_base


class BaseDirectory:
    """The files of predecessor directories (or of none), looked at when they are asked for. The first is paired."""

    def __init__(self, roots: Sequence[Path], n_threads: int) -> None:
        self._roots = roots
        self._root = roots[0] if roots else None
        self._n_threads = n_threads
        self._catalog = Catalog(chain.from_iterable(map(list_archives, roots)))
        self._digests: dict[Path, str] = {}

    @contextmanager
    def open_file(self, path: Path | None) -> Iterator[Predecessor | None]:
        """Yield one of the files, raw or an archive; what the latter leans on is looked for in all directories."""
        digest = self._digests.get(path) if path is not None else None
        with ExitStack() as opened:
            if path is not None and digest is not None and path.suffix != SUFFIX:
                yield self._open_raw(path, opened)
            else:
                raw = [self._open_raw(one, opened) for one in self._list_raw_needed(path)]
                yield opened.enter_context(open_base(path, self._n_threads, self._catalog, raw))

    def holds(self, wanted: ReferenceInfo) -> bool:
        """Return whether one of the files has this digest, or an archive restores one that has."""
        alike = self._raw_by_size.get(wanted.file_bytes, [])
        return any(self.read_digest(path) == wanted.digest for path in alike) or bool(
            self._catalog.list_needed(Path(), [wanted.digest])
        )

    def open_moved(
        self, pair: FilePair, opened: ExitStack, lacking: Sequence[TensorRange]
    ) -> Sequence[Predecessor]:
        """Open the files that hold tensors which the base of a pair lacks; they close with the stack."""
        if self._root is None:
            return ()
        known = None if pair.base is None else str(pair.base.relative_to(self._root))
        paths = self._earlier.find_moved(lacking, near=str(pair.path), known=known)
        files = [opened.enter_context(self.open_file(self._root / path)) for path in paths]
        return [file for file in files if file is not None]

    def open_needed(
        self, needed: Sequence[ReferenceInfo], paired: Sequence[Path], opened: ExitStack
    ) -> list[Predecessor]:
        """Open the files that archives lean on; they close with the stack.

        Paired files are opened too: most archives lean on those alone, and if not, they tell what is wrong.
        """
        found = [self._find(one, paired) for one in needed]
        paths = dict.fromkeys([*paired, *(path for path in found if path is not None)])
        files = [opened.enter_context(self.open_file(path)) for path in paths]
        return [file for file in files if file is not None]

    def _find(self, wanted: ReferenceInfo, paired: Sequence[Path]) -> Path | None:
        """Return the file of this digest. The only raw file of its size is not read for that: frames have checksums."""
        alike = self._raw_by_size.get(wanted.file_bytes, [])
        for path in dict.fromkeys([*paired, *alike]):
            if alike == [path]:
                return path
            if (path in alike or path.suffix == SUFFIX) and self.read_digest(path) == wanted.digest:
                return path
        entries = self._catalog.list_needed(Path(), [wanted.digest])
        return entries[-1].archive if entries else None

    def read_digest(self, path: Path) -> str:
        """Return the digest of one of the files; of an archive, that of what it restores."""
        if path not in self._digests:
            if path.suffix == SUFFIX:
                with open_alone(path) as archive:
                    self._digests[path] = archive.index.file_digest.hex()
            else:
                with closing(FilePredecessor(path, n_threads=self._n_threads)) as file:
                    self._digests[path] = file.digest.hex()
        return self._digests[path]

    def _list_raw_needed(self, path: Path | None) -> list[Path]:
        """Return the raw files that an archive leans on, itself or by way of other archives."""
        if path is None or path.suffix != SUFFIX:
            return []
        entry = self._catalog.find(path)
        if entry is None:
            return []
        entries = [*self._catalog.list_needed(path, entry.needed_digests), entry]
        restored = {one.file_digest for one in entries[:-1]}
        missing = {one.digest: one for entry in entries for one in entry.needed if one.digest not in restored}
        found = [self._find(one, ()) for one in missing.values()]
        return list(dict.fromkeys(one for one in found if one is not None and one.suffix != SUFFIX))

    def _open_raw(self, path: Path, opened: ExitStack) -> FilePredecessor:
        known = self._digests.get(path)
        digest = None if known is None else bytes.fromhex(known)
        return opened.enter_context(closing(FilePredecessor(path, n_threads=self._n_threads, digest=digest)))

    @cached_property
    def _raw_by_size(self) -> Mapping[int, Sequence[Path]]:
        by_size: dict[int, list[Path]] = {}
        for path in chain(self._files, *map(list_files, self._roots[1:])):
            if path.suffix != SUFFIX:
                by_size.setdefault(path.stat().st_size, []).append(path)
        return by_size

    @cached_property
    def _earlier(self) -> EarlierFiles:
        root = self._root or Path()
        return EarlierFiles([str(path.relative_to(root)) for path in self._files], self._read_tensors)

    @cached_property
    def _files(self) -> Sequence[Path]:
        return [] if self._root is None else list(list_files(self._root))

    def _read_tensors(self, path: str) -> Tensors:
        place = (self._root or Path()) / path
        if place.suffix != SUFFIX:
            with closing(FilePredecessor(place)) as file:
                return file.tensors
        with open_alone(place) as archive:
            return {tensor.name: tensor for tensor in archive.index.layout.tensors}
