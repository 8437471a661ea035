"""A short hunt, the same on every run, and proof that a hunt notices what it is there for. `make hunt` is the long one."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from hunt.forgeries import Forger, Forgery
from hunt.judge import RIGHT, WRONG, judge_file, judge_frames, judge_pipe, judge_reference
from hunt.pack import WorkerLost, hunt
from hunt.victims import list_victims
from hunt.worker import Limits

VICTIMS = list_victims()
N_ARCHIVES = 4000


def test_damage_is_refused_or_does_no_harm() -> None:
    tally = hunt(Forger(VICTIMS), range(N_ARCHIVES), n_workers=2)
    n_by_way = {way: sum(n for key, n in tally.items() if key[1] == way) for way in ("file", "pipe")}
    assert n_by_way == {"file": N_ARCHIVES, "pipe": N_ARCHIVES}
    n_refused = sum(n for (_, way, verdict), n in tally.items() if way == "file" and verdict != RIGHT)
    assert n_refused > N_ARCHIVES * 3 // 4
    # Past all checksums of what is stored, into the decoders and out of them again.
    assert tally["method", "file", "CorruptData: the restored bytes do not match their checksum"] > 10


def test_a_number_is_always_the_same_archive() -> None:
    forgeries = [Forger(list_victims()).forge(Random(5)) for _ in range(2)]
    assert forgeries[0].archive == forgeries[1].archive


@pytest.mark.parametrize("judge", [judge_file, judge_frames, judge_pipe, judge_reference])
def test_other_bytes_are_seen(judge: Callable[..., str]) -> None:
    victim = next(victim for victim in VICTIMS if victim.name == "text")
    assert judge(victim.archive, victim) == RIGHT
    assert judge(victim.archive, replace(victim, shard=victim.shard.upper())) == WRONG


class _Disaster(Forger):
    """A forger that does to its process what a broken decoder would do."""

    def __init__(self, strike: Callable[[], object]) -> None:
        super().__init__(VICTIMS)
        self._strike = strike

    def forge(self, random: Random) -> Forgery:
        self._strike()
        return super().forge(random)


def _burn_cpu() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("strike", "exit_code"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), -signal.SIGKILL),
        (_burn_cpu, -signal.SIGPROF),
        (lambda: time.sleep(600), -signal.SIGALRM),
        (lambda: bytearray(1 << 30), 1),
        (lambda: next(iter(())), 1),
    ],
    ids=["crash", "endless loop", "wait", "memory", "foreign exception"],
)
def test_what_a_process_does_not_survive_is_told(strike: Callable[[], object], exit_code: int) -> None:
    limits = Limits(cpu_seconds=0.3, wait_seconds=2)
    with pytest.raises(WorkerLost) as lost:
        hunt(_Disaster(strike), range(7, 9), n_workers=1, limits=limits)
    assert (lost.value.number, lost.value.exit_code) == (7, exit_code)
