"""Section `restore`: what is brought back, and when."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from weightzip.config.section import Section


class RestoreSettings(Section):
    """What is brought back, and when."""

    on_start: Literal["never", "if_empty", "if_missing_newest"] = "never"
    """Restore the newest checkpoint before `/startupz` turns green: if the watched directory holds no checkpoint, or lacks the newest committed one."""
    target: Path | None = None
    """Directory below which restores may write; unset: the watched directory."""
    max_fallback: int = Field(default=3, ge=0)
    """How many older checkpoints are tried when the wanted one is damaged."""
