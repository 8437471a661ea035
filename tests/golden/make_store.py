"""Made the golden store once; a new layout version gets a new directory beside it, this one is never replaced.

    python tests/golden/make_store.py

The store holds three checkpoints, each against the one saved before it, of a run that was set back after step 200.
`store-v1.json` tells what must come back.
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
STEPS = (100, 200, 150)
"""In the order in which they were saved."""


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
        for position, step in enumerate(STEPS):
            publisher.save_at(step, 1_700_000_000 + 1000 * position)
        publisher.publish_chain(*STEPS)
        wanted = {step: describe(publisher.source(step)) for step in STEPS}
    (STORE / "tmp").rmdir()
    STORE.with_suffix(".json").write_text(json.dumps(wanted, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
