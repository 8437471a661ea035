"""Files named by a `*.index.json` of safetensors or torch shards."""

from weightzip.daemon.layouts.evidence import Evidence
from weightzip.daemon.layouts.sighting import Sighting


def find_missing_indexed(sighting: Sighting, evidence: Evidence) -> str | None:
    """Say which shard an index names and the checkpoint lacks."""
    for path, document in evidence.documents.items():
        if not path.endswith(".index.json") or not isinstance(document, dict):
            continue
        weight_map = document.get("weight_map")
        if not isinstance(weight_map, dict):
            continue
        folder = path.rpartition("/")[0]
        wanted = {f"{folder}/{name}" if folder else str(name) for name in weight_map.values()}
        missing = sorted(wanted - sighting.paths)
        if missing:
            return f"{missing[0]} named by {path} is missing"
    return None
