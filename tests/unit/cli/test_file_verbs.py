"""The verbs on files, as a shell sees them: exit codes, standard output, standard error, pipes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related


def _run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "weightzip", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Return a directory with two checkpoint directories of one run."""
    for step in (1, 2):
        folder = tmp_path / f"step-{step}"
        folder.mkdir()
        write_step(folder, step).rename(folder / "model.safetensors")
        (folder / "config.json").write_text('{"same": true}')
        (folder / "empty").touch()
        (folder / "link").symlink_to("config.json")
    return tmp_path


def _read_tree(root: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_a_file_goes_there_and_back(steps: Path) -> None:
    source, archive = steps / "step-2" / "model.safetensors", steps / "a.wzst"
    done = _run("compress", source, archive)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"->" in done.stderr
    assert _run("verify", source, archive).returncode == 0
    assert _run("verify", archive).returncode == 0
    assert _run("decompress", archive, steps / "out").returncode == 0
    assert (steps / "out").read_bytes() == source.read_bytes()


def test_a_directory_goes_there_and_back_against_another(steps: Path) -> None:
    first, second = steps / "step-1", steps / "step-2"
    assert _run("compress", first, steps / "a1").returncode == 0
    done = _run("compress", second, steps / "a2", "--base", first, "--json")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(report["source"]).name for report in reports] == [
        "model.safetensors",
        "config.json",
        "empty",
    ]
    assert reports[0]["base_digest"] is not None
    assert _run("verify", second, steps / "a2", "--base", steps / "a1").returncode == 0
    assert _run("decompress", steps / "a2", steps / "out", "--base", steps / "a1").returncode == 0
    assert _read_tree(steps / "out") == _read_tree(second)


def test_pipes(steps: Path) -> None:
    data = (steps / "step-2" / "model.safetensors").read_bytes()
    packed = _run("compress", "-", "-", stdin=data)
    assert packed.returncode == 0
    assert _run("decompress", "-", "-", stdin=packed.stdout).stdout == data
    assert _run("decompress", "-", steps / "out", stdin=packed.stdout).returncode == 0
    assert (steps / "out").read_bytes() == data
    (steps / "a.wzst").write_bytes(packed.stdout)
    assert _run("decompress", steps / "a.wzst", "-").stdout == data
    cut = _run("decompress", "-", steps / "cut", stdin=packed.stdout[:-1])
    assert (cut.returncode, (steps / "cut").exists()) == (3, False)


def test_a_file_leans_on_one_beside_it(tmp_path: Path) -> None:
    model, optimizer = write_related(tmp_path, 2)
    archive, packed = tmp_path / "model.wzst", tmp_path / "optimizer.wzst"
    done = _run("compress", model, archive, "--beside", tmp_path / "model-2.json", "--beside", optimizer)
    assert (done.returncode, b"no such file" in done.stderr) == (10, True)
    done = _run("compress", model, archive, "--beside", optimizer, "--json")
    assert json.loads(done.stdout)["stored_bytes"] < 1500
    assert _run("verify", model, archive, "--beside", optimizer).returncode == 0
    missing = _run("decompress", archive, "-")
    assert (missing.returncode, b"--beside FILE" in missing.stderr) == (6, True)
    assert _run("decompress", archive, "-", "--beside", optimizer).stdout == model.read_bytes()
    assert b"leans on the file" in _run("inspect", archive).stderr
    assert _run("compress", optimizer, packed).returncode == 0
    assert b"bytes of its own" in _run("inspect", packed).stderr
    stored = packed.read_bytes()
    assert _run("decompress", "-", tmp_path / "out", stdin=stored).returncode == 0
    assert (tmp_path / "out").read_bytes() == optimizer.read_bytes()
    assert _run("decompress", "-", "-", stdin=stored).stdout == optimizer.read_bytes()
    assert not list(tmp_path.glob(".weightzip-*"))


