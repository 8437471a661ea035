"""Publishing: archives first, the manifest last, once; a repository belongs to one run."""

import re
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.faulty_store import FaultyStore
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.store import CheckpointKey, CreateOutcome, Repository
from weightzip.daemon.store.layout import object_key, parse_checkpoint_key, parse_object_key
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData, NotFound, StoreConflict, StoreVanished


class UnconditionalStore(MemoryStore):
    """A store without conditional writes that says so."""

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        return CreateOutcome.UNSUPPORTED


class OverwritingStore(MemoryStore):
    """A store that ignores the condition, as some S3 servers do."""

    def create_bytes(self, key: str, data: bytes) -> CreateOutcome:
        self.put_bytes(key, data)
        return CreateOutcome.CREATED


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore("test")


@pytest.fixture
def publisher(store: MemoryStore, tmp_path: Path) -> Publisher:
    return Publisher(store, tmp_path)


def test_a_published_checkpoint_is_listed_and_complete(publisher: Publisher) -> None:
    publisher.publish_chain(10, 20)
    assert [key.step for key in publisher.repository.list_checkpoints()] == [10, 20]
    checked = check_store(read_raw(publisher.store))
    for step in (10, 20):
        tree = describe_tree(publisher.source(step))
        assert checked[step].files == {path: facts[-1] for path, facts in tree.items() if facts[0] == "file"}
        assert checked[step].links == {
            path: facts[1] for path, facts in tree.items() if facts[0] == "symlink"
        }


def test_the_manifest_is_written_after_everything_it_names(publisher: Publisher, tmp_path: Path) -> None:
    faulty = FaultyStore(MemoryStore())
    watched = Publisher(faulty, tmp_path)
    repository = watched.repository
    faulty.calls.clear()
    encoded = encode_checkpoint("checkpoint-1", 1, watched.source(1), workdir=tmp_path / "work")
    repository.publish(encoded)
    assert faulty.calls[-1] == "create_bytes"
    assert faulty.calls.count("create_bytes") == 1
    assert faulty.calls.count("put_file") == len(encoded.new_archives)
    assert "put_bytes" not in faulty.calls


def test_selectors(publisher: Publisher) -> None:
    publisher.publish_chain(100, 900, 1000)
    repository = publisher.repository
    assert repository.load("latest").step == 1000  # by number, not by name
    assert repository.load(900).step == repository.load("900").step == 900
    assert repository.load("checkpoint-100").step == 100
    for missing in (901, "901", "checkpoint-901"):
        with pytest.raises(NotFound, match=re.escape(repr(missing))):
            repository.find(missing)


def test_latest_of_nothing_is_not_found(publisher: Publisher) -> None:
    with pytest.raises(NotFound, match="none at all"):
        publisher.repository.find("latest")


@pytest.mark.parametrize("published_first", [True, False])
def test_of_one_step_the_last_saved_counts(publisher: Publisher, published_first: bool) -> None:
    source = publisher.source(10)
    publisher.publish(10)
    state = source / "trainer_state.json"
    state.chmod(0o644)
    state.write_text('{"global_step": 10, "again": true}')
    publisher.save_at(10, 1_600_000_000 if published_first else 1_900_000_000)
    second = publisher.publish(10)
    assert len(publisher.repository.list_checkpoints()) == 2
    assert (publisher.repository.load(10).identity == second.manifest.identity) is not published_first


def test_a_run_that_was_set_back_is_ordered_by_its_saves(publisher: Publisher) -> None:
    set_back = {
        500: 1,
        700: 2,
        900: 3,
        600: 4,
        701: 5,
    }  # restarted from 500: 600 and 701 were saved after 900
    for step in (900, 600, 500, 701, 700):  # a backlog is published in another order
        publisher.save_at(step, 1_800_000_000 + set_back[step])
        publisher.publish(step)
    repository = publisher.repository
    assert [key.step for key in repository.list_checkpoints()] == list(set_back)
    assert [manifest.step for manifest in repository.load_all()] == list(set_back)
    assert repository.load("latest").step == 701
    assert repository.load("latest").saved_at_seconds == 1_800_000_005
    check_store(read_raw(publisher.store))


def test_a_small_file_that_joins_later_makes_no_newest_checkpoint(publisher: Publisher) -> None:
    for step in (100, 200):
        publisher.save_at(step, 1_800_000_000 + step)
        publisher.publish(step)
    (publisher.source(100) / "eval.json").write_text("{}")
    assert publisher.publish(100).created
    assert publisher.repository.load("latest").step == 200
    assert publisher.repository.load(100).find_file("eval.json") is not None


def test_a_copy_with_new_times_is_the_same_checkpoint(publisher: Publisher) -> None:
    first = publisher.publish(10)
    publisher.save_at(10, 1_900_000_000)
    again = publisher.publish(10)
    assert not again.created
    assert again.manifest == first.manifest
    assert publisher.repository.list_checkpoints() == (first.manifest.checkpoint_key,)


def test_a_damaged_manifest_of_a_copy_is_written_anew_in_its_place(
    publisher: Publisher, store: MemoryStore
) -> None:
    key = publisher.publish(10).manifest.checkpoint_key
    store.put_bytes(key.key, b"{ damaged")
    publisher.save_at(10, 1_900_000_000)
    assert publisher.publish(10).created
    assert publisher.repository.list_checkpoints() == (key,)
    assert publisher.repository.load(10).saved_at_seconds == key.saved_at_seconds


