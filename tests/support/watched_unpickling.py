"""Loads pickles with the inert unpickler in a process that watches itself: run as a program, it prints what happened.

Standard input has a JSON object of pickles in base64 by name; standard output gets one of events by name. Audit hooks
cannot be removed, so this is a process of its own. It has no limits: nothing but the unpickler holds pickles back.
"""

import base64
import json
import sys
from io import BytesIO

from weightzip.codec.containers.pickles.child.inert import InertUnpickler


def main() -> None:
    """Load each pickle, noting what the interpreter reports of imports, files, processes and code meanwhile."""
    pickles = {name: base64.b64decode(text) for name, text in json.load(sys.stdin).items()}
    events: dict[str, list[str]] = {name: [] for name in pickles}
    current: list[str] = []

    def note(event: str, _: object) -> None:
        if current:
            events[current[0]].append(event)

    sys.addaudithook(note)
    for name, data in pickles.items():
        current.append(name)
        try:
            InertUnpickler(BytesIO(data)).load()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the pickle's failure
            events[name].append(f"failed: {type(error).__name__}")
        current.clear()
    json.dump(events, sys.stdout)


if __name__ == "__main__":
    main()
