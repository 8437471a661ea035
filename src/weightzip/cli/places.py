"""Sources and targets as a user types them: what is left out, empty, or ends in a slash. Opens nothing."""

from pathlib import Path

from weightzip.cli.pipes import PIPE
from weightzip.errors import NotFound, UsageError

_SUFFIX = ".wzst"


def parse_source(text: str) -> Path:
    """Return the path that is to be read. Raises UsageError for an empty name: a Path would take it for `.`."""
    if not text:
        raise UsageError("the name of what is to be read is empty")
    return Path(text)


def parse_target(text: str, source: Path) -> Path:
    """Return the path that is to be written, for what is read from `source`.

    Raises:
        UsageError: the name is empty, or a directory shall go into a pipe.
        NotFound: it ends as the name of a directory, and one file shall go there.
    """
    if not text:
        raise UsageError("the name of the target is empty")
    target = Path(text)
    if source.is_dir() and target == PIPE:
        raise UsageError(f"{source}: is a directory, it cannot go to a pipe: name a directory as the target")
    if text.endswith("/") and not source.is_dir() and not target.is_dir():
        raise NotFound(f"{text}: no such directory; to write a file of that name, leave out the slash")
    return target


def choose_archive(source: Path) -> Path:
    """Return the target of compress where none is named: beside the source, under its name with `.wzst`."""
    if source == PIPE or source.name in {"", ".."}:
        raise UsageError(f"{source}: has no name to make that of the archive from: name a target")
    return source.with_name(source.name + _SUFFIX)


def choose_restored(archive: Path) -> Path:
    """Return the target of decompress where none is named: the archive's path without `.wzst`."""
    if archive.suffix != _SUFFIX:
        raise UsageError(f"{archive}: does not end in {_SUFFIX}, which would be left out: name a target")
    return archive.with_suffix("")
