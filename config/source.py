"""Section `source`: which directory is watched, and when a checkpoint in it counts as complete."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from weightzip.config.section import Section
from weightzip.config.units import Duration

LayoutName = Literal[
    "auto",
    "hf",
    "accelerate",
    "deepspeed",
    "megatron",
    "nemo",
    "dcp",
    "lightning",
    "nvrx",
    "dlrover",
    "orbax",
    "verl",
    "generic",
]
"""Whose layout the checkpoints have; see docs/configuration.md."""


class SourceSettings(Section):
    """What is watched. The daemon never writes, renames or deletes anything in it."""

    path: Path
    """Directory in which the trainer puts its checkpoints."""
    name: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")
    """Name of this source in logs, metrics and the state directory."""
    layout: LayoutName = "auto"
    """How checkpoints are recognised: by one trainer's layout, any directory or file (`generic`), or by what is there (`auto`: the checkpoints of every known trainer, or if there are none, what looks like a checkpoint)."""
    quiet_period: Duration | None = None
    """How long nothing in a checkpoint may change before it is looked at; unset: 10s on a local disk, 120s on a network file system."""
    rescan_interval: Duration = 30.0
    """How often the whole directory is read again even when no event arrived."""
    watch: Literal["auto", "events", "poll"] = "auto"
    """`auto` uses file events except on NFS, CIFS and FUSE, where events of other hosts never arrive; `poll` reads the directory every quiet period."""
    ignore: tuple[str, ...] = ()
    """Glob patterns of names (at any depth) that are not part of any checkpoint, beside the built-in ones for temporary files."""
