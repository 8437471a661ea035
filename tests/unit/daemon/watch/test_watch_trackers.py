"""Trackers are read as they are, without following a link or holding anything open."""

import os
from pathlib import Path

from weightzip.daemon.watch.trackers import list_texts, read_trackers


def test_files_and_links_that_name_a_neighbour(tmp_path: Path) -> None:
    (tmp_path / "epoch=1.ckpt").write_bytes(b"x")
    (tmp_path / "latest").write_text("global_step10\n")
    (tmp_path / "latest_checkpointed_iteration.txt").write_text("10")
    (tmp_path / "notes.txt").write_text("latest")
    (tmp_path / "last.ckpt").symlink_to("epoch=1.ckpt")
    (tmp_path / "absolute").symlink_to(tmp_path / "epoch=1.ckpt")
    (tmp_path / "outside").symlink_to("../elsewhere")
    (tmp_path / "itself").symlink_to(".")
    trackers = read_trackers(tmp_path)
    assert {tracker.name: tracker.text for tracker in trackers} == {
        "absolute": "epoch=1.ckpt",
        "last.ckpt": "epoch=1.ckpt",
        "latest": "global_step10\n",
        "latest_checkpointed_iteration.txt": "10",
    }
    assert list_texts(trackers) == {"latest": "global_step10", "latest_checkpointed_iteration.txt": "10"}


def test_what_cannot_be_a_tracker_says_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "latest")
    (tmp_path / "latest_universal").write_bytes(bytes(5000))
    (tmp_path / "latest_checkpointed_iteration.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "dlrover_latest.txt").mkdir()
    assert read_trackers(tmp_path) == ()
    assert read_trackers(tmp_path / "missing") == ()
