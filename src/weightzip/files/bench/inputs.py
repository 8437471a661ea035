"""Which files are measured, and against which predecessor each."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weightzip.errors import NotFound, UsageError
from weightzip.files.directories.tree import pair_files, read_tree
from weightzip.files.opening import open_source


@dataclass(frozen=True)
class BenchInput:
    """One file to measure, and its predecessor if there is one.

    Files of the same `checkpoint`, a directory, were saved together: they may lean on each other.
    """

    source: Path
    base: Path | None
    checkpoint: Path


def list_inputs(paths: Sequence[Path], base: Path | None) -> list[BenchInput]:
    """Return the files that the paths mean, in order, each once; all of them and their predecessors can be opened.

    A directory stands for the regular files in it, paired with those of `base` by relative path; a file is paired
    with `base` itself, or with the file of its name in it. What has no partner stands alone. A directory is one
    checkpoint; so are the files of one directory.

    Raises:
        NotFound: a path or the base is not there.
        UsageError: a directory holds no file, or that in which archives will lie for a while; or one base file is
            given for several paths.
    """
    if base is not None and not base.exists():
        raise NotFound(f"{base}: no such file or directory")
    if base is not None and not base.is_dir() and len(paths) > 1:
        raise UsageError(f"{base}: is one file: with several paths, --base needs a directory")
    meant = [one for path in paths for one in _list_path(path, base)]
    inputs = list({one.source.resolve(): one for one in reversed(meant)}.values())[::-1]
    for one in inputs:
        open_source(one.source).close()
        if one.base is not None:
            open_source(one.base).close()
    return inputs


def _list_path(path: Path, base: Path | None) -> Iterator[BenchInput]:
    if not path.is_dir():
        if base is not None and base.is_dir():
            partner = base / path.name
            base = partner if partner.is_file() else None
        yield BenchInput(path, base, path.parent)
        return
    place = Path(tempfile.gettempdir()).resolve()
    if place.is_relative_to(path.resolve()):
        raise UsageError(f"{path}: holds the temporary directory {place}: set TMPDIR to another place")
    pairs = pair_files(read_tree(path), path, base, compressing=True)
    if not pairs:
        raise UsageError(f"{path}: holds no regular file to measure (links are not followed)")
    for pair in pairs:
        yield BenchInput(pair.source, pair.base, path)
