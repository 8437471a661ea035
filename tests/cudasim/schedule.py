"""In what order the threads of a simulated launch run."""

from dataclasses import dataclass
from enum import IntEnum


class Order(IntEnum):
    """Which of the threads that can run goes first. The numbers are those of native/machine.hpp."""

    ASCENDING = 0
    DESCENDING = 1
    RANDOM = 2


@dataclass(frozen=True)
class Schedule:
    """An order, and for the random one its seed."""

    order: Order
    seed: int = 0

    def __str__(self) -> str:
        return (
            f"{self.order.name.lower()}-{self.seed}"
            if self.order == Order.RANDOM
            else self.order.name.lower()
        )


SCHEDULES = (
    Schedule(Order.ASCENDING),
    Schedule(Order.DESCENDING),
    Schedule(Order.RANDOM, 1),
    Schedule(Order.RANDOM, 2),
)
