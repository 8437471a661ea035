"""Distributed checkpoints of torch: `.distcp` files of all ranks, then `.metadata`, which names them, last."""

import re
from collections.abc import Mapping

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.sighting import Sighting

METADATA = ".metadata"
_RANK_METADATA = re.compile(r"__\d+\.metadata")  # saved without collectives: each rank writes its own


def find_missing_dcp(sighting: Sighting, evidence: Evidence) -> str | None:
    """Say what a directory of `.distcp` files lacks, or why its `.metadata` belongs to an earlier save.

    When a directory is saved into again, the old `.metadata` stays until the new one replaces it, so its time tells.
    """
    for folder, files in sorted(sighting.folders.items()):
        reason = _find_unlisted(folder, evidence.named, sighting)
        if reason is not None:
            return reason
        shards = [name for name in files if name.endswith(".distcp")]
        if not shards:
            continue
        lists = [name for name in files if name == METADATA or _RANK_METADATA.fullmatch(name)]
        if not lists:
            return f"{folder}{METADATA} is missing: it is written last"
        listed_at_ns = max(files[name].mtime_ns for name in lists)
        newer = next((name for name in sorted(shards) if files[name].mtime_ns > listed_at_ns), None)
        if newer is not None:
            return (
                f"{folder}{newer} is newer than {lists[0]}: the directory is being written again "
                f"(if it was copied here, touch {lists[0]})"
            )
    return None


def _find_unlisted(folder: str, named: Mapping[str, frozenset[str]], sighting: Sighting) -> str | None:
    names = named.get(f"{folder}{METADATA}", frozenset())
    missing = sorted(f"{folder}{name}" for name in names if f"{folder}{name}" not in sighting.paths)
    return f"{missing[0]} named by {folder}{METADATA} is missing" if missing else None