def test_a_directory_that_was_moved_needs_no_flags(tmp_path: Path) -> None:
    folder = tmp_path / "step-2"
    folder.mkdir()
    model, _ = (file.rename(folder / file.name) for file in write_related(tmp_path, 2))
    data = _read_tree(folder)
    done = _run("compress", folder, tmp_path / "archives", "--json")
    reports = {Path(report["source"]): report for report in map(json.loads, done.stdout.splitlines())}
    assert reports[model]["beside_digests"]
    assert reports[model]["stored_bytes"] < 1500
    assert _run("verify", folder, tmp_path / "archives").returncode == 0
    moved = (tmp_path / "archives").rename(tmp_path / "moved")
    shutil.rmtree(folder)
    assert _run("verify", moved).returncode == 0
    assert _run("decompress", moved, tmp_path / "out").returncode == 0
    assert _read_tree(tmp_path / "out") == data
    archive = moved / f"{model.name}.wzst"
    assert _run("verify", archive).returncode == 0
    assert _run("decompress", archive, "-").stdout == data[model.name]
    alone = archive.rename(tmp_path / archive.name)
    (digest,) = reports[model]["beside_digests"]
    for arguments in (("decompress", alone, tmp_path / "x"), ("verify", alone)):
        done = _run(*arguments)
        assert (done.returncode, digest in done.stderr.decode()) == (6, True)
        assert b"--beside FILE" in done.stderr


def test_inspect_tells_what_is_inside(steps: Path) -> None:
    archive = steps / "a.wzst"
    base = steps / "step-1" / "model.safetensors"
    _run("compress", steps / "step-2" / "model.safetensors", archive, "--base", base)
    report = json.loads(_run("inspect", archive, "--json").stdout)
    weight = next(tensor for tensor in report["tensors"] if tensor["name"] == "model.weight")
    assert (weight["dtype"], weight["shape"]) == ("F32", [2000, 10])
    assert weight["recipe"] == "float difference, in context"
    assert weight["stored_bytes"] < weight["raw_bytes"] == 80_000
    assert report["container"] == "safetensors"
    lines = _run("inspect", archive).stdout.decode().splitlines()
    assert lines[0].split("\t")[:4] == ["tensor", "dtype", "shape", "recipe"]
    assert len(lines) == 1 + len(report["tensors"])


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("compress", "{0}/nope", "{0}/x"), 10, "no such file"),
        (("compress", "{0}/step-1", "{0}/step-2"), 2, "--force"),
        (("decompress", "{0}/step-1/config.json", "{0}/x"), 3, "not a weightzip archive"),
        (("inspect", "{0}/step-1/config.json"), 3, "`weightzip compress`"),
        (("inspect", "{0}/step-1"), 2, "name one archive"),
        (("decompress", "{0}/leaning", "{0}/x"), 6, "--base"),
        (("verify", "{0}/step-1/model.safetensors", "{0}/alone"), 3, "differ"),
        (("verify", "{0}/leaning", "--base", "{0}/step-2/model.safetensors"), 6, "what was given is"),
        (("compress", "{0}/step-1", "{0}/x", "--beside", "{0}/alone"), 2, "goes with one file"),
        (("compress", "--threads", "-1", "a", "b"), 2, "threads"),
        (("frobnicate",), 2, "frobnicate"),
    ],
)
def test_errors_have_their_exit_codes(
    steps: Path, arguments: tuple[str, ...], exit_code: int, message: str
) -> None:
    models = [steps / f"step-{step}" / "model.safetensors" for step in (1, 2)]
    _run("compress", models[1], steps / "leaning", "--base", models[0])
    _run("compress", models[1], steps / "alone")
    done = _run(*(argument.format(steps) for argument in arguments))
    assert (done.returncode, done.stdout) == (exit_code, b"")
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_the_version_is_told_by_verb_and_option() -> None:
    told = _run("version")
    assert told.stdout.startswith(b"weightzip ")
    asked = _run("--version")
    assert (asked.returncode, asked.stdout) == (0, told.stdout)


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from weightzip.cli import app; print([m for m in ('numpy', 'fsspec') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.strip() == b"[]"


def test_a_reader_that_goes_away_is_no_traceback(steps: Path) -> None:
    _run("compress", steps / "step-2" / "model.safetensors", steps / "a.wzst")
    command = f"{sys.executable} -m weightzip decompress {steps / 'a.wzst'} - | head -c 10 > /dev/null"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in done.stderr
