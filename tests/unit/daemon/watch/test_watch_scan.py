"""One look at a real directory."""

import os
from pathlib import Path

from weightzip.daemon.jobs.pinned import content_key
from weightzip.daemon.watch.scan import look_at, scan_source


def test_candidates_are_directories_and_files_but_no_links(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-1" / "sub").mkdir(parents=True)
    (tmp_path / "checkpoint-1" / "sub" / "a.pt").write_bytes(b"12345")
    (tmp_path / "checkpoint-1" / "link").symlink_to("sub/a.pt")
    (tmp_path / "last.ckpt").symlink_to("checkpoint-1")
    (tmp_path / "one.pt").write_bytes(b"1")
    (tmp_path / "tmp-checkpoint-2").mkdir()
    (tmp_path / "skipped.log").touch()
    sightings, names = scan_source(tmp_path, ("*.log",))
    assert [sighting.name for sighting in sightings] == ["checkpoint-1", "one.pt"]
    assert [(entry.path, entry.kind) for entry in sightings[0].entries] == [
        ("link", "symlink"),
        ("sub", "directory"),
        ("sub/a.pt", "file"),
    ]
    assert sightings[0].size_bytes == 5
    assert sightings[1].entries[0].path == "."
    assert "last.ckpt" in names


def test_unfinished_files_count_as_activity_not_as_content(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-1").mkdir()
    (tmp_path / "checkpoint-1" / "a.pt").touch()
    before = look_at(tmp_path, "checkpoint-1", ())
    (tmp_path / "checkpoint-1" / ".tmpXY").write_bytes(b"growing")
    after = look_at(tmp_path, "checkpoint-1", ())
    assert before is not None
    assert after is not None
    assert after.paths == {"a.pt"}
    assert after.fingerprint != before.fingerprint


def test_ignored_names_inside_a_checkpoint_do_not_disturb_it(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-1").mkdir()
    (tmp_path / "checkpoint-1" / "a.pt").touch()
    before = look_at(tmp_path, "checkpoint-1", ("*.log",))
    (tmp_path / "checkpoint-1" / "x.log").write_text("line")
    after = look_at(tmp_path, "checkpoint-1", ("*.log",))
    assert before is not None
    assert after is not None
    assert before.fingerprint == after.fingerprint


def test_a_missing_root_is_empty(tmp_path: Path) -> None:
    assert scan_source(tmp_path / "later", ()) == ([], frozenset())


def test_a_hard_link_changes_the_fingerprint_but_not_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(b"1")
    before = look_at(tmp_path, "a.pt", ())
    os.link(tmp_path / "a.pt", tmp_path / "b.pt")
    after = look_at(tmp_path, "a.pt", ())
    assert before is not None
    assert after is not None
    assert content_key(before) == content_key(after)
