"""Which trackers belong to a checkpoint. Pure; watch/trackers.py reads them."""

import re
from collections.abc import Iterable
from dataclasses import replace

from weightzip.daemon.checkpoint.tracker import Tracker, tell_tracker_text
from weightzip.daemon.layouts.names import strip_numbers

_MAX_TRACKERS = 16
# Links of these names follow the newest checkpoint; others, such as the best one, are a matter of their own.
_NEWEST = re.compile(r"(?:^|.*[^a-z])(?:last|latest)(?:$|[^a-z].*)", re.IGNORECASE)


def select_trackers(observed: Iterable[Tracker], name: str, step: int) -> tuple[Tracker, ...]:
    """Return the trackers of a checkpoint as they name it, out of those that were seen beside it.

    A tracker may name its neighbour for the moment: it is kept as it spoke, or will speak, of this one. Trackers
    that say anything else belong to somebody else.
    """
    selected = (_select(tracker, name, step) for tracker in observed)
    return tuple(tracker for tracker in selected if tracker is not None)[:_MAX_TRACKERS]


def _select(tracker: Tracker, name: str, step: int) -> Tracker | None:
    if tracker.name == name:
        return None
    if tracker.kind == "symlink":
        follows = _NEWEST.fullmatch(tracker.name) is not None and _is_kin(tracker.text, name)
        return replace(tracker, text=name) if tracker.text == name or follows else None
    wanted, found = tell_tracker_text(tracker.name, name, step), tracker.text.strip()
    if not found:  # it is being rewritten in place
        return replace(tracker, text=wanted)
    return replace(tracker, text=tracker.text.replace(found, wanted)) if _is_kin(found, wanted) else None


def _is_kin(text: str, wanted: str) -> bool:
    return strip_numbers(text) == strip_numbers(wanted)
