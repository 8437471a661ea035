"""Whether another process has a file open for writing. The kernel of this machine knows only of its own processes."""

import errno
import fcntl
import signal
from contextlib import suppress


def has_writer(descriptor: int) -> bool:
    """Say whether somebody has the file open for writing; false also where the kernel does not tell.

    A lease is asked for, which is refused as long as there is a writer, and given back at once: whoever opens the
    file for writing meanwhile waits for that, and the kernel tells us by a signal that is ignored by default.
    """
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    finally:
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
