"""Looks at a real directory with a clock that is a number."""

import errno
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save, save_file

from weightzip.daemon.layouts import Evidence, Peers, Sighting, choose_layouts
from weightzip.daemon.layouts.hf import HfLayout
from weightzip.daemon.watch.candidate import Stage
from weightzip.daemon.watch.watcher import Look, Watcher


def make_watcher(root: Path, layout: str = "auto", handled: frozenset[str] = frozenset()) -> Watcher:
    def find_handling(sighting: Sighting, step: int) -> str | None:
        return "committed" if sighting.name in handled else None

    return Watcher(
        root,
        choose_layouts(layout),  # type: ignore[arg-type]
        quiet_seconds=10.0,
        ignore=(),
        trust_kernel=True,
        find_handling=find_handling,
    )


def write_hf(root: Path, step: int, *, marker: bool = True) -> Path:
    path = root / f"checkpoint-{step}"
    path.mkdir()
    save_file({"w": np.full(8, step, np.float32)}, path / "model.safetensors")
    if marker:
        (path / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return path


def stages(look: Look) -> dict[str, Stage]:
    return {finding.sighting.name: finding.judgement.stage for finding in look.findings}


def test_a_checkpoint_is_complete_after_its_quiet_period(tmp_path: Path) -> None:
    write_hf(tmp_path, 100)
    watcher = make_watcher(tmp_path)
    first = watcher.look(0.0, {})
    assert stages(first) == {"checkpoint-100": Stage.SEEN}
    assert first.next_look_at_seconds == 10.0
    assert [finding.step for finding in watcher.look(10.0, {}).complete] == [100]


@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_a_name_that_is_no_text_keeps_no_other_checkpoint_waiting(kind: str, tmp_path: Path) -> None:
    strange = os.fsdecode(os.fsencode(write_hf(tmp_path, 100)) + b"/\xff")
    if kind == "file":
        Path(strange).write_bytes(b"")
    elif kind == "directory":
        Path(strange).mkdir()
    else:
        Path(strange).symlink_to("model.safetensors")
    write_hf(tmp_path, 200)
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    look = watcher.look(10.0, {})
    assert stages(look) == {"checkpoint-100": Stage.QUIET, "checkpoint-200": Stage.MARKED}
    assert "is not valid UTF-8" in (look.findings[0].judgement.reason or "")


def test_writing_on_keeps_it_from_being_complete(tmp_path: Path) -> None:
    path = write_hf(tmp_path, 100)
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    (path / "late.json").write_text("{}")
    assert stages(watcher.look(10.0, {})) == {"checkpoint-100": Stage.SEEN}
    assert stages(watcher.look(20.0, {})) == {"checkpoint-100": Stage.MARKED}


def test_reasons_are_kept(tmp_path: Path) -> None:
    path = write_hf(tmp_path, 100)
    (path / "model.safetensors").write_bytes(b"short")
    write_hf(tmp_path, 200, marker=False)
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    reasons = [finding.judgement.reason or "" for finding in watcher.look(10.0, {}).findings]
    assert "model.safetensors has 5 bytes" in reasons[0]
    assert "trainer_state.json is missing" in reasons[1]


def test_what_may_not_be_read_keeps_nothing_else_from_being_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in (100, 200, 300):
        write_hf(tmp_path, step)
    (tmp_path / "checkpoint-300" / "inner").mkdir()
    (tmp_path / "lost+found").mkdir()
    forbidden = {"checkpoint-200", "inner", "lost+found"}
    true_scandir = os.scandir

    def refuse(path: Path) -> Any:  # as for any user but root, who may read everything
        if Path(path).name in forbidden:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return true_scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    look = watcher.look(10.0, {})
    assert [finding.step for finding in look.complete] == [100]
    reasons = {f.sighting.name: f.judgement.reason or "" for f in look.findings}
    assert reasons["checkpoint-200"].startswith(". cannot be read")
    assert reasons["checkpoint-300"].startswith("inner cannot be read")
    forbidden.clear()
    assert stages(watcher.look(20.0, {}))["checkpoint-200"] == Stage.SEEN
    assert len(watcher.look(30.0, {}).complete) == 3


class _Stumbling(HfLayout):
    """A layout that fails on one checkpoint."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def find_unmarked(
        self, sighting: Sighting, evidence: Evidence, peers: Peers, patient: bool
    ) -> str | None:
        if sighting.name == "checkpoint-200":
            raise self._error
        return super().find_unmarked(sighting, evidence, peers, patient)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), MemoryError(), ValueError("²")])
def test_what_cannot_be_judged_keeps_no_other_checkpoint_waiting(error: Exception, tmp_path: Path) -> None:
    for step in (100, 200, 300):
        write_hf(tmp_path, step)
    watcher = Watcher(
        tmp_path,
        (_Stumbling(error),),
        quiet_seconds=10.0,
        ignore=(),
        trust_kernel=True,
        find_handling=lambda sighting, step: None,
    )
    for now_seconds in (0.0, 10.0, 20.0):
        look = watcher.look(now_seconds, {})
    assert [finding.step for finding in look.complete] == [100, 300]
    assert stages(look)["checkpoint-200"] == Stage.QUIET
    reason = next(finding.judgement.reason for finding in look.findings if finding.step == 200)
    assert reason is not None
    assert str(error) in reason


def test_beside_a_known_trainer_nothing_else_is_taken(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(b"exported")
    watcher = make_watcher(tmp_path)
    assert stages(watcher.look(0.0, {})) == {"model.pt": Stage.SEEN}
    write_hf(tmp_path, 100)
    assert list(stages(watcher.look(1.0, {}))) == ["checkpoint-100"]


def test_the_shape_of_a_handled_checkpoint_is_asked_of_the_next(tmp_path: Path) -> None:
    for step, names in ((1, ("a.bin", "b.bin")), (2, ("a.bin",))):
        (tmp_path / f"step-{step}").mkdir()
        for name in names:
            (tmp_path / f"step-{step}" / name).write_bytes(b"x")
    watcher = make_watcher(tmp_path, "generic", frozenset({"step-1"}))
    watcher.look(0.0, {})
    look = watcher.look(1000.0, {})
    assert stages(look) == {"step-1": Stage.PINNED, "step-2": Stage.COUNTED}
    assert look.findings[1].judgement.reason == "b.bin of the predecessor is missing"


def test_the_shape_in_the_store_serves_when_no_predecessor_is_left_on_disk(tmp_path: Path) -> None:
    (tmp_path / "step-2").mkdir()
    (tmp_path / "step-2" / "a.bin").write_bytes(b"x")
    watcher = make_watcher(tmp_path, "generic")
    watcher.look(0.0, {})
    assert stages(watcher.look(11.0, {"step-#": Counter({"a.bin": 1})})) == {"step-2": Stage.MARKED}
    assert stages(watcher.look(11.0, {"step-#": Counter({"a.bin": 1, "b.bin": 1})})) == {
        "step-2": Stage.COUNTED
    }


def test_no_beginning_of_a_save_is_ever_complete(tmp_path: Path) -> None:
    whole = {
        "config.json": b'{"layers": 2}',
        "model.safetensors": save({"w": np.arange(30, dtype=np.float32)}),
        "optimizer.safetensors": save({"m": np.arange(30, dtype=np.float32)}),
        "trainer_state.json": b'{"global_step": 100}',
    }
    path = tmp_path / "checkpoint-100"
    path.mkdir()
    for name, data in whole.items():
        for length in range(0, len(data), 7):
            (path / name).write_bytes(data[:length])
            watcher = make_watcher(tmp_path)
            watcher.look(0.0, {})
            assert watcher.look(1000.0, {}).complete == (), f"{name} cut at {length}"
        (path / name).write_bytes(data)
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    assert len(watcher.look(1000.0, {}).complete) == 1


def test_steps_are_ordered_as_numbers(tmp_path: Path) -> None:
    for step in (10_000, 9_900, 900):
        for path in write_hf(tmp_path, step).iterdir():
            os.utime(path, (0, 1_700_000_000))
    watcher = make_watcher(tmp_path)
    watcher.look(0.0, {})
    assert [finding.step for finding in watcher.look(10.0, {}).complete] == [900, 9_900, 10_000]


def test_after_a_set_back_a_stale_higher_step_is_no_newer_checkpoint(tmp_path: Path) -> None:
    for step, saved_at in ((500, 1), (900, 2), (600, 3)):
        path = tmp_path / f"step-{step}"
        path.mkdir()
        (path / "a.bin").write_bytes(b"x")
        if step != 600:
            (path / "b.bin").write_bytes(b"x")
        for file in path.iterdir():
            os.utime(file, (0, saved_at))
    watcher = make_watcher(tmp_path, "generic", frozenset({"step-500", "step-900"}))
    watcher.look(0.0, {})
    look = watcher.look(1000.0, {})
    assert [finding.step for finding in look.findings] == [500, 900, 600]
    assert look.findings[2].judgement.stage == Stage.COUNTED, "it lacks a file of 900, saved before it"
