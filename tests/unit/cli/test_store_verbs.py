"""The verbs on a store, as a shell sees them: exit codes, JSON, dry runs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from servers.location import S3Location
from support.checkpoints import describe_tree
from support.repositories import Publisher
from support.store_checker import check_store, read_raw
from weightzip.daemon.store import open_store
from weightzip.daemon.store.layout import object_key


def _run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "weightzip", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=60, env=env)


def _json(*arguments: object, code: int = 0) -> list[dict[str, Any]]:
    done = _run(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    publisher = Publisher(open_store(str(tmp_path / "store")), tmp_path)
    publisher.publish_chain(100, 200, 300)
    return publisher


@pytest.fixture
def store(publisher: Publisher, tmp_path: Path) -> Path:
    return tmp_path / "store"


def _model_object(publisher: Publisher, step: int) -> str:
    file = publisher.manifests[step].find_file("model.safetensors")
    assert file is not None
    return object_key(publisher.manifests[step].encoding.archives[file.digest or ""].object_digest)


def test_list_and_show_tell_what_is_there(store: Path, publisher: Publisher) -> None:
    lines = _json("list", store)
    assert [(line["step"], line["name"], line["chain_depth"]) for line in lines] == [
        (100, "checkpoint-100", 0),
        (200, "checkpoint-200", 1),
        (300, "checkpoint-300", 2),
    ]
    assert lines[2]["saved_at"] == "2023-11-14 22:18:20"
    assert lines[2]["raw_bytes"] == publisher.manifests[300].raw_bytes
    (shown,) = _json("show", store, "checkpoint-200")
    assert shown["checkpoint"]["identity"] == publisher.manifests[200].identity
    table = _run("show", store).stdout
    assert "nested/optimizer.safetensors" in table
    assert "-> model.safetensors" in table


def test_restore_brings_the_newest_back(store: Path, publisher: Publisher, tmp_path: Path) -> None:
    done = _run("restore", store, "--to", tmp_path / "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert describe_tree(tmp_path / "out" / "checkpoint-300") == describe_tree(publisher.source(300))
    (report,) = _json("restore", store, 100, "--to", tmp_path / "out")
    assert (report["step"], report["fell_back"]) == (100, False)
    assert describe_tree(tmp_path / "out" / "checkpoint-100") == describe_tree(publisher.source(100))


def test_restore_protects_what_is_there(store: Path, publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "out" / "checkpoint-300").mkdir(parents=True)
    (tmp_path / "out" / "checkpoint-300" / "half").touch()
    done = _run("restore", store, "--to", tmp_path / "out")
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert _run("restore", store, "--to", tmp_path / "out", "--if-empty").returncode == 0
    assert (tmp_path / "out" / "checkpoint-300" / "half").exists()
    assert _run("restore", store, "--to", tmp_path / "out", "--force").returncode == 0
    assert describe_tree(tmp_path / "out" / "checkpoint-300") == describe_tree(publisher.source(300))


def test_a_boot_script_runs_the_same_the_first_time_and_later(store: Path, tmp_path: Path) -> None:
    flags = ("--to", tmp_path / "out", "--if-empty", "--if-store-exists")
    assert _run("restore", tmp_path / "no store yet", *flags).returncode == 0
    assert not (tmp_path / "out").exists()
    assert _run("restore", store, *flags).returncode == 0
    assert (tmp_path / "out" / "checkpoint-300").exists()
    (skipped,) = _json("restore", store, *flags)
    assert skipped["skipped"]


def test_what_is_missing_exits_with_10(store: Path, tmp_path: Path) -> None:
    for arguments in (
        ("list", tmp_path / "nowhere"),
        ("show", store, 250),
        ("restore", store, 250, "--to", tmp_path / "out"),
        ("restore", tmp_path / "nowhere", "--to", tmp_path / "out", "--if-empty"),
        ("rm", store, "nothing", "--confirm"),
        ("verify", store, 250),
    ):
        assert _run(*arguments).returncode == 10, arguments


def test_damage_falls_back_with_4_and_verify_exits_with_3(
    store: Path, publisher: Publisher, tmp_path: Path
) -> None:
    assert "pass --depth full to read every byte" in _run("verify", store).stderr
    done = _run("verify", store, "--depth", "full")
    assert (done.returncode, "every byte was read" in done.stderr) == (0, True)
    damaged = store / _model_object(publisher, 300)
    damaged.write_bytes(bytes(damaged.stat().st_size))
    done = _run("restore", store, "--to", tmp_path / "out")
    assert done.returncode == 4
    assert "step 300 is damaged" in done.stderr
    assert describe_tree(tmp_path / "out" / "checkpoint-200") == describe_tree(publisher.source(200))
    assert _run("restore", store, "--to", tmp_path / "out", "--max-fallback", 0).returncode == 3
    done = _run("verify", store, "--depth", "full")
    assert done.returncode == 3
    assert damaged.name in done.stdout
    (report,) = _json("verify", store, "--depth", "full", code=3)
    assert [item["state"] for item in report["findings"]].count("corrupt") == 1
    assert _run("verify", store, 200, "--depth", "full").returncode == 0


def test_rm_does_nothing_until_it_is_confirmed(store: Path, publisher: Publisher) -> None:
    done = _run("rm", store, 200)
    assert done.returncode == 0
    assert "--confirm" in done.stderr
    assert set(check_store(read_raw(publisher.store))) == {100, 200, 300}
    (report,) = _json("rm", store, 200, "--confirm")
    assert report["remove"] == [{"step": 200, "name": "checkpoint-200"}]
    assert set(check_store(read_raw(publisher.store))) == {100, 300}


def test_rm_removes_a_checkpoint_whose_manifest_is_damaged(store: Path, publisher: Publisher) -> None:
    key = publisher.manifests[200].checkpoint_key.key
    (store / key).write_bytes(b"{")
    assert "damaged" in _run("list", store).stdout
    assert _run("prune", store, "--keep-last", 2, "--confirm").returncode == 3
    assert _run("rm", store, 200).returncode == 0
    assert (store / key).exists()
    assert _run("rm", store, 200, "--confirm").returncode == 0
    assert set(check_store(read_raw(publisher.store))) == {100, 300}


def test_prune_does_nothing_until_it_is_confirmed(store: Path, publisher: Publisher) -> None:
    (plan,) = _json("prune", store, "--keep-last", 1)
    assert [item["step"] for item in plan["remove"]] == [100]
    assert set(check_store(read_raw(publisher.store))) == {100, 200, 300}
    (plan,) = _json("prune", store, "--keep-last", 1, "--keep-every", 100)
    assert plan["remove"] == []
    done = _run("prune", store, "--keep-last", 1, "--confirm")
    assert done.returncode == 0
    assert "the newest 2 always stay" in done.stderr
    assert "removed 1 checkpoint and" in done.stderr
    assert "kept checkpoints lean on them" in done.stderr
    assert set(check_store(read_raw(publisher.store))) == {200, 300}
    assert _run("prune", store, "--keep-last", 0).returncode == 2


@pytest.mark.s3
def test_a_url_works_with_the_environment_alone(s3_store_url: S3Location, tmp_path: Path) -> None:
    publisher = Publisher(open_store(s3_store_url.url, s3_store_url.storage_options), tmp_path)
    publisher.publish_chain(100, 200)
    env = os.environ | s3_store_url.environment
    assert _run("verify", s3_store_url.url, "--depth", "full", env=env).returncode == 0
    assert _run("restore", s3_store_url.url, "--to", tmp_path / "out", env=env).returncode == 0
    assert describe_tree(tmp_path / "out" / "checkpoint-200") == describe_tree(publisher.source(200))
