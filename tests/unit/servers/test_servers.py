"""The servers the other tests lean on do what their names say."""

import asyncio
import contextlib

import fsspec
import pytest
from aiohttp import ClientError as HttpError
from botocore.exceptions import BotoCoreError, ClientError

from servers.fault_proxy import FaultProxy
from servers.faulty_s3 import FaultyS3
from servers.location import S3Account, S3Location
from servers.seaweedfs import SeaweedServer, connect


def _open(location: S3Location) -> fsspec.AbstractFileSystem:
    return fsspec.filesystem("s3", skip_instance_cache=True, **location.storage_options)


def test_seaweed_keeps_its_objects_when_killed(
    seaweed_server: SeaweedServer, s3_store_url: S3Location
) -> None:
    url, _ = s3_store_url
    _open(s3_store_url).pipe_file(f"{url}/kept", b"bytes")
    seaweed_server.kill()
    seaweed_server.start()
    assert _open(s3_store_url).cat_file(f"{url}/kept") == b"bytes"


def test_seaweed_refuses_a_second_create(s3_store_url: S3Location) -> None:
    url, _ = s3_store_url
    store = _open(s3_store_url)
    store.pipe_file(f"{url}/once", b"first", mode="create")
    with pytest.raises(OSError, match="condition"):
        store.pipe_file(f"{url}/once", b"second", mode="create")
    assert store.cat_file(f"{url}/once") == b"first"


def test_every_test_gets_its_own_prefix(s3_store_url: S3Location) -> None:
    assert _open(s3_store_url).find(s3_store_url.url) == []


def test_faulty_s3_refuses_the_given_number_of_times(faulty_s3: tuple[FaultyS3, S3Location]) -> None:
    server, location = faulty_s3
    server.fail("PUT", "/slow", times=2)
    client = connect(server.account)
    bucket, _, prefix = location.url.removeprefix("s3://").partition("/")
    statuses = []
    for _ in range(3):
        with contextlib.suppress(ClientError):
            client.put_object(Bucket=bucket, Key=f"{prefix}/slow", Body=b"x" * 100_000)
        statuses.append(server.requests[-1].status)
    assert statuses == [503, 503, 200]


def test_faulty_s3_commits_and_then_lies(faulty_s3: tuple[FaultyS3, S3Location]) -> None:
    server, location = faulty_s3
    server.commit_then_fail("PUT", "/lost-reply")
    client = connect(server.account)
    bucket, _, prefix = location.url.removeprefix("s3://").partition("/")
    with pytest.raises(ClientError, match="InternalError"):
        client.put_object(Bucket=bucket, Key=f"{prefix}/lost-reply", Body=b"there")
    assert _open(location).cat_file(f"{location.url}/lost-reply") == b"there"


def test_proxy_passes_corrupts_and_resets(wire_faults: tuple[FaultProxy, S3Location]) -> None:
    proxy, location = wire_faults
    store = _open(location)
    body = bytes(300_000)
    store.pipe_file(f"{location.url}/zeros", body)
    assert store.cat_file(f"{location.url}/zeros") == body

    proxy.faults.flip_bit_at_byte = 200_000
    # s3fs compares a checksum when it reads a whole object, and has none to compare when it reads a range.
    assert _open(location).cat_file(f"{location.url}/zeros", start=0, end=299_999).count(1) == 1

    proxy.faults.flip_bit_at_byte = None
    proxy.faults.reset_after_bytes = 100_000
    with pytest.raises((OSError, HttpError, asyncio.TimeoutError)):
        _open(location).cat_file(f"{location.url}/zeros")


def test_proxy_refuses(wire_faults: tuple[FaultProxy, S3Location]) -> None:
    proxy, _ = wire_faults
    proxy.faults.refuse = True
    client = connect(S3Account(f"http://127.0.0.1:{proxy.port}"))
    with pytest.raises(BotoCoreError):
        client.list_buckets()
