"""Block decoding for the codec: from host memory to host memory, by way of a device."""

import numpy as np

from weightzip.codec.source import BytesLike
from weightzip.errors import CorruptData
from weightzip.gpu.decode import DecodeTask, decode_groups
from weightzip.gpu.device import Buffer, Device
from weightzip.gpu.plan.group import GroupPlan, plan_group


class GpuBlockDecoder:
    """Decodes block groups on a device, one a call (a BlockDecoder of weightzip.codec.backend)."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def decode_blocks(
        self,
        group: BytesLike,
        predecessor: BytesLike | None,
        companion: BytesLike | None,
        out: memoryview,
        place: str,
    ) -> None:
        """Decode a block group into out; see BlockDecoder."""
        plan = plan_group(group, len(out), place)
        _check_inputs(plan, predecessor, companion, place)
        inputs = [self._upload(given) for given in (predecessor, companion)]
        restored = self._device.allocate(len(out))
        addresses = [0 if buffer is None else buffer.address for buffer in inputs]
        task = DecodeTask(plan, addresses[0], addresses[1], restored.address, place)
        decode_groups(self._device, [task])
        np.frombuffer(out, np.uint8)[:] = self._device.download(restored.address, len(out))

    def _upload(self, given: BytesLike | None) -> Buffer | None:
        return None if given is None else self._device.upload(np.frombuffer(given, np.uint8))


def _check_inputs(
    plan: GroupPlan, predecessor: BytesLike | None, companion: BytesLike | None, place: str
) -> None:
    recipe = plan.recipe
    raw_bytes = plan.n_elements * recipe.element_bytes
    needed = (
        ("predecessor", predecessor, raw_bytes if recipe.needs_predecessor else None),
        ("companion", companion, plan.n_elements * recipe.companion_bytes or None),
    )
    for name, given, n_bytes in needed:
        given_bytes = None if given is None else len(given)
        if given_bytes != n_bytes:
            raise CorruptData(
                f"{place}: its recipe asks for {n_bytes} bytes of {name}, there are {given_bytes}"
            )
