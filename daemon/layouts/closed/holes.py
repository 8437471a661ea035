"""Holes: parts of a file that were allocated by size and never written."""

import errno
import os


def find_hole(descriptor: int, size_bytes: int) -> str | None:
    """Describe the first hole before the end of the file; None if there is none or the file system cannot tell."""
    if size_bytes == 0:
        return None
    try:
        hole = os.lseek(descriptor, 0, os.SEEK_HOLE)
    except OSError as error:
        if error.errno in {errno.EINVAL, errno.ENOTSUP, errno.ENXIO}:
            return None
        raise
    return f"has a hole at byte {hole} of {size_bytes}: allocated, not written" if hole < size_bytes else None
