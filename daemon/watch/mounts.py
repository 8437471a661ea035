"""Which file system a path lies on, read from the kernel's mount table, and whether its events can be trusted."""

import re
from pathlib import Path
from typing import Literal

MOUNT_TABLE = Path("/proc/self/mountinfo")
_NETWORK_TYPES = (
    "nfs",
    "cifs",
    "smb3",
    "fuse",
    "9p",
    "virtiofs",
    "lustre",
    "ceph",
    "glusterfs",
    "beegfs",
    "gpfs",
)
# Their answer about holes is a hint at best: zeros become holes, or unwritten pages count as data.
_VAGUE_ABOUT_HOLES = ("zfs", "btrfs", *_NETWORK_TYPES)
_ESCAPE = re.compile(r"\\([0-7]{3})")


def find_file_system(path: str, mount_table: str) -> str:
    """Return the type of the file system that holds an absolute path, from the text of a mountinfo table.

    The longest mount point that contains the path decides; of two mounts on one point the later one is on top.
    Lines that cannot be read are skipped; `unknown` if nothing matches.
    """
    best, best_length = "unknown", -1
    for line in mount_table.splitlines():
        fields = line.split(" ")
        if "-" not in fields[6:] or len(fields) < 10:
            continue
        point = _ESCAPE.sub(lambda match: chr(int(match.group(1), 8)), fields[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best_length:
            best, best_length = fields[fields.index("-", 6) + 1], len(point)
    return best


def read_file_system(path: Path) -> str:
    """Return the type of the file system under a path; `unknown` where the kernel has no mount table."""
    try:
        table = MOUNT_TABLE.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return "unknown"
    return find_file_system(str(path.resolve()), table)


def is_network(file_system: str) -> bool:
    """Say whether other machines may write to it, so that events are incomplete and attributes may be stale."""
    return file_system.startswith(_NETWORK_TYPES)


def shows_holes(file_system: str) -> bool:
    """Say whether a hole in a file there means that nothing was written yet."""
    return not file_system.startswith(_VAGUE_ABOUT_HOLES)


def choose_watch_mode(
    setting: Literal["auto", "events", "poll"], file_system: str
) -> Literal["events", "poll"]:
    """Return how to watch: as the setting says, by itself polling wherever events of other writers are lost."""
    if setting == "auto":
        return "poll" if is_network(file_system) else "events"
    return setting
