"""One number, one damaged archive, one verdict from each way of decoding."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hunt.forgeries import Forger, Forgery
from hunt.judge import WRONG, judge_file, judge_frames, judge_pipe


@dataclass(frozen=True)
class Trial:
    """A forgery and the verdicts on it, by the way of decoding."""

    forgery: Forgery
    verdicts: dict[str, str]

    @property
    def is_wrong(self) -> bool:
        """Return whether a decoder took other bytes for the right ones."""
        return WRONG in self.verdicts.values()


def forge(forger: Forger, number: int) -> Forgery:
    """Return the damaged archive of this number, the same on every call."""
    return forger.forge(Random(number))


def try_number(forger: Forger, number: int) -> Trial:
    """Forge an archive and decode it in every way.

    Raises what a decoder raises beside the family of our errors.
    """
    forgery = forge(forger, number)
    verdicts = dict(_list_verdicts(forgery))
    return Trial(forgery, verdicts)


def _list_verdicts(forgery: Forgery) -> Iterator[tuple[str, str]]:
    archive, victim = forgery.archive, forgery.victim
    yield "file", judge_file(archive, victim)
    yield "pipe", judge_pipe(archive, victim)
    if forgery.keeps_order:
        yield "frames", judge_frames(archive, victim)
