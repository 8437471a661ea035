"""Shards that say how many they are: `model-00001-of-00003.safetensors`."""

import re
from collections import defaultdict

from weightzip.daemon.layouts.sighting import Sighting

# With DCP each rank writes the part it holds of each file: shard-00001-model-00002-of-00003.safetensors.
_SHARD = re.compile(r"((?:.*/)?)((?:shard-\d+-)?)([^/]*?)-(\d+)-of-(\d+)(\.[a-z]+)")
_MAX_SHARDS = 100_000


def find_missing_numbered(sighting: Sighting) -> str | None:
    """Say which number of a numbered set is missing."""
    seen: dict[tuple[str, str, str, str], set[int]] = defaultdict(set)
    widths: dict[tuple[str, str, str, str], int] = {}
    for path in sighting.paths:
        match = _SHARD.fullmatch(path)
        if match is None or not 0 < int(match.group(5)) <= _MAX_SHARDS:
            continue
        folder, by_rank, stem, number, total, ending = match.groups()
        kind = (f"{folder}{'shard-*-' if by_rank else ''}", stem, total, ending)
        seen[kind].add(int(number))
        widths[kind] = len(number)
    for kind in sorted(seen):
        folder, stem, total, ending = kind
        for number in range(1, int(total) + 1):
            if number not in seen[kind]:
                return f"{folder}{stem}-{number:0{widths[kind]}d}-of-{total}{ending} is missing"
    return None
