"""Retries are bounded and leave hopeless errors alone; every operation is observed; URLs find their store."""

import errno
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from servers.fault_proxy import FaultProxy, WireFaults
from servers.faulty_s3 import FaultyS3
from servers.location import S3Location
from support.faulty_store import Fault, FaultyStore
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.store import RetryPolicy, open_store
from weightzip.daemon.store.failures import translate_failures
from weightzip.daemon.store.local import LocalStore
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.observed import ObservedStore
from weightzip.daemon.store.remote import FsspecStore
from weightzip.daemon.store.retrying import RetryingStore
from weightzip.errors import CorruptData, DiskFull, NotFound, StoreUnavailable, TruncatedData, UsageError

QUICK = RetryPolicy(n_attempts=3, first_wait_seconds=0.001, max_wait_seconds=0.002)


def _faulty(*faults: Fault | None) -> tuple[FaultyStore, RetryingStore, list[tuple[str, str]]]:
    retries: list[tuple[str, str]] = []
    faulty = FaultyStore(MemoryStore())
    faulty.put_bytes("key", b"0123456789")
    first = len(faulty.calls)
    faulty.choose = lambda call, _: faults[call - first] if call - first < len(faults) else None
    return faulty, RetryingStore(faulty, QUICK, lambda *retry: retries.append(retry)), retries


def test_what_passes_is_repeated() -> None:
    faulty, store, retries = _faulty(Fault.ERROR_BEFORE, Fault.SHORT_READ)
    assert store.read_range("key", 0, 10) == b"0123456789"
    assert retries == [("read_range", "StoreUnavailable"), ("read_range", "TruncatedData")]
    assert faulty.calls[1:] == ["read_range"] * 3


def test_repetition_is_bounded() -> None:
    faulty, store, _ = _faulty(*[Fault.ERROR_BEFORE] * 9)
    with pytest.raises(StoreUnavailable):
        store.put_bytes("key", b"new")
    assert faulty.calls[1:] == ["put_bytes"] * 3


def test_what_is_missing_is_asked_for_once() -> None:
    faulty, store, _ = _faulty()
    with pytest.raises(NotFound):
        store.read_bytes("missing", 10)
    with pytest.raises(CorruptData):
        store.read_bytes("key", 3)
    assert faulty.calls[1:] == ["read_bytes"] * 2


def test_refused_credentials_are_not_tried_again() -> None:
    calls = []

    class Forbidden(MemoryStore):
        def size_bytes(self, key: str) -> int:
            calls.append(key)
            with translate_failures(self.url, key):
                raise PermissionError("403")

    with pytest.raises(StoreUnavailable, match="403"):
        RetryingStore(Forbidden(), QUICK).size_bytes("key")
    assert calls == ["key"]


def test_each_operation_is_observed_with_its_bytes_and_its_end(tmp_path: Path) -> None:
    seen: list[tuple[str, int, str | None]] = []
    store = ObservedStore(MemoryStore(), lambda *told: seen.append((told[0], told[2], told[3])))
    (tmp_path / "file").write_bytes(bytes(7))
    store.put_file("file", tmp_path / "file")
    store.create_bytes("key", b"12345")
    store.read_range("key", 1, 2)
    list(store.list_objects("objects/"))
    with pytest.raises(NotFound):
        store.size_bytes("missing")
    store.delete("key")
    assert seen == [
        ("put_file", 7, None),
        ("create_bytes", 5, None),
        ("read_range", 2, None),
        ("list_objects", 0, None),
        ("size_bytes", 0, "NotFound"),
        ("delete", 0, None),
    ]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_has_a_name(number: int) -> None:
    with pytest.raises(DiskFull, match="key"), translate_failures("file:///store", "key"):
        raise OSError(number, "full")


def test_a_local_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store")
    with pytest.raises(NotFound):
        store.put_file("objects/aa/x.wzst", tmp_path / "no such file")
    assert [path for path in (tmp_path / "store").rglob("*") if path.is_file()] == []


def test_urls_find_their_store(tmp_path: Path) -> None:
    open_store(f"file://{tmp_path}/with%20blank").put_bytes("key", b"x")
    assert (tmp_path / "with blank" / "key").read_bytes() == b"x"
    open_store("memory://shared").put_bytes("key", b"y")
    assert open_store("memory://shared/").read_bytes("key", 9) == b"y"
    for url in ("file://relative/path", "s3://", "nosuchscheme://x/y"):
        with pytest.raises(UsageError, match=url):
            open_store(url)


