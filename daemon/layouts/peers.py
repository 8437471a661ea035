"""What is known about the neighbours of a candidate. Pure data and two comparisons."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from weightzip.daemon.layouts.names import count_shapes, is_shard_name
from weightzip.daemon.layouts.sighting import Sighting


@dataclass(frozen=True)
class Peers:
    """The neighbours: the last complete checkpoint of the same kind, newer candidates, all names in the directory.

    `predecessor_shapes` counts the predecessor's paths by `strip_numbers`; None if there is no predecessor.
    `earlier` is this very candidate as it was when it was complete before, `attempted` as it was when it first
    seemed to be a mixture of that and a later save.
    `trackers` holds the text of each tracker file in the directory, by its name, without blanks around it.
    """

    predecessor_shapes: Counter[str] | None = None
    newer: tuple[Sighting, ...] = ()
    root_names: frozenset[str] = frozenset()
    trackers: Mapping[str, str] = field(default_factory=dict)
    earlier: Sighting | None = None
    attempted: Sighting | None = None

    def find_unwritten(self, sighting: Sighting) -> str | None:
        """Return a shard that is still that of an earlier save into the same place, while others were written again.

        No silence excuses it: a trainer that died meanwhile leaves a mixture of two saves. A shard that outlasts a
        second save as well is one that the trainer never writes again.
        """
        if self.earlier is None:
            return None
        kept = _list_kept(self.earlier, sighting)
        if not kept or len(kept) == len(_list_shards(sighting).keys() & _list_shards(self.earlier).keys()):
            return None
        if self.attempted is not None and _list_kept(self.attempted, sighting) == kept:
            return None
        return min(kept)

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


def _list_shards(sighting: Sighting) -> dict[str, tuple[int, int]]:
    """Return what tells one writing of a shard from another, by path."""
    return {
        file.path: (file.size_bytes, file.mtime_ns)
        for file in sighting.files
        if is_shard_name(file.path.rpartition("/")[2])
    }


def _list_kept(before: Sighting, now: Sighting) -> set[str]:
    """Return the shards that were not written between two sightings."""
    shards = _list_shards(before)
    return {path for path, identity in _list_shards(now).items() if shards.get(path) == identity}
