"""Every format through the daemon: found, compressed against its predecessor, committed, restored to the last bit."""

import shutil
from pathlib import Path

import pytest

from support.checkpoints import describe_tree
from support.running import running, wait_until
from support.settings import make_settings
from weightzip.daemon.restore import restore_checkpoint
from weightzip.daemon.store import Repository, open_store
from writers.compatibility import list_checkpoints
from writers.formats import FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_the_daemon_keeps_what_a_trainer_wrote(name: str, written: Path, tmp_path: Path) -> None:
    watched = tmp_path / "ckpt"
    shutil.copytree(written / name / FORMATS[name].watched, watched, symlinks=True)
    checkpoints = list_checkpoints(watched)
    expected = [describe_tree(path) for path in checkpoints]
    with running(make_settings(tmp_path)) as parts:
        wait_until(
            lambda: len(parts.ledger.checkpoints()) == len(checkpoints) and parts.is_settled(), seconds=120
        )
    repository = Repository.open(open_store(str(tmp_path / "store")))
    keys = repository.list_checkpoints()
    assert len(keys) == len(checkpoints)
    for number, (key, tree) in enumerate(zip(keys, expected, strict=True)):
        report = restore_checkpoint(repository, key.step, tmp_path / f"restored-{number}")
        assert describe_tree(report.path) == tree
    # The newest comes first, being the one that would be missed most; the others lean on it.
    assert sorted(repository.load(key.step).chain_depth > 0 for key in keys) == [False, True, True]
