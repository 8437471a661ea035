"""The step of a checkpoint: the number in its name, else the time of its newest file."""

import re

from weightzip.daemon.layouts.names import read_step
from weightzip.daemon.layouts.sighting import Sighting

_NANOSECONDS = 10**9


def read_numbered_step(pattern: "re.Pattern[str]", sighting: Sighting) -> int:
    """Return the number in a name that a layout has claimed by this pattern, its first group."""
    match = pattern.fullmatch(sighting.name)
    if match is None:
        raise ValueError(f"{sighting.name} is not a checkpoint of this layout")
    return int(match.group(1))


def read_step_or_time(sighting: Sighting) -> int:
    """Return the number in a name; without one the time of the newest file in seconds, so that each save has its own.

    The order of saving does not depend on it.
    """
    step = read_step(sighting.name)
    return sighting.newest_mtime_ns // _NANOSECONDS if step is None else step
