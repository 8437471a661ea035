"""How many tensors find what they may lean on: their predecessor, their second moment, their master. Counts of n of m."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.joining.companions import find_second_moment
from weightzip.codec.joining.pairing import pair_tensors
from weightzip.codec.joining.probe import File
from weightzip.codec.source import FileSource
from writers.examine.ranges import Examined, FoundRange

_FIRST_MOMENT = re.compile(r"exp_avg(?!_sq)")


@dataclass(frozen=True)
class Count:
    """So many of so many."""

    n_found: int = 0
    n_all: int = 0

    def __str__(self) -> str:
        if self.n_all == 0:
            return "-"
        return "all" if self.n_found == self.n_all else f"{self.n_found} of {self.n_all}"


def count_joined(before: Examined, after: Examined) -> Count:
    """Count the ranges that have one of the same name, file and form before, which is the same tensor to the library.

    Raises:
        AssertionError: a name means another tensor than before; that costs ratio and must not happen.
    """
    earlier = before.group_by_file()
    n_joined = 0
    for one in after.ranges:
        match = earlier.get(one.file, {}).get(one.tensor.name)
        if match is not None and (match.tensor.dtype, match.tensor.shape) == (
            one.tensor.dtype,
            one.tensor.shape,
        ):
            assert one.places & match.places, f"{one.file}: {one.tensor.name} was another tensor before"
            n_joined += 1
    return Count(n_joined, len(after.ranges))


def count_moments(examined: Examined) -> Count:
    """Count the first moments that find their own second moment in the same file."""
    n_all = n_found = 0
    for ranges in examined.group_by_file().values():
        tensors = {name: one.tensor for name, one in ranges.items()}
        for one in ranges.values():
            wanted = {
                (_FIRST_MOMENT.sub("exp_avg_sq", key), at)
                for key, at in one.places
                if _FIRST_MOMENT.search(key)
            }
            if not wanted or len(one.places) > 1:
                continue
            n_all += 1
            second = find_second_moment(one.tensor, tensors)
            n_found += second is not None and bool(ranges[second.name].places & wanted)
    return Count(n_found, n_all)  # fmt: skip


def count_masters(examined: Examined) -> Count:
    """Count the tensors of 16 bits that find their fp32 masters, in the same file or beside, of those that have one."""
    n_all = n_found = 0
    groups = examined.group_by_file()
    for file, ranges in groups.items():
        copies = {name for name, one in ranges.items() if one.has_master}
        if copies:
            n_all += len(copies)
            n_found += len(copies.intersection(_find_derived(examined.path, file, groups)))
    return Count(n_found, n_all)


def _find_derived(
    checkpoint: Path, file: str, groups: Mapping[str, Mapping[str, FoundRange]]
) -> Iterator[str]:
    path = checkpoint / file if file else checkpoint
    sources = {name: FileSource(checkpoint / name if name else checkpoint) for name in groups}
    beside = [
        File(number, sources[name], {key: one.tensor for key, one in ranges.items()})
        for number, (name, ranges) in enumerate(groups.items(), 1)
        if name != file
    ]
    layout = read_layout(sources[file], DirectorySurroundings(path))
    for name, inputs in pair_tensors(sources[file], layout, [], beside).items():
        if inputs.companion is not None:
            yield name
    for source in sources.values():
        source.close()
