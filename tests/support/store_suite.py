"""What every store must do. A new store is one class and four lines: subclass, make_store, done."""

import threading
from abc import ABC, abstractmethod
from pathlib import Path

import pytest

from weightzip.daemon.store import CreateOutcome, Store
from weightzip.errors import CorruptData, NotFound, TruncatedData


class StoreSuite(ABC):
    """Subclass it as `TestMyStore` and return an empty store from `make_store`."""

    conditional = True  # whether create_bytes must be honoured

    @pytest.fixture
    def store(self, request: pytest.FixtureRequest) -> Store:
        return self.make_store(request)

    @abstractmethod
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        """Return an empty store."""

    @pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 300], ids=["empty", "one", "many"])
    def test_bytes_come_back(self, store: Store, data: bytes) -> None:
        store.put_bytes("a/b.json", data)
        assert store.read_bytes("a/b.json", 1 << 20) == data
        assert store.size_bytes("a/b.json") == len(data)

    def test_a_file_comes_back(self, store: Store, tmp_path: Path) -> None:
        data = bytes(range(251)) * 150_000  # 37 MB: more than one part of a multipart upload
        (tmp_path / "file").write_bytes(data)
        store.put_file("objects/aa/file.wzst", tmp_path / "file")
        assert store.size_bytes("objects/aa/file.wzst") == len(data)
        assert store.read_range("objects/aa/file.wzst", 0, len(data)) == data

    def test_put_replaces(self, store: Store) -> None:
        store.put_bytes("key", b"a longer first content")
        store.put_bytes("key", b"second")
        assert store.read_bytes("key", 100) == b"second"

    def test_ranges_are_exact(self, store: Store) -> None:
        store.put_bytes("key", b"0123456789")
        assert store.read_range("key", 3, 4) == b"3456"
        assert store.read_range("key", 9, 1) == b"9"
        assert store.read_range("key", 4, 0) == b""

    @pytest.mark.parametrize(("offset", "n_bytes"), [(0, 11), (9, 2), (10, 1), (500, 1)])
    def test_a_range_past_the_end_is_truncated_data(self, store: Store, offset: int, n_bytes: int) -> None:
        store.put_bytes("key", b"0123456789")
        with pytest.raises(TruncatedData, match="key"):
            store.read_range("key", offset, n_bytes)

    def test_an_object_over_the_limit_is_refused(self, store: Store) -> None:
        store.put_bytes("key", b"0123456789")
        assert store.read_bytes("key", 10) == b"0123456789"
        with pytest.raises(CorruptData, match="key"):
            store.read_bytes("key", 9)

    def test_what_is_missing_is_not_found(self, store: Store) -> None:
        store.put_bytes("directory/key", b"x")
        for missing in ("nothing", "directory"):
            with pytest.raises(NotFound, match=missing):
                store.read_bytes(missing, 10)
            with pytest.raises(NotFound, match=missing):
                store.read_range(missing, 0, 1)
            with pytest.raises(NotFound, match=missing):
                store.size_bytes(missing)

    def test_listing_follows_writes_and_deletes(self, store: Store) -> None:
        assert list(store.list_objects("checkpoints/")) == []
        for key in (
            "checkpoints/1.json",
            "checkpoints/2.json",
            "checkpoints-other/3.json",
            "objects/aa/x.wzst",
        ):
            store.put_bytes(key, b"12345")
        listed = {item.key: item.size_bytes for item in store.list_objects("checkpoints/")}
        assert listed == {"checkpoints/1.json": 5, "checkpoints/2.json": 5}
        store.delete("checkpoints/1.json")
        assert [item.key for item in store.list_objects("checkpoints/")] == ["checkpoints/2.json"]
        assert [item.key for item in store.list_objects("objects/")] == ["objects/aa/x.wzst"]

    def test_listing_tells_when(self, store: Store) -> None:
        store.put_bytes("objects/aa/x.wzst", b"1")
        (item,) = store.list_objects("objects/")
        assert item.modified_seconds is not None
        assert item.modified_seconds > 1_600_000_000

    def test_delete_may_be_repeated(self, store: Store) -> None:
        store.put_bytes("key", b"x")
        store.delete("key")
        store.delete("key")
        with pytest.raises(NotFound):
            store.read_bytes("key", 10)

    def test_create_takes_a_free_key_once(self, store: Store) -> None:
        first = store.create_bytes("key", b"first")
        if not self.conditional:
            assert first is CreateOutcome.UNSUPPORTED
            return
        assert first is CreateOutcome.CREATED
        assert store.create_bytes("key", b"second") is CreateOutcome.ALREADY_EXISTS
        assert store.read_bytes("key", 100) == b"first"

    def test_one_of_eight_creators_wins(self, store: Store) -> None:
        outcomes: dict[bytes, CreateOutcome] = {}
        barrier = threading.Barrier(8)

        def create(name: bytes) -> None:
            barrier.wait()
            outcomes[name] = store.create_bytes("race", name)

        threads = [threading.Thread(target=create, args=(b"writer %d" % number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [name for name, outcome in outcomes.items() if outcome is CreateOutcome.CREATED]
        assert len(outcomes) == 8
        if not self.conditional:
            assert set(outcomes.values()) == {CreateOutcome.UNSUPPORTED}  # refused before anything is written
            return
        assert len(winners) == 1
        assert store.read_bytes("race", 100) == winners[0]

    @pytest.mark.parametrize("key", ["", "/a", "a/", "../a", "a/../b", "a//b", ".hidden", "a b", "ä"])
    def test_a_key_that_leads_astray_is_refused(self, store: Store, key: str) -> None:
        with pytest.raises(ValueError, match="no key"):
            store.put_bytes(key, b"x")
