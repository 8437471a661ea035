"""Fixtures for every test: real servers on loopback, and how hard Hypothesis works.

The servers themselves live in `tests/servers/`; fixtures that one folder alone uses live beside their tests.
"""

import os
import uuid
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from servers.fault_proxy import FaultProxy
from servers.faulty_s3 import BUCKET as FAULTY_BUCKET
from servers.faulty_s3 import FaultyS3
from servers.location import S3Account, S3Location
from servers.seaweedfs import BUCKET as WEED_BUCKET
from servers.seaweedfs import SeaweedServer, connect

# "ci" is the default: the same examples on every run, so that a red build is red for everyone. "search" looks for new ones.
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def seaweed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedServer]:
    """Give the one SeaweedFS of this test session. A test that kills it must start it again."""
    server = SeaweedServer(tmp_path_factory.mktemp("seaweedfs"))
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def s3_store_url(seaweed_server: SeaweedServer) -> S3Location:
    """Give `(url, storage_options)` of an empty prefix in a real S3 server; `.environment` is for child processes."""
    return S3Location(f"s3://{WEED_BUCKET}/{uuid.uuid4().hex}", seaweed_server.account.storage_options)


@pytest.fixture
def wire_faults(seaweed_server: SeaweedServer) -> Iterator[tuple[FaultProxy, S3Location]]:
    """Give a TCP proxy before the real S3 server, its `faults` to be set by the test, and a prefix reached through it."""
    proxy = FaultProxy(seaweed_server.port)
    proxy.start()
    account = S3Account(f"http://127.0.0.1:{proxy.port}")
    try:
        yield proxy, S3Location(f"s3://{WEED_BUCKET}/{uuid.uuid4().hex}", account.storage_options)
    finally:
        proxy.stop()


@pytest.fixture(scope="session")
def _moto_server() -> Iterator[FaultyS3]:
    server = FaultyS3()
    server.start()
    connect(server.account).create_bucket(Bucket=FAULTY_BUCKET)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def faulty_s3(_moto_server: FaultyS3) -> Iterator[tuple[FaultyS3, S3Location]]:
    """Give an S3 server whose answers the test spoils (`fail`, `commit_then_fail`), and an empty prefix in it."""
    _moto_server.heal()
    yield (
        _moto_server,
        S3Location(f"s3://{FAULTY_BUCKET}/{uuid.uuid4().hex}", _moto_server.account.storage_options),
    )
    _moto_server.heal()
