"""Where the daemon's own files lie, and the lock that keeps a second daemon out. Nothing inside the watched directory."""

import fcntl
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from weightzip.config.settings import Settings
from weightzip.daemon.store.opening import check_store_url, find_local_path
from weightzip.errors import DirectoryInUse, UsageError


@dataclass(frozen=True)
class Places:
    """The daemon's directories."""

    source: Path
    state: Path
    spool: Path

    @property
    def work(self) -> Path:
        """Return where archives are made before they are published."""
        return self.state / "work"

    @property
    def cache(self) -> Path:
        """Return where copies of store objects are kept."""
        return self.state / "cache"

    @property
    def known_store(self) -> Path:
        """Return where it is remembered into which store checkpoints were committed."""
        return self.state / "known-store.json"

    @property
    def served(self) -> Path:
        """Return where the address of the running daemon is written for `weightzip status`."""
        return self.state / "listen"


def choose_places(settings: Settings) -> Places:
    """Return the directories, defaults filled in; creates nothing.

    Raises:
        UsageError: one of them or the store lies inside the watched directory, where trainers count and delete what
            they find; or the watched directory lies inside the store; or the URL of the store is none.
    """
    source = settings.source.path.absolute()
    state = settings.state.dir.absolute() if settings.state.dir is not None else default_state_dir(settings)
    spool = settings.state.spool.absolute() if settings.state.spool is not None else state / "spool"
    for key, path in (("state.dir", state), ("state.spool", spool)):
        if _follow_links(path).is_relative_to(_follow_links(source)):
            raise UsageError(
                f"{key}: {path} lies inside the watched directory {source}; put it beside, not inside"
            )
    _check_store(settings.store.url, source)
    return Places(source, state, spool)


def _check_store(url: str, source: Path) -> None:
    check_store_url(url)
    local = find_local_path(url)
    if local is None:
        return
    store, watched = _follow_links(local), _follow_links(source)
    if store.is_relative_to(watched):
        raise UsageError(
            f"store.url: {local} lies inside the watched directory {source}; put it beside, not inside"
        )
    if watched.is_relative_to(store):
        raise UsageError(
            f"store.url: the watched directory {source} lies inside the store {local}; put it beside, not inside"
        )


def _follow_links(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links leads nowhere: whoever opens it says so
        return path


def default_state_dir(settings: Settings) -> Path:
    """Return the state directory of a source when none is configured: one per source name and watched directory."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    root = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    digest = hashlib.blake2b(str(settings.source.path.absolute()).encode(), digest_size=6).hexdigest()
    return root / "weightzip" / f"{settings.source.name}-{digest}"


class StateLock:
    """Holds the state directory for one daemon; the kernel lets go when the process ends, however it ends."""

    def __init__(self, state: Path) -> None:
        self._path = state / "lock"
        self._file: IO[bytes] | None = None

    def acquire(self) -> None:
        """Take the lock. Raises DirectoryInUse if another daemon has it."""
        file = self._path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise DirectoryInUse(
                f"another daemon already uses {self._path.parent}: stop it, or give this one its own state.dir"
            ) from None
        self._file = file

    def release(self) -> None:
        """Let go; harmless without the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None
