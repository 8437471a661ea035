"""The cache proves what it gives, resumes what broke off, evicts the least recently used, never what is in use."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3

from support.faulty_store import Fault, FaultyStore
from weightzip.daemon.restore.cache import ObjectCache
from weightzip.daemon.restore.fetch import RANGE_BYTES, ObjectFetcher
from weightzip.daemon.store.layout import object_key
from weightzip.daemon.store.manifest import ArchiveRecord
from weightzip.daemon.store.memory import MemoryStore
from weightzip.errors import CorruptData, NotFound, StoreUnavailable


def _name(data: bytes) -> str:
    return blake3(data).hexdigest()


def _give(data: bytes, calls: list[str] | None = None) -> Callable[[Path], None]:
    def fetch(partial: Path) -> None:
        if calls is not None:
            calls.append(_name(data))
        partial.write_bytes(data)

    return fetch


def _hold(cache: ObjectCache, data: bytes, calls: list[str] | None = None) -> None:
    with cache.hold(_name(data), len(data), _give(data, calls)) as path:
        assert path.read_bytes() == data


def test_the_second_time_nothing_is_fetched(tmp_path: Path) -> None:
    calls: list[str] = []
    for _ in range(2):
        _hold(ObjectCache(tmp_path, 1000), b"object", calls)
    assert len(calls) == 1


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 30)
    first, second, third, fourth = (bytes([number]) * 10 for number in range(4))
    for data in (first, second, third, first, fourth):
        _hold(cache, data)
    assert not cache.has(_name(second))
    assert all(cache.has(_name(data)) for data in (first, third, fourth))
    assert cache.used_bytes == 30


def test_a_limit_that_was_lowered_holds_from_the_start(tmp_path: Path) -> None:
    for number in range(3):
        _hold(ObjectCache(tmp_path, 30), bytes([number]) * 10)
    assert ObjectCache(tmp_path, 15).used_bytes == 10
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 10)
    first, second = b"1" * 10, b"2" * 10
    with cache.hold(_name(first), 10, _give(first)) as path:
        _hold(cache, second)
        assert path.read_bytes() == first
    _hold(cache, second)
    _hold(cache, b"3" * 10)
    assert cache.used_bytes == 10


def test_bytes_that_rotted_are_fetched_again(tmp_path: Path) -> None:
    _hold(ObjectCache(tmp_path, 1000), b"object")
    (tmp_path / f"{_name(b'object')}.wzst").write_bytes(b"0bject")
    calls: list[str] = []
    _hold(ObjectCache(tmp_path, 1000), b"object", calls)
    assert len(calls) == 1


def test_wrong_bytes_are_fetched_once_more_and_then_refused(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 1000)
    answers = [b"0bject", b"object"]
    with cache.hold(_name(b"object"), 6, lambda partial: _give(answers.pop(0))(partial)) as path:
        assert path.read_bytes() == b"object"
    calls: list[str] = []
    with (
        pytest.raises(CorruptData, match=_name(b"other")),
        cache.hold(_name(b"other"), 5, _give(b"0ther", calls)),
    ):
        pass
    assert len(calls) == 2
    assert not cache.has(_name(b"other"))
    assert cache.used_bytes == 6


def test_threads_that_want_one_object_fetch_it_once(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 1000)
    calls: list[str] = []
    threads = [threading.Thread(target=_hold, args=(cache, b"object", calls)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


@pytest.fixture
def stored() -> tuple[MemoryStore, bytes, ArchiveRecord]:
    store = MemoryStore()
    data = bytes(range(253)) * (3 * RANGE_BYTES // 253)
    store.put_bytes(object_key(_name(data)), data)
    return store, data, ArchiveRecord(object_digest=_name(data), size_bytes=len(data), file_bytes=1)


def test_a_download_goes_on_where_it_broke_off(
    stored: tuple[MemoryStore, bytes, ArchiveRecord], tmp_path: Path
) -> None:
    store, data, record = stored
    faulty = FaultyStore(store, lambda call, _: Fault.ERROR_BEFORE if call == 2 else None)
    cache = ObjectCache(tmp_path, 1 << 30)
    with ObjectFetcher(faulty) as fetcher:
        with pytest.raises(StoreUnavailable), fetcher.hold([record], cache):
            pass
        arrived = fetcher.fetched_bytes
        assert arrived == 2 * RANGE_BYTES
        assert cache.used_bytes == arrived
        with fetcher.hold([record], ObjectCache(tmp_path, 1 << 30)) as paths:
            assert paths[record.object_digest].read_bytes() == data
        assert fetcher.fetched_bytes == len(data)


def test_a_byte_flipped_on_the_wire_costs_a_second_download(
    stored: tuple[MemoryStore, bytes, ArchiveRecord], tmp_path: Path
) -> None:
    store, data, record = stored
    faulty = FaultyStore(store, lambda call, _: Fault.FLIPPED_BYTE if call == 1 else None)
    with ObjectFetcher(faulty) as fetcher, fetcher.hold([record], ObjectCache(tmp_path, 1 << 30)) as paths:
        assert paths[record.object_digest].read_bytes() == data
        assert fetcher.fetched_bytes == 2 * len(data)


def test_an_object_that_is_short_or_gone_is_named(
    stored: tuple[MemoryStore, bytes, ArchiveRecord], tmp_path: Path
) -> None:
    store, data, record = stored
    cache = ObjectCache(tmp_path, 1 << 30)
    key = object_key(record.object_digest)
    store.put_bytes(key, data[:-1])
    with ObjectFetcher(store) as fetcher:
        with pytest.raises(CorruptData, match=key), fetcher.hold([record], cache):
            pass
        store.delete(key)
        with pytest.raises(NotFound, match=key), fetcher.hold([record], cache):
            pass


def _write_archive(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "work" / "archive.wzst"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(0, 0))  # as old as the file it restores
    return path


def test_an_archive_is_adopted_by_renaming(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "cache", 100)
    archive = _write_archive(tmp_path, b"object")
    inode = archive.stat().st_ino
    assert cache.adopt(_name(b"object"), archive)
    assert not archive.exists()
    calls: list[str] = []
    with cache.hold(_name(b"object"), 6, _give(b"object", calls)) as path:
        assert (path.stat().st_ino, path.read_bytes()) == (inode, b"object")
    assert calls == []
    assert not cache.adopt(_name(b"object"), _write_archive(tmp_path, b"object"))  # there already
    assert cache.used_bytes == 6
    assert list((tmp_path / "work").iterdir()) == []


def test_what_is_adopted_counts_as_used_last_also_after_a_restart(tmp_path: Path) -> None:
    for restart in (False, True):
        cache = ObjectCache(tmp_path / f"cache-{restart}", 30)
        first, second, third = (bytes([number]) * 15 for number in range(3))
        _hold(cache, first)
        assert cache.adopt(_name(second), _write_archive(tmp_path, second))
        if restart:
            cache = ObjectCache(tmp_path / "cache-True", 30)
        assert cache.adopt(_name(third), _write_archive(tmp_path, third))
        assert not cache.has(_name(first))
        assert cache.has(_name(second))
        assert cache.has(_name(third))
        assert cache.used_bytes == 30


def test_an_archive_without_room_is_not_adopted(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "cache", 10)
    used, large = b"1" * 8, b"2" * 11
    with cache.hold(_name(used), 8, _give(used)):
        for data in (large, b"3" * 5):
            archive = _write_archive(tmp_path, data)
            assert not cache.adopt(_name(data), archive)
            assert not archive.exists()
    assert cache.used_bytes == 8


def test_an_adopted_archive_is_proven_like_any_other(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "cache", 100)
    cache.adopt(_name(b"object"), _write_archive(tmp_path, b"0bject"))
    calls: list[str] = []
    _hold(cache, b"object", calls)
    assert len(calls) == 1


def test_an_unfinished_download_makes_way_for_an_adopted_archive(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path / "cache", 100)

    def break_off(partial: Path) -> None:
        partial.write_bytes(b"obj")
        raise StoreUnavailable("the line broke")

    with pytest.raises(StoreUnavailable), cache.hold(_name(b"object"), 6, break_off):
        pass
    assert cache.used_bytes == 3
    assert cache.adopt(_name(b"object"), _write_archive(tmp_path, b"object"))
    assert cache.used_bytes == 6
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_all_that_is_not_in_use_can_be_given_up(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 100)
    _hold(cache, b"unused")
    with cache.hold(_name(b"used"), 4, _give(b"used")) as path:
        assert cache.evict_unused() == 6
        assert path.read_bytes() == b"used"
    assert cache.used_bytes == 4


def test_nothing_is_remembered_of_objects_that_are_gone(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 40)
    for number in range(50):
        _hold(cache, bytes([number]) * 10)
    remembered = [vars(cache)[name] for name in ("_sizes", "_proven", "_in_use", "_object_locks")]
    assert [len(each) for each in remembered] == [4, 4, 0, 0]
