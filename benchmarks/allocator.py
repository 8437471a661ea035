"""Where buffers come from: fresh from the kernel, as a program that decodes once has them, or used before.

The kernel clears fresh pages when they are touched, which can cost more than a fast decoder does. Both are shown.
"""

import ctypes

# From glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4


def keep_freed_memory() -> None:
    """Make the allocator of this process keep what is freed, for good: large buffers come warm from then on."""
    libc = ctypes.CDLL(None)
    for option, value in ((_M_MMAP_MAX, 0), (_M_TRIM_THRESHOLD, 2**31 - 1)):
        if libc.mallopt(option, value) != 1:
            raise SystemExit("mallopt failed: the figures for reused memory need glibc")
