"""Gives way to the training job: niceness and disk priority of this process. Best effort, never fatal."""

import ctypes
import os
import platform
from typing import Literal

import structlog

# Python has no ioprio_set; the numbers are the kernel's, per machine (asm/unistd) and class (linux/ioprio.h).
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30}
_IOPRIO_WHO_PROCESS = 1
_CLASS_SHIFT = 13
_PRIORITIES = {"best_effort": (2 << _CLASS_SHIFT) | 7, "idle": 3 << _CLASS_SHIFT}


def lower_priority(nice: int, io_class: Literal["best_effort", "idle", "none"]) -> None:
    """Lower the priority of this process; a kernel that refuses is logged, not raised."""
    log = structlog.get_logger("priority")
    current = os.getpriority(os.PRIO_PROCESS, 0)
    if nice > current:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, nice)
        except OSError as error:
            log.warning("niceness not set", nice=nice, error=str(error))
    number = _IOPRIO_SET.get(platform.machine())
    if io_class == "none" or number is None:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, _IOPRIO_WHO_PROCESS, 0, _PRIORITIES[io_class]) != 0:
        log.warning("disk priority not set", io_class=io_class, error=os.strerror(ctypes.get_errno()))
