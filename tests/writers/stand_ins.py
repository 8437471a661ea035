"""Classes under the module names of libraries that cannot run here, so that pickles name what real ones name."""

import enum
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, make_dataclass
from types import ModuleType
from typing import Any


class ZeroStageEnum(int, enum.Enum):
    """What DeepSpeed pickles for its stages."""

    optimizer_states = 1
    gradients = 2
    weights = 3


@dataclass
class LossScaler:
    """What DeepSpeed pickles for a constant loss scale."""

    cur_scale: float = 1.0
    dynamic: bool = False


fragment_address: Any = make_dataclass("fragment_address", ["numel", "start"])


@contextmanager
def standing_in() -> Iterator[None]:
    """Make the classes importable by the names that the pickles of those libraries hold, for the length of the block.

    No longer: other libraries look whether DeepSpeed is there.
    """
    placed: list[str] = []
    placed += _place("deepspeed.runtime.zero.config", ZeroStageEnum)
    placed += _place("deepspeed.runtime.fp16.loss_scaler", LossScaler)
    placed += _place("deepspeed.utils.tensor_fragment", fragment_address)
    try:
        yield
    finally:
        for name in set(placed):
            del sys.modules[name]


def _place(module_name: str, kind: Any) -> list[str]:
    parts = module_name.split(".")
    names = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    for name in names:
        sys.modules.setdefault(name, ModuleType(name))
    kind.__module__ = module_name
    setattr(sys.modules[module_name], kind.__name__, kind)
    return names
