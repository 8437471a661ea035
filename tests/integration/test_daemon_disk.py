"""A local disk that fails is waited out; one that fails for good costs one checkpoint, never the care for the others."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.running import running, wait_until
from support.settings import make_settings
from support.trainer import TrainerSimulator
from weightzip.daemon.components import Components
from weightzip.daemon.service import run_daemon
from weightzip.daemon.startup import wait_once
from weightzip.daemon.status import describe_daemon
from weightzip.errors import DiskUnusable, NotFound


def read_up_to_date(parts: Components) -> float | None:
    return parts.metrics.registry.get_sample_value("weightzip_up_to_date", {"source": "main"})


def test_a_work_directory_that_is_in_the_way_is_waited_out(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=1000)
    with running(make_settings(tmp_path)) as parts:
        parts.places.work.rmdir()
        parts.places.work.write_text("a file where the directory was")
        trainer.save(1)
        wait_until(lambda: parts.pipeline.status.state == "disk_unusable")
        assert str(parts.places.work) in parts.pipeline.status.detail
        parts.places.work.unlink()
        parts.pipeline.hurry()
        wait_until(lambda: [key.step for key in parts.ledger.checkpoints()] == [1])
        assert parts.outcomes.given_up() == ()


@pytest.mark.parametrize(
    "spoil", [Path.touch, lambda path: path.symlink_to(path)], ids=["file", "loop_of_links"]
)
def test_a_checkpoint_on_which_the_disk_fails_again_and_again_is_given_up(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=1000)
    with running(make_settings(tmp_path)) as parts:
        parts.places.work.rmdir()
        spoil(parts.places.work)
        trainer.save(1)

        def is_given_up() -> bool:
            parts.pipeline.hurry()
            return parts.outcomes.given_up() != ()

        wait_until(is_given_up)
        assert "DiskUnusable" in parts.outcomes.given_up()[0].reason
        parts.places.work.unlink()
        trainer.save(2)
        wait_until(lambda: [key.step for key in parts.ledger.checkpoints()] == [2])


def test_a_cache_that_was_wiped_by_hand_is_begun_anew(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=1000)
    with running(make_settings(tmp_path)) as parts:
        trainer.save(1)
        wait_until(lambda: len(parts.ledger.checkpoints()) == 1 and parts.is_settled())
        shutil.rmtree(parts.places.cache)
        for pin in parts.places.spool.iterdir():
            shutil.rmtree(pin)  # so that the predecessor must come through the cache
        trainer.save(2)
        wait_until(lambda: len(parts.ledger.checkpoints()) == 2)
        last = parts.ledger.last()
        assert last is not None
        assert last.chain_depth == 1


def test_a_watched_directory_that_cannot_be_read_is_not_called_up_to_date(tmp_path: Path) -> None:
    source = tmp_path / "ckpt"
    source.mkdir()
    with running(make_settings(tmp_path)) as parts:
        assert parts.flush(10)
        source.rmdir()
        source.write_text("a file where the directory was")
        assert not parts.flush(10)
        status = describe_daemon(parts)
        assert "Not a directory" in status["source"]["problem"]
        assert status["up_to_date"] is False
        with pytest.raises(DiskUnusable, match=str(source)):
            wait_once(parts)
        source.unlink()
        source.mkdir()
        assert parts.flush(10)
        assert describe_daemon(parts)["source"]["problem"] is None


def test_a_watched_directory_that_vanished_is_named_and_not_called_up_to_date(tmp_path: Path) -> None:
    source = tmp_path / "ckpt"
    with running(make_settings(tmp_path)) as parts:
        assert parts.flush(10)
        assert describe_daemon(parts)["source"]["problem"] is None  # the trainer has not made it yet
        source.mkdir()
        assert parts.flush(10)
        assert describe_daemon(parts)["up_to_date"] is True
        source.rmdir()
        assert not parts.flush(10)
        status = describe_daemon(parts)
        assert str(source) in status["source"]["problem"]
        assert status["up_to_date"] is False
        assert read_up_to_date(parts) == 0
        source.mkdir()
        assert parts.flush(10)
        assert describe_daemon(parts)["up_to_date"] is True


def test_status_and_metric_agree_that_an_incomplete_candidate_is_not_behind(tmp_path: Path) -> None:
    trainer = TrainerSimulator(tmp_path / "ckpt", n_elements=1000)
    with running(make_settings(tmp_path, source={"quiet_period": "1h"})) as parts:
        trainer.save(1)
        assert parts.watch_loop.look_now(10)
        status = describe_daemon(parts)
        assert [candidate["stage"] for candidate in status["candidates"]] == ["SEEN"]
        assert status["up_to_date"] is True
        assert read_up_to_date(parts) == 1


def test_once_over_nothing_is_a_mistake_not_a_success(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        run_daemon(make_settings(tmp_path), once=True)
    assert not (tmp_path / "store").exists()
