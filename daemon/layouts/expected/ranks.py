"""Files that every rank writes under its own number."""

import re
from collections import defaultdict

from weightzip.daemon.layouts.sighting import Sighting

# The name up to the number, the number, the rest; and how many there are at least once one is numbered.
_RANKED = (
    # A single rank writes rng_state.pth without a number, so a number means two ranks or more.
    (re.compile(r"((?:.*/)?rng_state_)(\d{1,6})(\.pth)"), 2),
    (re.compile(r"((?:.*/)?random_states_)(\d{1,6})(\.pkl)"), 1),
    (re.compile(r"(.*_rank)(\d{1,6})(\.bin)"), 1),
)
_OF_WORLD = re.compile(r"(.*_world_size_)(\d{1,6})_rank_(\d{1,6})(\.[a-z]+)")


def find_missing_ranks(sighting: Sighting) -> str | None:
    """Say which rank's file is missing, where names show that there must be one."""
    worlds: dict[tuple[str, int, str], set[int]] = defaultdict(set)
    ranks: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for path in sighting.paths:
        of_world = _OF_WORLD.fullmatch(path)
        if of_world is not None:
            stem, world, rank, ending = of_world.groups()
            worlds[stem, int(world), ending].add(int(rank))
        for pattern, at_least in _RANKED:
            match = pattern.fullmatch(path)
            if match is not None:
                ranks[match.group(1), match.group(3), at_least].add(int(match.group(2)))
    for (stem, world, ending), present in sorted(worlds.items()):
        missing = _first_missing(present, world)
        if missing is not None:
            return f"{stem}{world}_rank_{missing}{ending} is missing"
    for (stem, ending, at_least), present in sorted(ranks.items()):
        missing = _first_missing(present, max(max(present) + 1, at_least))
        if missing is not None:
            return f"{stem}{missing}{ending} is missing"
    return None


def _first_missing(present: set[int], n_ranks: int) -> int | None:
    return next((rank for rank in range(n_ranks) if rank not in present), None)
