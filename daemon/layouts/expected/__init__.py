"""Which files a checkpoint must hold, told by the names and documents that it holds already. Pure; any trainer's."""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.expected.dcp import find_missing_dcp
from weightzip.daemon.layouts.expected.deepspeed import find_missing_deepspeed
from weightzip.daemon.layouts.expected.indices import find_missing_indexed
from weightzip.daemon.layouts.expected.numbered import find_missing_numbered
from weightzip.daemon.layouts.expected.ranks import find_missing_ranks
from weightzip.daemon.layouts.sighting import Sighting

INNER_MARKER = "checkpoint-is-incomplete.txt"
"""A file inside a checkpoint that its trainer removes when the save is done."""

__all__ = ["INNER_MARKER", "find_missing_file"]


def find_missing_file(sighting: Sighting, evidence: Evidence) -> str | None:
    """Say which file is expected and missing, by every rule that holds whoever wrote the checkpoint."""
    if INNER_MARKER in sighting.paths:
        return f"{INNER_MARKER} is still there"
    if not sighting.files:
        return "no file yet"
    return (
        find_missing_indexed(sighting, evidence)
        or find_missing_numbered(sighting)
        or find_missing_ranks(sighting)
        or find_missing_dcp(sighting, evidence)
        or find_missing_deepspeed(sighting, evidence)
    )
