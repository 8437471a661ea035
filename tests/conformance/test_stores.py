"""Every store passes the same suite: memory, a local directory, two S3 servers, one without conditional writes."""

from pathlib import Path

import pytest

from servers.faulty_s3 import FaultyS3
from servers.location import S3Location
from support.store_suite import StoreSuite
from weightzip.daemon.store import RetryPolicy, Store, open_store
from weightzip.daemon.store.memory import MemoryStore
from weightzip.daemon.store.remote import FsspecStore

QUICK = RetryPolicy(first_wait_seconds=0.001, max_wait_seconds=0.01)


class TestMemoryStore(StoreSuite):
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        return MemoryStore()


class TestLocalStore(StoreSuite):
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        path: Path = request.getfixturevalue("tmp_path")
        return open_store(f"file://{path}/store", policy=QUICK)


class TestPlainPath(StoreSuite):
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        path: Path = request.getfixturevalue("tmp_path")
        return open_store(str(path / "a store"), policy=QUICK)


@pytest.mark.s3
class TestSeaweedFS(StoreSuite):
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        location: S3Location = request.getfixturevalue("s3_store_url")
        return open_store(location.url, location.storage_options, policy=QUICK)


class TestMoto(StoreSuite):
    def make_store(self, request: pytest.FixtureRequest) -> Store:
        server_and_location: tuple[FaultyS3, S3Location] = request.getfixturevalue("faulty_s3")
        return open_store(server_and_location[1].url, server_and_location[1].storage_options, policy=QUICK)


class TestOtherFsspec(StoreSuite):
    """A file system that fsspec writes bit by bit: temporary key, then a move; no conditional create."""

    conditional = False

    def make_store(self, request: pytest.FixtureRequest) -> Store:
        path: Path = request.getfixturevalue("tmp_path")
        return FsspecStore(f"local://{path}/store")
