"""How many ranks DeepSpeed's own files say there are. One file of a kind tells it for all."""

import os
from collections.abc import Mapping
from pathlib import Path

from weightzip.codec.containers.torch_zip import list_torch_zip_claims
from weightzip.daemon.checkpoint import resolve_entry_path
from weightzip.daemon.layouts.closed.descriptor_source import DescriptorSource
from weightzip.daemon.layouts.sighting import Sighting
from weightzip.errors import TruncatedData

_TOLD_BY = {"partition_count": "_optim_states.pt", "mp_world_size": "_model_states.pt"}


def read_rank_counts(root: Path, sighting: Sighting) -> Mapping[str, Mapping[str, int]]:
    """Return `partition_count` and `mp_world_size`, by directory, as far as they are told."""
    counts: dict[str, dict[str, int]] = {}
    for folder, files in sighting.folders.items():
        for fact, ending in _TOLD_BY.items():
            teller = min((name for name in files if name.endswith(ending)), default=None)
            if teller is None:
                continue
            numbers = _read_numbers(resolve_entry_path(root, folder + teller), fact)
            if numbers:
                counts.setdefault(folder, {})[fact] = max(numbers)
    return counts


def _read_numbers(path: Path, fact: str) -> tuple[int, ...]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ()
    try:
        (claims,) = list_torch_zip_claims([DescriptorSource(descriptor, os.fstat(descriptor).st_size)])
    except (OSError, TruncatedData):
        return ()
    finally:
        os.close(descriptor)
    if claims is None:
        return ()
    return next((n for path, n in claims.facts.numbers.items() if path.rpartition(".")[2] == fact), ())
