"""Which files a bench takes, and what it compares each with."""

import tempfile
from pathlib import Path

import pytest

from support.privileges import without_privileges
from weightzip.errors import NotFound, UsageError
from weightzip.files.bench import BenchInput, list_inputs


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Give two checkpoint directories that have one file in common; the second has a link and a folder too."""
    for name in ("old/model", "new/model", "new/sub/extra"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "new" / "link").symlink_to("model")
    return tmp_path


def test_a_directory_is_paired_by_relative_path(steps: Path) -> None:
    old, new = steps / "old", steps / "new"
    assert list_inputs([new], old) == [
        BenchInput(new / "model", old / "model", new),
        BenchInput(new / "sub" / "extra", None, new),
    ]


def test_files_are_paired_with_a_file_or_by_name(steps: Path) -> None:
    model, extra = steps / "new" / "model", steps / "new" / "sub" / "extra"
    old = steps / "old"
    assert list_inputs([model], None) == [BenchInput(model, None, model.parent)]
    assert list_inputs([extra], old / "model") == [BenchInput(extra, old / "model", extra.parent)]
    assert list_inputs([model, extra], old) == [
        BenchInput(model, old / "model", model.parent),
        BenchInput(extra, None, extra.parent),
    ]


def test_a_file_that_is_meant_twice_is_measured_once(steps: Path) -> None:
    new = steps / "new"
    extra = new / "sub" / "extra"
    assert [one.source for one in list_inputs([new, extra], None)] == [new / "model", extra]


def test_what_is_not_there_is_said_before_anything_is_measured(steps: Path) -> None:
    model = steps / "new" / "model"
    with pytest.raises(NotFound, match="nope"):
        list_inputs([model, steps / "nope"], None)
    with pytest.raises(NotFound, match="nope"):
        list_inputs([model], steps / "nope")


def test_a_file_that_may_not_be_read_is_named(steps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (steps / "new" / "model").chmod(0)
    steps.chmod(0o755)
    monkeypatch.chdir(steps)  # the folders above may not be open to everybody
    with without_privileges(), pytest.raises(PermissionError, match="new/model"):
        list_inputs([Path("old"), Path("new")], None)


def test_requests_that_make_no_sense_are_refused(steps: Path) -> None:
    model, old = steps / "new" / "model", steps / "old" / "model"
    with pytest.raises(UsageError, match="needs a directory"):
        list_inputs([model, model], old)
    with pytest.raises(UsageError, match="--base needs a directory"):
        list_inputs([steps / "new"], old)
    (steps / "hollow").mkdir()
    with pytest.raises(UsageError, match="no regular file"):
        list_inputs([steps / "hollow"], None)


def test_archives_never_lie_in_what_is_measured(steps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(steps / "new" / "sub"))
    with pytest.raises(UsageError, match="TMPDIR"):
        list_inputs([steps / "new"], None)
    assert len(list_inputs([steps / "old"], None)) == 1
