"""What is known about the neighbours of a candidate. Pure data and two comparisons."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from weightzip.daemon.layouts.names import count_shapes
from weightzip.daemon.layouts.sighting import Sighting


@dataclass(frozen=True)
class Peers:
    """The neighbours: the last complete checkpoint of the same kind, newer candidates, all names in the directory.

    `predecessor_shapes` counts the predecessor's paths by `strip_numbers`; None if there is no predecessor.
    `trackers` holds the text of each tracker file in the directory, by its name, without blanks around it.
    """

    predecessor_shapes: Counter[str] | None = None
    newer: tuple[Sighting, ...] = ()
    root_names: frozenset[str] = frozenset()
    trackers: Mapping[str, str] = field(default_factory=dict)

    def missing_from_predecessor(self, sighting: Sighting) -> list[str]:
        """Return the names (numbers replaced by `#`) that the predecessor has and this candidate lacks."""
        if self.predecessor_shapes is None:
            return []
        return sorted((self.predecessor_shapes - count_shapes(sighting.paths)).elements())

    def missing_from_newer(self, sighting: Sighting) -> list[str]:
        """Return the names that some newer candidate already has and this one lacks."""
        mine = count_shapes(sighting.paths)
        return sorted(
            {name for newer in self.newer for name in (count_shapes(newer.paths) - mine).elements()}
        )

    def looks_like_predecessor(self, sighting: Sighting) -> bool:
        """Say whether the candidate has exactly the predecessor's files, numbers apart."""
        return self.predecessor_shapes is not None and self.predecessor_shapes == count_shapes(sighting.paths)

    def has_newer_twin(self, sighting: Sighting) -> bool:
        """Say whether a newer candidate has exactly this one's files, numbers apart."""
        mine = count_shapes(sighting.paths)
        return any(count_shapes(newer.paths) == mine for newer in self.newer)

    def find_tracked_step(self, tracker: str) -> int | None:
        """Return the step that a tracker file tells; None if there is none, or it tells no number."""
        text = self.trackers.get(tracker, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None