def test_nothing_is_written_into_a_store_that_lost_its_record(
    publisher: Publisher, store: MemoryStore
) -> None:
    repository = publisher.repository
    encoded = encode_checkpoint("checkpoint-1", 1, publisher.source(1), workdir=publisher.root / "work")
    store.delete("weightzip-store.json")
    with pytest.raises(StoreVanished, match=r"has lost its weightzip-store\.json"):
        repository.publish(encoded)
    assert list(store.list_objects("")) == []


def test_publishing_again_sends_nothing(publisher: Publisher, tmp_path: Path) -> None:
    first = publisher.publish(10)
    again = publisher.publish(10)
    assert (first.created, again.created) == (True, False)
    assert again.n_sent_objects == 0
    assert again.manifest == first.manifest


def test_only_missing_and_wrong_objects_are_sent(publisher: Publisher, store: MemoryStore) -> None:
    first = publisher.publish(10)
    digests = sorted(first.manifest.object_digests)
    store.delete(first.manifest.checkpoint_key.key)
    store.delete(object_key(digests[0]))
    store.put_bytes(object_key(digests[1]), b"too short")
    size_bytes = store.size_bytes(object_key(digests[2]))
    store.put_bytes(object_key(digests[2]), bytes(size_bytes))  # right size, wrong bytes
    again = publisher.publish(10)
    assert again.n_sent_objects == 3
    check_store(read_raw(store))


def test_a_predecessor_archive_that_is_gone_stops_the_publish(
    publisher: Publisher, store: MemoryStore
) -> None:
    publisher.publish(10)
    model = publisher.manifests[10].find_file("model.safetensors")
    assert model is not None
    store.delete(object_key(publisher.manifests[10].encoding.archives[model.digest or ""].object_digest))
    with pytest.raises(NotFound, match="keyframe"):
        publisher.publish(20, predecessor=10)
    assert [key.step for key in publisher.repository.list_checkpoints()] == [10]


def test_a_damaged_manifest_is_written_anew(publisher: Publisher, store: MemoryStore) -> None:
    first = publisher.publish(10)
    key = first.manifest.checkpoint_key.key
    store.put_bytes(key, b"{ damaged")
    assert publisher.publish(10).created
    check_store(read_raw(store))


def test_another_run_is_refused(publisher: Publisher, store: MemoryStore) -> None:
    publisher.publish(10)
    for create in (False, True):
        with pytest.raises(StoreConflict, match="other-run"):
            Repository.open(store, run_id="other-run", create=create)
    assert Repository.open(store).run_id == publisher.run_id


def test_no_store_is_not_found_and_nothing_is_made(store: MemoryStore) -> None:
    with pytest.raises(NotFound, match="no weightzip store"):
        Repository.open(store)
    assert list(store.list_objects("")) == []


def test_a_damaged_record_is_named(store: MemoryStore) -> None:
    Repository.open(store, run_id="a", create=True)
    data = store.read_bytes("weightzip-store.json", 1 << 20)
    store.put_bytes("weightzip-store.json", data.replace(b'"a"', b'"b"'))
    with pytest.raises(CorruptData, match=r"weightzip-store\.json"):
        Repository.open(store)


def test_the_probe_tells_who_is_fenced() -> None:
    for store, fenced, reason in (
        (MemoryStore(), True, "refused"),
        (UnconditionalStore(), False, "no conditional"),
        (OverwritingStore(), False, "overwrote"),
    ):
        fencing = Repository.open(store, create=True).fencing
        assert fencing is not None
        assert (fencing.fenced, reason in fencing.reason) == (fenced, True)


@pytest.mark.parametrize("kind", [UnconditionalStore, OverwritingStore])
def test_stores_without_conditional_writes_still_publish_in_order(
    kind: type[MemoryStore], tmp_path: Path
) -> None:
    publisher = Publisher(kind(), tmp_path)
    publisher.publish_chain(10, 20)
    assert set(check_store(read_raw(publisher.store))) == {10, 20}


def test_a_manifest_of_another_run_or_place_counts_as_damaged(
    publisher: Publisher, store: MemoryStore
) -> None:
    publisher.publish_chain(10, 20)
    keys = publisher.repository.list_checkpoints()
    first, second = (store.read_bytes(key.key, 1 << 20) for key in keys)
    store.put_bytes(keys[0].key, second)
    with pytest.raises(CorruptData, match="another checkpoint"):
        publisher.repository.load(10)
    store.put_bytes(keys[0].key, first)
    with pytest.raises(CorruptData, match="written by run"):
        Repository(store, "other-run").load(10)


def test_foreign_keys_are_not_ours() -> None:
    digest = "ab" * 32
    assert parse_object_key(object_key(digest)) == digest
    assert parse_checkpoint_key(CheckpointKey.of(5, 7, digest).key) == CheckpointKey(5, 7, digest[:16])
    for key in ("objects/aa/" + digest + ".wzst", "objects/ab/" + digest, "objects/readme.txt"):
        assert parse_object_key(key) is None
    two_numbers = "0" * 12 + "-" + "ab" * 8
    far = "9" * 12 + "-" + two_numbers  # no date
    for key in ("7-abc.json", "readme.json", f"x/{two_numbers}.json", f"{two_numbers}.json", f"{far}.json"):
        assert parse_checkpoint_key(f"checkpoints/{key}") is None
