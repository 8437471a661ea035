"""A pinned checkpoint: complete files held fast in the spool, and the record that lets the next start adopt it."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from weightzip.daemon.checkpoint import Tracker, find_save_time
from weightzip.daemon.layouts import Sighting

ContentKey = tuple[tuple[str, int, int], ...]
"""Path, size and mtime of every file, in order: tells two saves of one checkpoint apart without reading them."""


class PinRecord(BaseModel):
    """What the spool remembers of a pin, as `pin.json` beside the pinned tree.

    `committed` is the identity under which it was committed; such a pin is kept as the raw predecessor of the next.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    id: str = Field(pattern=r"^[0-9a-z-]{1,64}$")
    name: str
    step: int = Field(ge=0, lt=10**12)
    complete_at: float
    how: Literal["link", "copy"]
    content: ContentKey
    committed: str | None = None
    trackers: tuple[Tracker, ...] = ()


class PinnedCheckpoint:
    """A pin in the spool. `tree` is the checkpoint itself: a directory or a file.

    `n_failures` counts in this process how often the disk failed while it was in work.
    """

    def __init__(self, record: PinRecord, tree: Path) -> None:
        self.record = record
        self.tree = tree
        self.n_failures = 0

    @property
    def id(self) -> str:
        """Return the name of the pin in the spool."""
        return self.record.id

    @property
    def name(self) -> str:
        """Return the name of the checkpoint."""
        return self.record.name

    @property
    def step(self) -> int:
        """Return the training step."""
        return self.record.step

    @property
    def content(self) -> ContentKey:
        """Return path, size and mtime of every file as they were when the pin was made."""
        return self.record.content

    @property
    def trackers(self) -> tuple[Tracker, ...]:
        """Return the trackers that were beside the checkpoint, as they name it."""
        return self.record.trackers

    @property
    def order(self) -> tuple[int, int]:
        """Return what orders pins as the store will order them: when they were saved (Unix seconds), then the step."""
        return find_save_time((size_bytes, mtime_ns) for _, size_bytes, mtime_ns in self.content), self.step

    @property
    def size_bytes(self) -> int:
        """Return the raw bytes of all files."""
        return sum(size for _, size, _ in self.content)

    def holds(self, sighting: Sighting) -> bool:
        """Say whether a sighting shows these very files."""
        return sighting.name == self.name and content_key(sighting) == self.content


def content_key(sighting: Sighting) -> ContentKey:
    """Return path, size and mtime of every file of a sighting, in order of the paths."""
    return tuple((entry.path, entry.size_bytes, entry.mtime_ns) for entry in sighting.files)
