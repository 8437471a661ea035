"""Made the golden store once; a new layout version gets a new directory beside it, this one is never replaced.

    python tests/golden/make_store.py

The store holds two checkpoints, the second against the first. `store-v1.json` tells what must come back.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.checkpoints import describe_tree
from support.repositories import Publisher
from weightzip.daemon.checkpoint import hash_file
from weightzip.daemon.store.local import LocalStore

STORE = Path(__file__).parent / "store-v1"


def describe(root: Path) -> dict[str, list[object]]:
    """Return what must come back of a tree, in the words of JSON: digests instead of bytes."""
    return {
        path: [*facts[:-1], hash_file(root / path)] if facts[0] == "file" else list(facts)
        for path, facts in describe_tree(root).items()
    }


def main() -> None:
    """Write the store and its description."""
    if STORE.exists():
        sys.exit(f"{STORE} exists and is never replaced")
    with tempfile.TemporaryDirectory() as room:
        publisher = Publisher(LocalStore(STORE), Path(room), run_id="golden")
        publisher.publish_chain(100, 200)
        wanted = {step: describe(publisher.source(step)) for step in (100, 200)}
    (STORE / "tmp").rmdir()
    STORE.with_suffix(".json").write_text(json.dumps(wanted, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
