"""Decoding block groups on a device: plans are uploaded, tables expanded, blocks decoded, faults reported."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightzip.codec.reference.factors import EXP, LOG
from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData
from weightzip.gpu.device import Buffer, Device
from weightzip.gpu.faults import describe_faults
from weightzip.gpu.plan.frame import describe_frame
from weightzip.gpu.plan.group import GroupPlan
from weightzip.gpu.plan.launches import plan_launches
from weightzip.gpu.plan.tables import PlannedTables, plan_tables

_ALIGNMENT = 16
_WARP = 32
_SUMS_BYTES = 4 * 258
_LOG_EXP = np.concatenate([LOG, EXP]).astype("<u2")


@dataclass(frozen=True)
class DecodeTask:
    """A group and where its inputs and its elements are on the device: addresses at multiples of 16, 0 for no input."""

    plan: GroupPlan
    predecessor: int
    companion: int
    out: int
    place: str


def decode_groups(device: Device, tasks: Sequence[DecodeTask]) -> None:
    """Decode groups (1 or more), as many a launch as have the same recipe in rough.

    Raises:
        CorruptData: a payload contradicts the format; what the tasks restore is of no use then.
    """
    held: list[Buffer] = []
    rows = np.stack([_prepare(device, task, held) for task in tasks])
    log_exp, status = device.upload(_LOG_EXP), device.upload(np.zeros(len(tasks), "<u4"))
    rows["log_exp"] = log_exp.address
    rows["status"] = status.address + 4 * np.arange(len(tasks))
    frames = device.upload(rows)
    for launch in plan_launches([task.plan for task in tasks], rows):
        work = device.upload(launch.work)
        arguments = [np.uint64(frames.address), np.uint64(work.address)]
        device.launch(launch.kernel, len(launch.work), _WARP * launch.n_warps, arguments, launch.shared_bytes)
        held.append(work)
    found = device.download(status.address, status.n_bytes).view("<u4")
    for task, faults in zip(tasks, found.tolist(), strict=True):
        if faults:
            raise CorruptData(f"{task.place}: {describe_faults(faults)}")


def _prepare(device: Device, task: DecodeTask, held: list[Buffer]) -> NDArray[np.void]:
    """Upload a plan, begin to expand its tables, and return its row of FRAME. `held` keeps what it points at."""
    plan = task.plan
    tables = plan_tables(plan.planes)
    row = describe_frame(plan, tables)
    row["predecessor"], row["companion"], row["out"] = task.predecessor, task.companion, task.out

    def hold(buffer: Buffer) -> int:
        held.append(buffer)
        return buffer.address

    row["payloads"] = hold(device.upload(plan.payloads))
    if len(plan.area):
        row["payload_area"] = hold(device.upload(_pad(plan.area)))
    if plan.factors is not None:
        row["sections"] = hold(device.upload(plan.factors.sections))
        row["factors"] = hold(device.upload(plan.factors.values))
    if len(tables.jobs):
        row["tables"] = _expand_tables(device, tables, held)
    return row


def _expand_tables(device: Device, tables: PlannedTables, held: list[Buffer]) -> int:
    """Return the address of the expanded tables."""
    expanded = device.allocate(tables.table_bytes)
    frequencies = device.upload(tables.frequencies)
    jobs = tables.jobs.copy()
    jobs["frequencies"] += np.uint64(frequencies.address)
    jobs["plane"] += np.uint64(expanded.address)
    uploaded = device.upload(jobs)
    device.launch("expand_tables", len(jobs), _WARP, [np.uint64(uploaded.address)], _SUMS_BYTES)
    held += [expanded, frequencies, uploaded]
    return expanded.address


def _pad(data: BytesLike) -> NDArray[np.uint8]:
    """Return data up to a multiple of 16 bytes, which is how kernels load them."""
    padded = np.zeros(-(-len(data) // _ALIGNMENT) * _ALIGNMENT, np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    return padded
