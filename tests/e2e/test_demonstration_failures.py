"""A demonstration that cannot go well ends early and says who is to blame, in which log."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from demo import story as story_module
from demo.records import find_last_error
from demo.story import Script, Story
from rich.console import Console


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a demonstration that has not begun."""
    folder = tmp_path / "demo"
    folder.mkdir()
    return folder


@pytest.fixture
def story(folder: Path) -> Iterator[Story]:
    """Give a demonstration whose trainer is far from done when the first checkpoint could be in the store."""
    story = Story(folder, Script(steps=200, save_every=2, kill_at=150), Console(file=io.StringIO()))
    try:
        yield story
    finally:
        story.end()


def test_the_last_error_is_found_among_what_is_no_error(tmp_path: Path) -> None:
    log = tmp_path / "log"
    lines = ['{"level": "warning", "event": "store unreachable", "error": "no such bucket"}']
    lines += ['{"level": "warning", "event": "released"}', '{"level": "info", "event": "stopped"}']
    log.write_text("".join(f"{line}\n" for line in lines))
    assert find_last_error(log) == "store unreachable: no such bucket"
    with log.open("a") as file:
        file.write("weightzip: out of luck\n  hint: try again\n")
    assert find_last_error(log) == "weightzip: out of luck"


def test_a_sidecar_that_ended_is_blamed(folder: Path, story: Story) -> None:
    (folder / "store").touch()  # a store is a directory
    with pytest.raises(SystemExit) as stop:
        story.play()
    fault, error, log = str(stop.value).splitlines()
    assert "the sidecar ended with" in fault
    assert str(folder / "store") in error
    assert log.endswith(str(folder / "sidecar.jsonl"))


def test_a_sidecar_that_stores_nothing_is_blamed(
    folder: Path, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story_module, "COMMIT_PATIENCE_SECONDS", 3)
    (folder / "store").mkdir()
    (folder / "store" / "objects").touch()  # archives go into a directory of this name
    with pytest.raises(SystemExit) as stop:
        story.play()
    fault, error, log = str(stop.value).splitlines()
    assert "has stored nothing, 3 s after the first save" in fault
    assert str(folder / "store") in error
    assert log.endswith(str(folder / "sidecar.jsonl"))


def test_a_trainer_that_is_done_too_early_is_not_the_fault_of_the_sidecar(folder: Path) -> None:
    story = Story(folder, Script(steps=10, save_every=5, kill_at=20), Console(file=io.StringIO()))
    try:
        with pytest.raises(SystemExit, match="give more --steps"):
            story.play()
    finally:
        story.end()
