"""`weightzip bench`, as a shell sees it: the report in its three forms, exit codes, and what is left behind: nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from support.checkpoints import describe_tree, write_checkpoint


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "weightzip", "bench", *map(str, arguments)]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Give a folder with two checkpoints of a run, and an empty one for temporary files."""
    for step in (1, 2):
        write_checkpoint(tmp_path, step)
    (tmp_path / "temporary").mkdir()
    return tmp_path


def _environment(work: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(work / "temporary")}


def _run(work: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        _command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=_environment(work),
    )
    assert list((work / "temporary").iterdir()) == []
    assert "Traceback" not in done.stderr
    return done


def test_a_checkpoint_against_its_predecessor(work: Path) -> None:
    old, new = work / "checkpoint-1", work / "checkpoint-2"
    before = describe_tree(new)
    done = _run(work, new, "--base", old, "--json", "--threads", 2)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["report_version"], report["n_threads"], report["identical"]) == (1, 2, True)
    files = {Path(file["path"]).relative_to(new).as_posix(): file for file in report["files"]}
    assert set(files) == {
        "-x/+y",
        "config.json",
        "empty.bin",
        "model.safetensors",
        "nested/optimizer.safetensors",
        "trainer_state.json",
    }
    assert files["model.safetensors"]["base"] == str(old / "model.safetensors")
    assert files["model.safetensors"]["leans_on_base"]
    assert files["empty.bin"]["encode"]["gb_per_second"] is None
    kinds = {(kind["role"], kind["dtype"]): kind for kind in report["kinds"]}
    assert {("weights", "F32"), ("exp_avg", "F32"), ("glue", "-"), ("index and ends", "-")} <= set(kinds)
    assert kinds["weights", "F32"]["raw_bytes"] == kinds["exp_avg", "F32"]["raw_bytes"] == 2400
    for sizes in ("raw_bytes", "stored_bytes"):
        assert sum(kind[sizes] for kind in report["kinds"]) == report[sizes]
        assert sum(file[sizes] for file in report["files"]) == report[sizes]
    assert report["peak_memory_bytes"] >= report["memory_before_bytes"] > 0
    assert describe_tree(new) == before


def test_the_predecessor_is_what_saves(work: Path) -> None:
    base, model = write_step(work, 1), write_step(work, 2)
    alone, leaning = (
        json.loads(_run(work, model, *more, "--json").stdout) for more in ((), ("--base", base))
    )
    assert leaning["stored_bytes"] < alone["stored_bytes"] < alone["raw_bytes"]
    assert leaning["decode"]["gb_per_second"] > 0
    assert leaning["files"][0]["file_digest"] == alone["files"][0]["file_digest"]


def test_the_report_as_text(work: Path) -> None:
    done = _run(work, work / "checkpoint-2")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0][:3] == ["path", "against", "raw bytes"]
    assert ["kind", "dtype", "tensors"] in [row[:3] for row in rows]
    assert "identical: yes, all 6 files" in done.stderr


def test_the_report_as_a_page(work: Path) -> None:
    page = work / "report.html"
    arguments = (work / "checkpoint-2" / "model.safetensors", "--html", page)
    assert _run(work, *arguments).returncode == 0
    HTMLParser().feed(page.read_text())
    assert "exp_avg" not in page.read_text()
    assert "model.safetensors" in page.read_text()
    again = _run(work, *arguments)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--force" in again.stderr
    assert _run(work, *arguments, "--force").returncode == 0
    assert not list(work.glob(".weightzip-*"))


def test_the_page_replaces_no_file_that_is_measured(work: Path) -> None:
    model, base = (work / f"checkpoint-{step}" / "model.safetensors" for step in (2, 1))
    for target in (model, base):
        before = target.read_bytes()
        done = _run(work, model, "--base", base, "--html", target, "--force")
        assert (done.returncode, done.stdout) == (2, "")
        assert target.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("{0}/nope",), 10, "nope: no such file"),
        (("{0}/checkpoint-1", "{0}/nope"), 10, "nope: no such file"),
        (("{0}/checkpoint-1", "--base", "{0}/nope"), 10, "nope: no such file"),
        (("{0}/checkpoint-1", "--base", "{0}/checkpoint-2/config.json"), 2, "--base needs a directory"),
        (("{0}/temporary",), 2, "TMPDIR"),
        (("{0}",), 2, "TMPDIR"),
        (("/dev/null",), 2, "not a regular file"),
        (("{0}/checkpoint-1", "--html", "{0}/nope/report.html"), 10, "nope: no such directory"),
        (("{0}/checkpoint-1", "--html", "{0}"), 2, "is a directory"),
        ((), 2, "PATH"),
    ],
)
def test_errors_have_their_exit_codes(
    work: Path, arguments: Sequence[str], exit_code: int, message: str
) -> None:
    done = _run(work, *(argument.format(work) for argument in arguments))
    assert (done.returncode, done.stdout) == (exit_code, "")
    assert message in done.stderr


def test_an_empty_file_alone_is_no_error(work: Path) -> None:
    done = _run(work, work / "checkpoint-1" / "empty.bin", "--html", work / "report.html")
    assert done.returncode == 0
    assert "0 B -> 125 B (-)" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_bench_leaves_nothing(work: Path, number: signal.Signals) -> None:
    large = write_step(work, 3, n_elements=8_000_000)
    process = subprocess.Popen(
        _command(large, "--threads", 1),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(work),
    )
    temporary = work / "temporary"
    while not list(temporary.glob("*/archive")):
        assert process.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (128 + number, "")
    assert "Traceback" not in err
    assert list(temporary.iterdir()) == []


def test_levels_and_files_beside_are_measured(work: Path) -> None:
    model, optimizer = write_related(work, 1)
    alone = json.loads(_run(work, model, "--json").stdout)
    leaning = json.loads(_run(work, model, "--beside", optimizer, "--level", "max", "--json").stdout)
    assert (alone["level"], leaning["level"]) == ("default", "max")
    assert leaning["files"][0]["beside"] == [str(optimizer)]
    assert leaning["stored_bytes"] < alone["stored_bytes"] / 10


def test_absolute_paths_are_shown_from_what_they_share(work: Path) -> None:
    done = _run(work, work / "checkpoint-2", "--base", work / "checkpoint-1")
    rows = [line.split("\t")[:2] for line in done.stdout.splitlines()]
    assert ["checkpoint-2/model.safetensors", "checkpoint-1/model.safetensors"] in rows
    assert f"paths are those in {work}" in done.stderr
