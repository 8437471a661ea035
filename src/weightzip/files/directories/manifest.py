"""The manifest of a directory of archives: what it must hold to be whole. Written last, so that it proves the end.

It names files by the paths under which they are restored. Nothing is opened or written under a name from it: what it
says is compared with what lies in the directory.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from weightzip.errors import CorruptData, UnsupportedVersion
from weightzip.files.directories.tree import MANIFEST_NAME
from weightzip.files.opening import open_source
from weightzip.files.publish import publish_file

MAX_MANIFEST_BYTES = 256 << 20

_FORMAT, _VERSION = "weightzip-directory", 1
_MAX_SHOWN = 200  # letters of what others wrote
_DIGEST_DIGITS = 64


@dataclass(frozen=True)
class ListedFile:
    """One file of the checkpoint: its size, and its BLAKE3 digest in hex."""

    size_bytes: int
    digest: str


@dataclass(frozen=True)
class Manifest:
    """Files, folders, and links with their text, by path in the checkpoint."""

    files: Mapping[Path, ListedFile]
    folders: frozenset[Path]
    links: Mapping[Path, str]


def write_manifest(root: Path, manifest: Manifest) -> None:
    """Publish the manifest of a directory whose archives are all published."""
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "files": {
            str(path): {"size_bytes": file.size_bytes, "digest": file.digest}
            for path, file in sorted(manifest.files.items())
        },
        "folders": sorted(map(str, manifest.folders)),
        "links": {str(path): text for path, text in sorted(manifest.links.items())},
    }
    with publish_file(root / MANIFEST_NAME, like=None, force=True) as stream:
        stream.write(json.dumps(content, indent=1).encode())  # names that are no UTF-8 are escaped


def read_manifest(root: Path) -> Manifest | None:
    """Return the manifest of a directory of archives, None if it has none.

    Raises:
        CorruptData: it is damaged, or names what lies outside of the directory.
        UnsupportedVersion: it was written by a newer program.
    """
    path = root / MANIFEST_NAME
    if not path.is_file():
        return None
    with open_source(path) as source:
        if source.size_bytes > MAX_MANIFEST_BYTES:
            raise CorruptData(
                f"{path}: has {source.size_bytes} bytes, a manifest has no more than {MAX_MANIFEST_BYTES}"
            )
        data = bytes(source.read_at(0, source.size_bytes))
    try:
        content = _expect(json.loads(data), dict)
        _check_version(content, path)
        return _parse(content)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CorruptData(f"{path}: is no sound manifest: {str(error)[:_MAX_SHOWN]}") from error


def _check_version(content: Mapping[str, Any], path: Path) -> None:
    if content["format"] != _FORMAT:
        raise ValueError(f"its format is not {_FORMAT}")
    if _expect(content["version"], int) > _VERSION:
        raise UnsupportedVersion(
            f"{path}: has a version that this program does not know, it reads up to {_VERSION}"
        )


def _parse(content: Mapping[str, Any]) -> Manifest:
    files = {
        _parse_path(path): _parse_file(_expect(file, dict))
        for path, file in _expect(content["files"], dict).items()
    }
    folders = frozenset(map(_parse_path, _expect(content["folders"], list)))
    links = {_parse_path(path): _expect(text, str) for path, text in _expect(content["links"], dict).items()}
    return Manifest(files, folders, links)


def _parse_file(content: Mapping[str, Any]) -> ListedFile:
    size_bytes, digest = _expect(content["size_bytes"], int), _expect(content["digest"], str)
    if size_bytes < 0 or len(digest) != _DIGEST_DIGITS or not set(digest) <= set("0123456789abcdef"):
        raise ValueError(f"no size or no digest: {size_bytes}, {digest!r}")
    return ListedFile(size_bytes, digest)


def _parse_path(text: object) -> Path:
    """Return a path in the directory; refused is whatever leads out of it, or could be written in another way."""
    path = PurePosixPath(_expect(text, str))
    if path.is_absolute() or ".." in path.parts or str(path) != text or text == "." or "\0" in str(text):
        raise ValueError(f"no path in the directory: {text!r}")
    return Path(path)


def _expect(value: object, kind: type) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{kind.__name__} expected: {value!r}")
    return value
