"""Die at every call of the store: nothing partial is ever listed, and the next attempt finishes the work."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.faulty_store import CrashError, Fault, FaultyStore, crash_at, throw_dice
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.keeper import execute_plan, plan_retention
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store import RetryPolicy, Store
from weightzip.daemon.store.local import LocalStore
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.retrying import RetryingStore
from weightzip.errors import WeightzipError

PATIENT = RetryPolicy(n_attempts=8, first_wait_seconds=0.0001, max_wait_seconds=0.0002)
CRASHES = pytest.mark.parametrize("fault", [Fault.CRASH_BEFORE, Fault.CRASH_AFTER], ids=["before", "after"])


def _work(publisher: Publisher) -> None:
    """Publish three checkpoints and prune: all that a daemon does to a store."""
    publisher.publish_chain(100, 200, 300)
    repository = publisher.repository
    execute_plan(repository, plan_retention(repository.load_all(), keep_last=2))


def _count_calls(tmp_path: Path) -> int:
    faulty = FaultyStore(MemoryStore())
    _work(Publisher(faulty, tmp_path))
    return len(faulty.calls)


def _crash_often(make_store: Callable[[int], Store], fault: Fault, tmp_path: Path, *, every: int) -> None:
    for number in range(0, _count_calls(tmp_path), every):
        store = make_store(number)
        with pytest.raises(CrashError):
            _work(Publisher(FaultyStore(store, crash_at(number, fault)), tmp_path))
        listed = set(check_store(read_raw(store)))
        assert listed in [set(), {100}, {100, 200}, {100, 200, 300}, {200, 300}], number
        again = Publisher(store, tmp_path)
        _work(again)
        assert set(check_store(read_raw(store))) == {200, 300}, number
        if number % 8 == 0:  # the checker has decoded everything already
            restored = restore_checkpoint(again.repository, "latest", tmp_path / f"restored-{number}")
            assert describe_tree(restored.path) == describe_tree(again.source(300)), number


@CRASHES
def test_dying_at_every_call_lists_nothing_partial(fault: Fault, tmp_path: Path) -> None:
    _crash_often(lambda number: MemoryStore(), fault, tmp_path, every=1)


@CRASHES
def test_dying_at_every_fifth_call_of_a_directory_lists_nothing_partial(fault: Fault, tmp_path: Path) -> None:
    _crash_often(lambda number: LocalStore(tmp_path / f"store-{number}"), fault, tmp_path, every=5)


@pytest.mark.parametrize("seed", range(12))
def test_errors_partial_objects_and_lost_replies_are_outlived(seed: int, tmp_path: Path) -> None:
    faults = (Fault.ERROR_BEFORE, Fault.ERROR_AFTER, Fault.SHORT_READ, Fault.PARTIAL_OBJECT)
    store = MemoryStore()
    faulty = FaultyStore(store, throw_dice(seed, 0.25, faults))
    publisher = Publisher(RetryingStore(faulty, PATIENT), tmp_path)
    _work(publisher)
    assert set(check_store(read_raw(store))) == {200, 300}
    restored = restore_checkpoint(publisher.repository, "latest", tmp_path / "restored")
    assert describe_tree(restored.path) == describe_tree(publisher.source(300))


@pytest.mark.parametrize("seed", range(12))
def test_stale_listings_and_bad_reads_never_damage_a_store(seed: int, tmp_path: Path) -> None:
    store = MemoryStore()
    faulty = FaultyStore(store, throw_dice(seed, 0.3, (Fault.STALE_LISTING, Fault.FLIPPED_BYTE)))
    for _ in range(4):
        with suppress(WeightzipError):  # a byte that comes wrong may stop the work, by name
            _work(Publisher(faulty, tmp_path))
        check_store(read_raw(store))
    faulty.choose = lambda call, operation: None
    publisher = Publisher(faulty, tmp_path)
    _work(publisher)
    assert {200, 300} <= set(check_store(read_raw(store)))
    restored = restore_checkpoint(publisher.repository, "latest", tmp_path / "restored")
    assert describe_tree(restored.path) == describe_tree(publisher.source(300))
