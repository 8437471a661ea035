"""Retention keeps what it promised, whole chains included, and touches nothing foreign."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.keeper import (
    ORPHAN_GRACE_SECONDS,
    RetentionPlan,
    execute_plan,
    find_orphans,
    plan_removal,
    plan_retention,
)
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store.layout import object_key
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData, UsageError

STEPS = (100, 200, 300, 400, 500)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def publisher(store: MemoryStore, tmp_path: Path) -> Publisher:
    publisher = Publisher(store, tmp_path)
    publisher.publish_chain(*STEPS)
    return publisher


def _kept(plan: RetentionPlan) -> list[int]:
    return [manifest.step for manifest in plan.keep]


def _age(store: MemoryStore, key: str, seconds: float) -> None:
    data, modified_seconds = store._objects[key]
    store._objects[key] = (data, modified_seconds - seconds)


def test_the_union_of_rules_stays(publisher: Publisher) -> None:
    manifests = publisher.repository.load_all()
    assert _kept(plan_retention(manifests, keep_last=3)) == [300, 400, 500]
    assert _kept(plan_retention(manifests, keep_last=2, keep_every=200)) == [200, 400, 500]
    assert _kept(plan_retention(manifests, keep_last=2, keep_every=100)) == [100, 200, 300, 400, 500]


@pytest.mark.parametrize("shuffle", [False, True])
def test_two_stay_whatever_is_asked(publisher: Publisher, shuffle: bool) -> None:
    manifests = publisher.repository.load_all()
    ordered = tuple(reversed(manifests)) if shuffle else manifests
    assert _kept(plan_retention(ordered, keep_last=1)) == [400, 500]
    assert _kept(plan_retention(ordered[:1], keep_last=1)) == [ordered[0].step]


@pytest.mark.parametrize(("keep_last", "keep_every"), [(0, None), (2, 0)])
def test_counts_below_one_are_refused(keep_last: int, keep_every: int | None) -> None:
    with pytest.raises(UsageError):
        plan_retention((), keep_last=keep_last, keep_every=keep_every)


def test_after_a_set_back_the_stale_higher_steps_go_first(tmp_path: Path) -> None:
    publisher = Publisher(MemoryStore(), tmp_path)
    for time, step in enumerate((500, 900, 1000, 600, 700)):
        publisher.save_at(step, 1_800_000_000 + time)
        publisher.publish(step)
    manifests = publisher.repository.load_all()
    assert _kept(plan_retention(manifests, keep_last=1)) == [600, 700]
    assert _kept(plan_retention(manifests, keep_last=2, keep_every=500)) == [500, 1000, 600, 700]


def test_steps_are_numbers(tmp_path: Path) -> None:
    publisher = Publisher(MemoryStore(), tmp_path)
    publisher.publish_chain(9000, 9900, 10000)
    assert _kept(plan_retention(publisher.repository.load_all(), keep_last=2)) == [9900, 10000]


def test_pruning_leaves_whole_chains(publisher: Publisher, store: MemoryStore, tmp_path: Path) -> None:
    repository = publisher.repository
    before = read_raw(store)
    plan = plan_retention(repository.load_all(), keep_last=2)
    assert read_raw(store) == before  # a plan changes nothing
    report = execute_plan(repository, plan)
    assert report.n_removed_checkpoints == 3
    assert [key.step for key in repository.list_checkpoints()] == [400, 500]
    assert set(check_store(read_raw(store))) == {400, 500}
    # 500 leans on 400 and so on down to 100: all model archives must still be there.
    assert publisher.manifests[500].chain_depth == 4
    restored = restore_checkpoint(repository, 500, tmp_path / "target")
    assert describe_tree(restored.path) == describe_tree(publisher.source(500))


def test_archives_nobody_needs_are_deleted_and_counted(publisher: Publisher, store: MemoryStore) -> None:
    publisher.publish(600)  # a keyframe
    publisher.publish(700, predecessor=600)
    repository = publisher.repository
    plan = plan_retention(repository.load_all(), keep_last=2)
    before = read_raw(store)
    report = execute_plan(repository, plan)
    after = read_raw(store)
    gone = {key: data for key, data in before.items() if key not in after and key.startswith("objects/")}
    assert report.n_deleted_objects == len(gone)
    assert report.freed_bytes == plan.freed_bytes == sum(map(len, gone.values()))
    named = {object_key(digest) for step in (600, 700) for digest in publisher.manifests[step].object_digests}
    assert {key for key in after if key.startswith("objects/")} == named


def test_removing_the_middle_of_a_chain_breaks_nothing(publisher: Publisher, store: MemoryStore) -> None:
    repository = publisher.repository
    doomed = publisher.manifests[300].checkpoint_key
    execute_plan(repository, plan_removal(repository.load_all(), [doomed]))
    assert set(check_store(read_raw(store))) == {100, 200, 400, 500}


def test_foreign_objects_stay(publisher: Publisher, store: MemoryStore) -> None:
    foreign = [
        "objects/readme.txt",
        "objects/ab/notes.wzst",
        "checkpoints/readme.json",
        "other/thing",
        "thing",
    ]
    for key in foreign:
        store.put_bytes(key, b"mine")
        _age(store, key, 10 * ORPHAN_GRACE_SECONDS)
    repository = publisher.repository
    manifests = repository.load_all()
    plan = plan_retention(manifests, keep_last=2, orphans=find_orphans(repository, manifests))
    execute_plan(repository, plan)
    for key in foreign:
        assert store.read_bytes(key, 10) == b"mine"


def test_only_old_orphans_are_found(publisher: Publisher, store: MemoryStore) -> None:
    young, old, temporary = object_key("ab" * 32), object_key("cd" * 32), "tmp/1234"
    for key in (young, old, temporary):
        store.put_bytes(key, b"left behind")
    _age(store, old, ORPHAN_GRACE_SECONDS + 60)
    _age(store, temporary, ORPHAN_GRACE_SECONDS + 60)
    repository = publisher.repository
    manifests = repository.load_all()
    for manifest in manifests:
        for digest in manifest.object_digests:
            _age(store, object_key(digest), 10 * ORPHAN_GRACE_SECONDS)
    orphans = find_orphans(repository, manifests)
    assert {item.key for item in orphans} == {old, temporary}
    assert {item.key for item in find_orphans(repository, manifests, spared={"cd" * 32})} == {temporary}
    execute_plan(repository, plan_retention(manifests, keep_last=9, orphans=orphans))
    assert {item.key for item in store.list_objects("tmp/")} == set()
    assert store.read_bytes(young, 100) == b"left behind"


def test_what_was_published_after_the_plan_is_spared(publisher: Publisher, store: MemoryStore) -> None:
    repository = publisher.repository
    plan = plan_removal(repository.load_all(), [publisher.manifests[step].checkpoint_key for step in STEPS])
    publisher.publish(600, predecessor=500)
    execute_plan(repository, plan)
    assert set(check_store(read_raw(store))) == {600}


def test_nothing_is_deleted_when_a_manifest_cannot_be_read(publisher: Publisher, store: MemoryStore) -> None:
    publisher.publish(600)
    repository = publisher.repository
    plan = plan_retention(repository.load_all(), keep_last=2)
    key = publisher.manifests[500].checkpoint_key.key
    store.put_bytes(key, b"{ damaged")
    objects = {item.key for item in store.list_objects("objects/")}
    with pytest.raises(CorruptData, match=re.escape(key)):
        execute_plan(repository, plan)
    assert {item.key for item in store.list_objects("objects/")} == objects


def test_an_abort_at_any_delete_leaves_the_listed_ones_whole(
    publisher: Publisher, store: MemoryStore
) -> None:
    publisher.publish(600)
    publisher.publish(700, predecessor=600)
    repository = publisher.repository
    plan = plan_retention(repository.load_all(), keep_last=2)
    deletes = len(plan.remove) + len(plan.delete_objects)
    true_delete = store.delete
    for n_allowed in range(deletes):
        remaining = [n_allowed]

        def delete(key: str, remaining: list[int] = remaining) -> None:
            if remaining[0] == 0:
                raise KeyboardInterrupt
            remaining[0] -= 1
            true_delete(key)

        store.delete = delete  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            execute_plan(repository, plan)
        check_store(read_raw(store))
    store.delete = true_delete  # type: ignore[method-assign]
    execute_plan(repository, replace(plan))
    assert set(check_store(read_raw(store))) == {600, 700}
