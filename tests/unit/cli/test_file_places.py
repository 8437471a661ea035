"""The verbs on files: which targets they choose and refuse, and what they say about options and directories."""

import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shards.build import write_step
from shards.related import write_related
from support.privileges import without_privileges
from weightzip.cli.app import app


def _run(place: Path, *arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "weightzip", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, cwd=place, capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in done.stderr
    return done


def _list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with a file `x`, and checkpoints `s1` to `s3` of one file each."""
    for step in (1, 2, 3):
        (tmp_path / f"s{step}").mkdir()
        write_step(tmp_path / f"s{step}", step).rename(tmp_path / f"s{step}" / "model")
    (tmp_path / "x").write_text("some text")
    return tmp_path


def test_a_target_that_is_left_out_lies_beside_the_source(place: Path) -> None:
    assert _run(place, "compress", "x").returncode == 0
    assert _run(place, "compress", "s1/").returncode == 0
    text, model = (place / "x").read_bytes(), (place / "s1" / "model").read_bytes()
    (place / "x").unlink()
    shutil.rmtree(place / "s1")
    assert _run(place, "decompress", "x.wzst").returncode == 0
    assert _run(place, "decompress", "s1.wzst").returncode == 0
    assert ((place / "x").read_bytes(), (place / "s1" / "model").read_bytes()) == (text, model)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("compress", "x", "nowhere/"), 10, "nowhere/: no such directory"),
        (("compress", "x", "s1/"), 2, "is a directory, a file was expected"),
        (("compress", "x", ""), 2, "the name of the target is empty"),
        (("compress", "", "y"), 2, "the name of what is to be read is empty"),
        (("compress", "-"), 2, "name a target"),
        (("compress", "."), 2, "name a target"),
        (("decompress", "x"), 2, "name a target"),
        (("compress", "s1", "-"), 2, "a directory, it cannot go to a pipe"),
        (("compress", "s1", "y", "--base", "nowhere"), 10, "nowhere: no such directory"),
        (("compress", "s1", "y", "--base", "x"), 2, "--base needs a directory"),
        (("compress", "x", "y", "--keep-links"), 2, "is no directory"),
        (("compress", "x", "-", "--json"), 2, "--json"),
        (("decompress", "x", "-", "--json"), 2, "--json"),
        (("verify", "s1", "nowhere"), 10, "nowhere: no such directory"),
        (("verify", "x", "--depth", "full"), 2, "--depth has no use"),
        (("verify", "x", "-"), 2, "pass - and nothing else"),
        (("verify", ""), 2, "is empty"),
        (("inspect", "-"), 2, "into a file"),
        (("bench", "x", "--base", "s1", "--base", "s2"), 2, "one predecessor is enough"),
    ],
)
def test_what_makes_no_sense_is_told(
    place: Path, arguments: tuple[str, ...], exit_code: int, message: str
) -> None:
    before = sorted(place.rglob("*"))
    done = _run(place, *arguments)
    assert (done.returncode, done.stdout) == (exit_code, b"")
    assert message in done.stderr.decode()
    assert sorted(place.rglob("*")) == before


def test_inputs_are_never_replaced(place: Path) -> None:
    _run(place, "compress", "s2/model", "a.wzst", "--base", "s1/model")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    for target in ("a.wzst", "s1/model"):
        for option in ("--base", "--beside"):
            done = _run(place, "decompress", "a.wzst", target, option, "s1/model", "-f")
            assert (done.returncode, b"are the same file" in done.stderr) == (2, True)
    done = _run(
        place, "decompress", "-", "s1/model", "--base", "s1/model", "-f", stdin=before[place / "a.wzst"]
    )
    assert done.returncode == 2
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_what_may_not_be_read_is_no_misuse(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "secret").write_bytes(b"secret")
    (place / "secret").chmod(0)
    place.chmod(0o777)
    monkeypatch.chdir(place)
    import_module("weightzip.files.bench")  # without privileges the library itself may be out of reach
    for arguments in (
        ["compress", "secret", "y"],
        ["compress", "x", "y", "--base", "secret"],
        ["bench", "secret"],
    ):
        with without_privileges():
            done = CliRunner().invoke(app, arguments)
        assert isinstance(done.exception, PermissionError), done.output


def test_quiet_says_nothing_but_errors(place: Path) -> None:
    for arguments in (
        ("compress", "s1", "a"),
        ("verify", "s1", "a"),
        ("decompress", "a", "out"),
        ("verify", "a"),
    ):
        done = _run(place, *arguments, "-q")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert b"already exists" in _run(place, "compress", "x", "out/model", "--quiet").stderr


def test_directories_have_a_total(place: Path) -> None:
    (place / "s1" / "more").write_text("more")
    assert b"s1: 2 files, " in _run(place, "compress", "s1", "a").stderr
    assert b"out: 2 files, " in _run(place, "decompress", "a", "out").stderr
    assert b"a: 2 files, " in _run(place, "verify", "a").stderr


def test_a_base_in_vain_is_told(place: Path) -> None:
    for source, base in (("x", "s1/model"), ("s1", "empty")):
        (place / "empty").mkdir(exist_ok=True)
        done = _run(place, "compress", source, f"{source}.a", "--base", base)
        assert (done.returncode, f"--base {base} was of no use" in done.stderr.decode()) == (0, True)
    assert b"no use" not in _run(place, "compress", "s2", "a", "--base", "s1").stderr


def test_a_chain_of_directories_takes_several_bases(place: Path) -> None:
    assert _run(place, "compress", "s2", "a2", "--base", "s1").returncode == 0
    assert _run(place, "compress", "s3", "a3", "--base", "a2", "--base", "s1").returncode == 0
    shutil.rmtree(place / "s2")
    missing = _run(place, "decompress", "a3", "out", "--base", "a2")
    assert (missing.returncode, b"may be given several times" in missing.stderr) == (6, True)
    assert not (place / "out").exists()
    assert _run(place, "decompress", "a3", "out", "--base", "a2", "--base", "s1").returncode == 0
    assert (place / "out" / "model").read_bytes() == (place / "s3" / "model").read_bytes()


@pytest.mark.parametrize("options", [("--base", "--base"), ("--base", "--beside"), ("--beside", "--base")])
def test_a_chain_of_files_takes_them_in_any_way(place: Path, options: tuple[str, str]) -> None:
    (place / "elsewhere").mkdir()
    first, second = options
    _run(place, "compress", "s2/model", "elsewhere/a2", "--base", "s1/model")
    assert (
        _run(place, "compress", "s3/model", "a3", "--base", "elsewhere/a2", "--base", "s1/model").returncode
        == 0
    )
    for given in (("elsewhere/a2", "s1/model"), ("s1/model", "elsewhere/a2")):
        done = _run(place, "verify", "s3/model", "a3", first, given[0], second, given[1])
        assert done.returncode == 0, done.stderr


def test_an_archive_from_a_pipe_is_verified(place: Path) -> None:
    packed = _run(place, "compress", "s1/model", "-").stdout
    done = _run(place, "verify", "-", stdin=packed)
    assert (done.returncode, b"recorded digest" in done.stderr) == (0, True)
    assert _run(place, "verify", "-", stdin=packed[:-1]).returncode == 3


def test_errors_are_json_where_results_are(place: Path) -> None:
    done = _run(place, "compress", "nowhere", "y", "--json")
    assert json.loads(done.stderr) == {
        "error": "NotFound",
        "message": "nowhere: no such file",
        "hint": "",
        "exit_code": 10,
    }


def test_an_interrupted_directory_is_warned_of_and_goes_on(place: Path) -> None:
    (place / "s1" / "more").write_text("more")
    _run(place, "compress", "s1", "a")
    (place / "a" / "weightzip-manifest.json").unlink()
    (place / "a" / "more.wzst").unlink()
    (place / "a" / ".weightzip-0123456789abcdef.tmp").touch()
    done = _run(place, "verify", "a")
    assert (done.returncode, b"weightzip: warning: a: has no weightzip-manifest.json" in done.stderr) == (
        0,
        True,
    )
    done = _run(place, "compress", "s1", "a")
    assert (done.returncode, b"was there already" in done.stderr) == (0, True)
    done = _run(place, "verify", "s1", "a")
    assert (done.returncode, b"warning" in done.stderr) == (0, False)
    assert _list_names(place / "a") == ["model.wzst", "more.wzst", "weightzip-manifest.json"]


def test_all_bad_files_are_named(tmp_path: Path) -> None:
    source = tmp_path / "s"
    source.mkdir()
    for path in write_related(tmp_path, 1):
        path.rename(source / path.name)
    for name in ("a", "b", "c"):
        (source / name).write_text(name)
    _run(tmp_path, "compress", "s", "z")
    for name in ("a", "c"):
        (tmp_path / "z" / f"{name}.wzst").write_bytes(b"damaged")
    for arguments in (("verify", "z"), ("decompress", "z", "out"), ("verify", "s", "z")):
        done = _run(tmp_path, *arguments)
        assert done.returncode == 3
        named = [f"z/{name}.wzst: " in done.stderr.decode().partition("files failed")[2] for name in "abc"]
        assert named == [True, False, True]
    assert _list_names(tmp_path / "out") == [name for name in _list_names(source) if name not in {"a", "c"}]


def test_a_reader_that_goes_away_ends_it_as_the_signal_would(place: Path) -> None:
    write_step(place, 9, n_elements=2_000_000)
    _run(place, "compress", "step-9.safetensors", "big.wzst")
    command = f"set -o pipefail; {sys.executable} -m weightzip decompress big.wzst - | head -c 10 > /dev/null"
    done = subprocess.run(["bash", "-c", command], cwd=place, check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (141, b"")
