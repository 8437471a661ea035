"""Section `state`: where the daemon keeps its own files."""

from pathlib import Path

from pydantic import Field

from weightzip.config.section import Section


class StateSettings(Section):
    """Where the daemon keeps its own files. Never inside the watched directory."""

    dir: Path | None = None
    """Half-made archives, the cache, and what must outlast a restart; unset: a directory of this source under `$XDG_STATE_HOME/weightzip`."""
    spool: Path | None = None
    """Where complete checkpoints are pinned by hard links; unset: `spool` in the state directory. Put it on the file system of the watched directory, or files are copied."""
    max_pinned: int = Field(default=4, ge=1)
    """Most checkpoints pinned and waiting at once; when more arrive, the oldest waiting ones are released first."""
