"""What a kernel takes of a multiprocessor, as the assembler's log says."""

import re
from dataclasses import dataclass

_ENTRY = re.compile(
    r"entry function '(?P<name>\w+)'.*?"
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads.*?"
    r"Used (?P<registers>\d+) registers",
    re.DOTALL,
)


@dataclass(frozen=True)
class Resources:
    """Registers of a thread, and bytes of local memory: its stack, of which spilled registers are a part."""

    registers: int
    stack_bytes: int
    spill_bytes: int


def read_resources(log: str) -> dict[str, Resources]:
    """Return the resources of each kernel in a log of `--ptxas-options=-v`."""
    return {
        entry["name"]: Resources(
            int(entry["registers"]), int(entry["stack"]), int(entry["stores"]) + int(entry["loads"])
        )
        for entry in _ENTRY.finditer(log)
    }
