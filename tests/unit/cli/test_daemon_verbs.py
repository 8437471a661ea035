"""`weightzip config` and `weightzip status` as a user meets them; `run` is tested in tests/integration and tests/faults."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.daemon_process import DaemonProcess


def run_cli(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "weightzip", *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_config_show_prints_what_holds(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("source: {path: /ckpt}\nstore: {url: 's3://b/x', options: {secret: hunter2}}\n")
    shown = run_cli(
        "config", "show", "--config", str(file), environment={"WEIGHTZIP_SOURCE__NAME": "fromenv"}
    )
    assert shown.returncode == 0, shown.stderr
    assert "name: fromenv" in shown.stdout
    assert "hunter2" not in shown.stdout


def test_config_check_names_every_mistake_and_exits_2(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("source: {path: /ckpt, quiet: 3s}\nstore: {url: 's3://b/x'}\n")
    checked = run_cli("config", "check", "--config", str(file))
    assert checked.returncode == 2
    assert "source.quiet is not a setting: did you mean quiet_period?" in checked.stderr


def test_config_check_says_where_everything_lies(tmp_path: Path) -> None:
    checked = run_cli(
        "config", "check", "--watch", str(tmp_path / "ckpt"), "--store", str(tmp_path / "store"),
        environment={"XDG_STATE_HOME": str(tmp_path / "xdg")},
    )  # fmt: skip
    assert checked.returncode == 0
    assert str(tmp_path / "xdg" / "weightzip") in checked.stderr
    assert f"stores into {tmp_path / 'store'}" in checked.stderr
    assert f"{tmp_path / 'ckpt'} (does not exist yet)" in checked.stderr


def test_config_check_refuses_a_protocol_that_nobody_serves() -> None:
    checked = run_cli("config", "check", "--watch", "/ckpt", "--store", "s4://bucket/run")
    assert checked.returncode == 2
    assert "'s4' is no known protocol" in checked.stderr


def test_config_schema_is_json() -> None:
    schema = json.loads(run_cli("config", "schema").stdout)
    assert set(schema["required"]) == {"source", "store"}


def test_run_without_anything_says_what_to_pass() -> None:
    done = run_cli("run")
    assert done.returncode == 2
    assert "--watch" in done.stderr
    assert "--store" in done.stderr


def test_status_without_a_daemon_finds_nobody_to_ask() -> None:
    done = run_cli("status", "--url", "http://127.0.0.1:9")
    assert done.returncode == 9
    assert "no daemon answers" in done.stderr


def test_once_has_nothing_to_do_where_nothing_is(tmp_path: Path) -> None:
    done = run_cli("run", "--watch", str(tmp_path / "nope"), "--store", str(tmp_path / "store"), "--once")
    assert done.returncode == 10
    assert "nope does not exist" in done.stderr


def test_a_checkpoint_is_restored_into_a_directory(tmp_path: Path) -> None:
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "file").touch()
    store = str(tmp_path / "store")
    environment = {"WEIGHTZIP_STATE__DIR": str(tmp_path / "state"), "WEIGHTZIP_SERVER__LISTEN": "127.0.0.1:0"}
    run_cli("run", "--watch", str(tmp_path / "ckpt"), "--store", store, "--once", environment=environment)
    done = run_cli("restore", store, "--to", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "file: is no directory" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_status_of_a_running_daemon(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "ckpt" / "checkpoint-5").mkdir(parents=True)
    (tmp_path / "ckpt" / "checkpoint-5" / "model.safetensors").write_bytes(b"cut")
    daemon = DaemonProcess(tmp_path, tmp_path / "ckpt", str(tmp_path / "store"))
    try:
        daemon.start_and_wait()
        daemon.wait_for(lambda: daemon.get("/v1/status")[1]["candidates"][0]["stage"] == "QUIET")
        done = run_cli("status", "--url", daemon.url, *arguments)
    finally:
        daemon.kill()
    assert done.returncode == 0, done.stderr
    assert "model.safetensors has 3 bytes" in done.stdout
    if arguments:
        assert json.loads(done.stdout)["source"]["path"] == str(tmp_path / "ckpt")
