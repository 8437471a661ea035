"""Trackers: small files and links beside the checkpoints by which trainers find the newest one. Pure."""

from dataclasses import dataclass
from typing import Literal

from weightzip.daemon.checkpoint.paths import check_name
from weightzip.errors import CorruptData

MAX_TRACKER_BYTES = 4096
# Trackers that hold a step; the others hold the checkpoint's name.
_STEP_TRACKERS = frozenset({"latest_checkpointed_iteration.txt", "dlrover_latest.txt"})
TRACKER_FILES = _STEP_TRACKERS | {"latest", "latest_universal"}
"""Names of files that are trackers. Links of any name may be one."""

_MEGATRON_RELEASE = "release"


@dataclass(frozen=True)
class Tracker:
    """One tracker: the text of a file, blanks around it included, or what a symbolic link points to."""

    name: str
    kind: Literal["file", "symlink"]
    text: str
    mode: int
    mtime_ns: int


def tell_tracker_text(tracker_name: str, checkpoint_name: str, step: int) -> str:
    """Return how a tracker file of that name speaks of a checkpoint."""
    if tracker_name in _STEP_TRACKERS and checkpoint_name != _MEGATRON_RELEASE:
        return str(step)
    return checkpoint_name


def check_tracker(tracker: Tracker, checkpoint_name: str, step: int) -> None:
    """See that a tracker of an untrusted manifest says nothing but where its checkpoint is.

    Raises:
        CorruptData: it has the checkpoint's own name or that of no tracker, or speaks of something else.
    """
    check_name(tracker.name)
    if tracker.name == checkpoint_name:
        raise CorruptData(f"tracker {tracker.name!r} has the name of its checkpoint")
    if tracker.kind == "symlink":
        fits = tracker.text == checkpoint_name
    else:
        wanted = tell_tracker_text(tracker.name, checkpoint_name, step)
        fits = tracker.name in TRACKER_FILES and tracker.text.strip() == wanted
    if not fits or len(tracker.text) > MAX_TRACKER_BYTES:
        raise CorruptData(f"tracker {tracker.name!r} does not name its checkpoint {checkpoint_name!r}")
