"""Whether a directory of archives holds what its manifest lists."""

import warnings
from pathlib import Path

from weightzip.codec.reader import Archive
from weightzip.errors import CorruptData, WeightzipError
from weightzip.files.directories.failures import Failures
from weightzip.files.directories.manifest import Manifest, read_manifest
from weightzip.files.directories.tree import MANIFEST_NAME, Tree, add_suffix


def load_manifest(root: Path, failures: Failures) -> Manifest | None:
    """Return the manifest of a directory of archives; tell if there is none, or none that can be read."""
    with failures.collect():
        manifest = read_manifest(root)
        if manifest is None:
            warnings.warn(
                f"{root}: has no {MANIFEST_NAME}, as after an interruption: whether archives are missing is unknown",
                stacklevel=2,
            )
        return manifest
    return None


def find_missing(archives: Tree, manifest: Manifest) -> list[WeightzipError]:
    """Return what the manifest lists and the directory lacks."""
    there = {*archives.files, *archives.folders}
    wanted = [*map(add_suffix, manifest.files), *manifest.folders]
    told = [
        f"{archives.root / path}: is missing: {MANIFEST_NAME} lists it"
        for path in wanted
        if path not in there
    ]
    told += [
        f"{archives.root / path}: is not the link that {MANIFEST_NAME} lists"
        for path, text in manifest.links.items()
        if archives.links.get(path) != text
    ]
    return list(map(CorruptData, told))


def check_listed(path: Path, archive: Archive, manifest: Manifest) -> None:
    """Raise CorruptData unless an archive, by its path in the directory, restores what the manifest lists for it."""
    listed = manifest.files.get(path.with_suffix(""))
    if listed is None:
        raise CorruptData(
            f"{archive.name}: {MANIFEST_NAME} does not list it: it does not belong to this checkpoint"
        )
    if archive.index.file_digest.hex() != listed.digest:
        raise CorruptData(f"{archive.name}: restores another file than {MANIFEST_NAME} lists")