@pytest.mark.timeout(
    60
)  # far above any machine's mood, far below what the libraries would wait by themselves
def test_a_dead_endpoint_is_given_up_in_bounded_time() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    options = {"key": "k", "secret": "s", "client_kwargs": {"endpoint_url": f"http://127.0.0.1:{port}"}}
    with pytest.raises(StoreUnavailable, match="s3://bucket/prefix/key"):
        open_store("s3://bucket/prefix", options, policy=QUICK).read_bytes("key", 10)


def test_a_busy_server_is_asked_again(faulty_s3: tuple[FaultyS3, S3Location]) -> None:
    server, location = faulty_s3
    retries: list[tuple[str, str]] = []
    store = open_store(
        location.url, location.storage_options, policy=QUICK, on_retry=lambda *it: retries.append(it)
    )
    server.fail("PUT", "key", times=2)
    store.put_bytes("key", b"content")
    server.fail("GET", "key", times=1, status=500, code="InternalError")
    assert store.read_bytes("key", 100) == b"content"
    assert [operation for operation, _ in retries] == ["put_bytes", "put_bytes", "read_bytes"]


@pytest.mark.parametrize("part", ["weightzip-store.json", "checkpoints/", "objects/"])
def test_a_lost_reply_is_no_conflict(
    faulty_s3: tuple[FaultyS3, S3Location], part: str, tmp_path: Path
) -> None:
    server, location = faulty_s3
    store = open_store(location.url, location.storage_options, policy=QUICK)
    server.commit_then_fail("PUT", part, times=1)
    publisher = Publisher(store, tmp_path)
    publisher.publish_chain(10, 20)
    fencing = publisher.repository.fencing
    assert fencing is not None
    assert fencing.fenced
    assert set(check_store(read_raw(store))) == {10, 20}
    assert any(request.status == 500 for request in server.requests)


def test_a_missing_bucket_is_said_so(faulty_s3: tuple[FaultyS3, S3Location]) -> None:
    _, location = faulty_s3
    store = open_store("s3://no-such-bucket/prefix", location.storage_options, policy=QUICK)
    with pytest.raises(StoreUnavailable, match="bucket"):
        store.read_bytes("key", 10)
    with pytest.raises(StoreUnavailable, match="bucket"):
        list(store.list_objects("checkpoints/"))


def test_truncated_data_names_the_object(faulty_s3: tuple[FaultyS3, S3Location]) -> None:
    _, location = faulty_s3
    store = open_store(location.url, location.storage_options, policy=QUICK)
    store.put_bytes("key", b"123")
    with pytest.raises(TruncatedData, match="key"):
        store.read_range("key", 10, 5)


@pytest.mark.s3
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "fault", [{"refuse": True}, {"stall_after_bytes": 0}, {"reset_after_bytes": 0}], ids=str
)
def test_a_bad_network_is_given_up_in_bounded_time_and_forgotten_when_it_heals(
    wire_faults: tuple[FaultProxy, S3Location], fault: dict[str, object]
) -> None:
    proxy, location = wire_faults
    store = open_store(location.url, location.storage_options, policy=replace(QUICK, operation_seconds=1))
    for name, value in fault.items():
        setattr(proxy.faults, name, value)
    with pytest.raises(StoreUnavailable, match="key"):
        store.put_bytes("key", b"content")
    with pytest.raises(StoreUnavailable, match="key"):
        store.read_bytes("key", 100)
    proxy.faults = WireFaults()
    store.put_bytes("key", b"content")
    assert store.read_bytes("key", 100) == b"content"


def test_a_url_shows_no_password() -> None:
    assert FsspecStore("http://user:secret@host.invalid/path").url == "http://host.invalid/path"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3:/bucket/run", "did you mean s3://bucket/run?"),
        ("file:/mnt/store", "did you mean file:///mnt/store?"),
        ("s4://bucket/run", "'s4' is no known protocol"),
        ("s3://", "no bucket or host is named"),
    ],
)
def test_a_mistyped_url_is_refused_with_the_way_out(url: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        open_store(url)
    assert message in str(refusal.value)
