"""The daemon, a real S3 server, and a bad network between them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.fault_proxy import FaultProxy, WireFaults
from servers.location import S3Location
from servers.seaweedfs import SeaweedServer
from support.checkpoints import describe_tree
from support.daemon_process import DaemonProcess
from support.store_checker import check_store, read_raw
from support.trainer import TrainerSimulator
from weightzip.daemon.restore.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store

pytestmark = pytest.mark.s3


@pytest.fixture
def daemon(tmp_path: Path, wire_faults: tuple[FaultProxy, S3Location]) -> Iterator[DaemonProcess]:
    location = wire_faults[1]
    process = DaemonProcess(tmp_path, tmp_path / "ckpt", location.url, location.environment)
    yield process
    process.kill()


def test_an_outage_in_the_middle_of_a_run_loses_nothing(
    tmp_path: Path,
    daemon: DaemonProcess,
    wire_faults: tuple[FaultProxy, S3Location],
    seaweed_server: SeaweedServer,
) -> None:
    proxy, location = wire_faults
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=300_000)
    daemon.start_and_wait()
    expected = {100: describe_tree(trainer.save(100))}
    daemon.wait_committed(100)
    # First uploads break off in the middle, then nobody answers at all.
    proxy.faults.reset_upload_after_bytes = 100_000
    expected[200] = describe_tree(trainer.save(200))
    daemon.wait_for(lambda: '"store operation repeated"' in daemon.log.read_text(), 60)
    proxy.faults.refuse = True
    expected[300] = describe_tree(trainer.save(300))
    daemon.wait_for(lambda: daemon.get("/v1/status")[1]["pipeline"]["state"] == "store_unreachable", 60)
    assert daemon.get("/readyz")[0] == 200
    trainer.rotate(keep=0)
    proxy.faults = WireFaults()
    assert daemon.post("/v1/flush?deadline=60s")[0] == 200
    assert daemon.committed_steps() == [100, 200, 300]
    assert daemon.terminate() == 0
    store = open_store(location.url, seaweed_server.account.storage_options)
    assert sorted(check_store(read_raw(store))) == [100, 200, 300]
    for step, tree in expected.items():
        assert describe_tree(restore_checkpoint(Repository.open(store), step, tmp_path / "r").path) == tree


def test_a_server_that_is_away_at_the_start_is_waited_for_before_started_is_said(
    tmp_path: Path, wire_faults: tuple[FaultProxy, S3Location], daemon: DaemonProcess
) -> None:
    proxy, location = wire_faults
    trainer = TrainerSimulator(tmp_path / "ckpt")
    expected = describe_tree(trainer.save(100))
    daemon.start("--once")
    assert daemon.process.wait(60) == 0, daemon.log.read_text()
    trainer.rotate(keep=0)
    proxy.faults.refuse = True
    again = DaemonProcess(
        tmp_path / "again", tmp_path / "ckpt", location.url, {**location.environment, "WEIGHTZIP_RESTORE__ON_START": "if_empty"}
    )  # fmt: skip
    (tmp_path / "again").mkdir()
    try:
        again.start()
        again.wait_for(lambda: "store unreachable" in again.log.read_text(), 60)
        assert again.get("/startupz")[0] == 503
        assert again.get("/livez")[0] == 200
        proxy.faults.refuse = False
        again.wait_for(lambda: again.get("/startupz")[0] == 200, 90)
        assert describe_tree(trainer.path(100)) == expected
    finally:
        again.kill()
