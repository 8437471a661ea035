"""The files of DeepSpeed's ZeRO that stand beside each other: partitions of optimizers, and what names their shapes."""

import re
from collections.abc import Callable, Sequence

from weightzip.codec.containers.pickles import ParamShape, PickleFacts
from weightzip.codec.containers.surroundings import Surroundings
from weightzip.codec.source import ByteSource

_OPTIMIZER = re.compile(
    r"(?:bf16_)?zero_pp_rank_(?P<rank>\d{1,6})_(?P<model>mp_rank_\d{1,6})_optim_states\.pt"
)


class ZeroFiles:
    """What the name of a partition's file tells, and the model's states beside it."""

    def __init__(
        self, surroundings: Surroundings, read_facts: Callable[[ByteSource], PickleFacts | None]
    ) -> None:
        self._surroundings = surroundings
        self._read_facts = read_facts
        self._match = _OPTIMIZER.fullmatch(surroundings.name)

    @property
    def rank(self) -> int | None:
        """Return which partition the file holds, None if its name does not tell."""
        return int(self._match["rank"]) if self._match else None

    def read_shapes(self, *, of_rank: bool) -> Sequence[ParamShape]:
        """Return the shapes of all parameters in their order; empty if they are unknown.

        They stand in the states of the whole model or, where that is partitioned too, in those of the same rank.
        """
        if self._match is None:
            return ()
        prefix = f"zero_pp_rank_{self._match['rank']}_" if of_rank else ""
        with self._surroundings.open_file(f"{prefix}{self._match['model']}_model_states.pt") as source:
            facts = self._read_facts(source) if source is not None else None
        return facts.param_shapes if facts is not None else ()
