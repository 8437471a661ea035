"""The checkpoints of a real training run, each against the one before, through a directory and a real S3 server."""

from pathlib import Path

import pytest

from servers.location import S3Location
from support.checkpoints import describe_tree
from weightzip.daemon.jobs.encode import encode_checkpoint
from weightzip.daemon.jobs.predecessor import RawPredecessor
from weightzip.daemon.restore import restore_checkpoint, verify_repository
from weightzip.daemon.store import Repository, Store, open_store

RUN_B = Path(__file__).parents[3] / "shared" / "data" / "run-b"
STEPS = (5000, 5900, 5999, 6000)

pytestmark = pytest.mark.skipif(
    not RUN_B.is_dir(), reason=f"the training run of {RUN_B} is not on this machine"
)


@pytest.fixture(params=["directory", pytest.param("s3", marks=pytest.mark.s3)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "directory":
        return open_store(str(tmp_path / "store"))
    location: S3Location = request.getfixturevalue("s3_store_url")
    return open_store(location.url, location.storage_options)


def test_every_step_comes_back_identical(store: Store, tmp_path: Path) -> None:
    repository = Repository.open(store, run_id="run-b", create=True)
    predecessor = None
    for step in STEPS:
        source = RUN_B / f"step-{step}"
        encoded = encode_checkpoint(
            source.name, step, source, workdir=tmp_path / f"work-{step}", predecessor=predecessor
        )
        manifest = repository.publish(encoded).manifest
        predecessor = RawPredecessor(manifest, source)
    assert manifest.chain_depth == len(STEPS) - 1
    for step in STEPS:
        report = restore_checkpoint(repository, step, tmp_path / "target")
        assert describe_tree(report.path) == describe_tree(RUN_B / f"step-{step}")
    assert verify_repository(repository, depth="full").ok
