"""Today's program reads the stores of every released layout. The golden store is read, never written."""

import json
import shutil
from pathlib import Path

import pytest

from golden.make_store import STEPS, STORE, describe
from weightzip.daemon.restore import restore_checkpoint, verify_repository
from weightzip.daemon.store import Repository
from weightzip.daemon.store.local import LocalStore


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    shutil.copytree(STORE, tmp_path / "store")  # missing is a failure, not a reason to make a new one
    return Repository.open(LocalStore(tmp_path / "store"), run_id="golden")


def test_every_checkpoint_of_the_golden_store_comes_back(repository: Repository, tmp_path: Path) -> None:
    wanted = json.loads(STORE.with_suffix(".json").read_text())
    assert tuple(key.step for key in repository.list_checkpoints()) == STEPS
    assert sorted(wanted) == sorted(map(str, STEPS))
    for step, tree in wanted.items():
        assert describe(restore_checkpoint(repository, step, tmp_path / "target").path) == tree


def test_the_golden_store_verifies(repository: Repository) -> None:
    assert verify_repository(repository, depth="full").ok
