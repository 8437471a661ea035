"""What the structural checks of a candidate's files found. Pure data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Evidence:
    """Findings about all files of one sighting.

    `problem` names the first file that is not closed, `hole` the first one with a part that was never written,
    `documents` holds the parsed JSON files by path, `proven` the paths whose own structure shows that they are whole,
    `named` the files that each `.metadata` of a distributed checkpoint lists, by its path, and `n_ranks` the
    `partition_count` and `mp_world_size` that DeepSpeed's files tell, by their directory.
    """

    problem: str | None = None
    hole: str | None = None
    documents: Mapping[str, Any] = field(default_factory=dict)
    proven: frozenset[str] = frozenset()
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)
    n_ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
