"""Whatever sequence of publishing, pruning, removing and dying: every listed checkpoint stays whole."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from support.faulty_store import CrashError, Fault, FaultyStore
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.keeper import MIN_KEPT, execute_plan, plan_removal, plan_retention
from weightzip.daemon.store.memory import MemoryStore


class StoreHistory(RuleBasedStateMachine):
    """One run, one store. `listed` is what must be there: a model of two lines beside the real thing."""

    @initialize()
    def begin(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="weightzip-history-"))
        self.store = MemoryStore()
        self.faulty = FaultyStore(self.store)
        self.publisher = Publisher(self.faulty, self.root, n_elements=40)
        self.listed: set[int] = set()
        self.next_step = 100
        self.publisher.repository  # noqa: B018  # makes the record

    def teardown(self) -> None:
        if hasattr(self, "root"):
            shutil.rmtree(self.root)

    def _publish(self, back: int | None) -> None:
        predecessor = sorted(self.listed)[-1 - back] if back is not None and back < len(self.listed) else None
        self.publisher.publish(self.next_step, predecessor)

    @rule(back=st.sampled_from([None, 0, 0, 0, 1, 2]))
    def publish(self, back: int | None) -> None:
        self._publish(back)
        self.listed.add(self.next_step)
        self.next_step += 100

    @rule(
        back=st.sampled_from([None, 0]),
        call=st.integers(0, 25),
        fault=st.sampled_from([Fault.CRASH_BEFORE, Fault.CRASH_AFTER]),
    )
    def die_while_publishing(self, back: int | None, call: int, fault: Fault) -> None:
        self._arm(call, fault)
        with suppress(CrashError):
            self._publish(back)
        self._revive()
        step = self.next_step
        self.listed |= {step} & {key.step for key in self.publisher.repository.list_checkpoints()}
        if step in self.listed:
            self.publisher.manifests[step] = self.publisher.repository.load(step)
            self.next_step += 100

    @rule(keep_last=st.integers(1, 4), keep_every=st.sampled_from([None, 200, 300]))
    def prune(self, keep_last: int, keep_every: int | None) -> None:
        repository = self.publisher.repository
        plan = plan_retention(repository.load_all(), keep_last=keep_last, keep_every=keep_every)
        execute_plan(repository, plan)
        kept = set(sorted(self.listed)[-max(keep_last, MIN_KEPT) :])
        if keep_every is not None:
            kept |= {step for step in self.listed if step % keep_every == 0}
        self.listed &= kept

    @rule(
        keep_last=st.integers(1, 3),
        call=st.integers(0, 25),
        fault=st.sampled_from([Fault.CRASH_BEFORE, Fault.CRASH_AFTER]),
    )
    def die_while_pruning(self, keep_last: int, call: int, fault: Fault) -> None:
        repository = self.publisher.repository
        plan = plan_retention(repository.load_all(), keep_last=keep_last)
        self._arm(call, fault)
        with suppress(CrashError):
            execute_plan(repository, plan)
        self._revive()
        newest = set(sorted(self.listed)[-MIN_KEPT:])
        self.listed = {key.step for key in self.publisher.repository.list_checkpoints()}
        assert newest <= self.listed

    @precondition(lambda self: self.listed)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        step = data.draw(st.sampled_from(sorted(self.listed)))
        repository = self.publisher.repository
        key = self.publisher.manifests[step].checkpoint_key
        execute_plan(repository, plan_removal(repository.load_all(), [key]))
        self.listed.remove(step)

    @invariant()
    def every_listed_checkpoint_is_whole(self) -> None:
        if not hasattr(self, "store"):
            return
        checked = check_store(read_raw(self.store))
        assert set(checked) == self.listed
        for step, checkpoint in checked.items():
            source = self.publisher.source(step)
            for path, data in checkpoint.files.items():
                assert data == (source / path).read_bytes()

    def _arm(self, call: int, fault: Fault) -> None:
        start = len(self.faulty.calls)
        self.faulty.choose = lambda number, _: fault if number == start + call else None

    def _revive(self) -> None:
        self.faulty.choose = lambda number, operation: None
        self.faulty.dead = False


TestStoreHistory = StoreHistory.TestCase
TestStoreHistory.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
