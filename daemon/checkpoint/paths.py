"""Which relative paths a checkpoint may hold, and where they land on a disk. Paths of a manifest are untrusted."""

from pathlib import Path

from weightzip.errors import CorruptData

ROOT_PATH = "."
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255


def check_name(name: str) -> str:
    """Return `name` if it may name one file or directory, so that joining it to a directory stays inside.

    Raises:
        CorruptData: it is empty, `.` or `..`, too long, not encodable, or holds `/` or a NUL.
    """
    encoded = _encode_path(name)
    if not name or name in {".", ".."} or "/" in name or "\0" in name or len(encoded) > MAX_NAME_BYTES:
        raise CorruptData(
            f"{name[:80]!r} cannot name a file: it is empty, too long, or would leave its directory"
        )
    return name


def check_entry_path(path: str) -> str:
    """Return `path` if it is `.` or a clean relative path of plain names.

    Raises:
        CorruptData: the path is absolute, holds `..`, `.`, an empty name or a NUL, or is too long.
    """
    if path == ROOT_PATH:
        return path
    if len(_encode_path(path)) > MAX_PATH_BYTES:
        raise CorruptData(f"path {path[:80]!r}... is longer than {MAX_PATH_BYTES} bytes")
    for name in path.split("/"):
        check_name(name)
    return path


def resolve_entry_path(root: Path, path: str) -> Path:
    """Return where the entry `path` of a checkpoint lies when the checkpoint itself lies at `root`."""
    return root if check_entry_path(path) == ROOT_PATH else root / path


def _encode_path(path: str) -> bytes:
    try:
        return path.encode()
    except UnicodeEncodeError as error:
        raise CorruptData(f"path {path[:80]!r} is not valid UTF-8") from error
