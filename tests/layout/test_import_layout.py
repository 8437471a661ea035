"""The import package is `weightzip` and nothing else; the real folders behind it are reached through committed links."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("codec", "daemon", "gpu", "config")

_PROBE = """
import importlib.util, json, sys
import weightzip, weightzip.codec, weightzip.config, weightzip.daemon
outside = ("codec", "daemon", "gpu", "config", "demo", "benchmarks", "tests", "files", "cli", "errors")
print(json.dumps({
    "found": [name for name in outside if importlib.util.find_spec(name)],
    "loaded": [name for name in ("torch", "s3fs", "boto3", "matplotlib", "zipnn", "hypothesis") if name in sys.modules],
}))
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Give what a fresh interpreter, started outside the repository, finds and loads."""
    folder = tmp_path_factory.mktemp("elsewhere")
    done = subprocess.run(
        [sys.executable, "-c", _PROBE],
        cwd=folder,
        capture_output=True,
        text=True,
        env=_environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts: dict[str, list[str]] = json.loads(done.stdout)
    return facts


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def test_an_installed_project_adds_no_other_name(probe: dict[str, list[str]]) -> None:
    assert probe["found"] == []


def test_importing_loads_no_optional_package(probe: dict[str, list[str]]) -> None:
    assert probe["loaded"] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_front_door_links_to_the_folder(folder: str) -> None:
    link = ROOT / "src" / "weightzip" / folder
    assert link.is_symlink()
    assert link.readlink() == Path("..", "..", folder)
    assert link.resolve() == ROOT / folder


def test_nothing_at_the_root_breaks_pytest() -> None:
    assert not (ROOT / "weightzip").exists()
    assert not (ROOT / "conftest.py").exists()
    assert not list((ROOT / "tests").rglob("__init__.py"))
