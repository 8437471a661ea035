"""Section `limits`: how much of the machine the daemon may take from the training job."""

from typing import Literal

from pydantic import Field

from weightzip.config.section import Section


class LimitsSettings(Section):
    """How much of the machine the daemon may take from the training job."""

    uploads: int = Field(default=4, ge=1, le=64)
    """Objects sent to the store at the same time."""
    nice: int = Field(default=10, ge=0, le=19)
    """Niceness of the whole daemon; 19 yields most."""
    io_class: Literal["best_effort", "idle", "none"] = "best_effort"
    """Disk priority: lowest best effort, only when the disk is idle, or as inherited."""
