"""Hostile pickles: none runs anything, none hurts the process that asked; what is sound beside them is still read."""

import base64
import contextlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from support.hostile_pickles import list_bombs, list_nonsense, list_running_pickles
from weightzip.codec.containers.pickles import read_dcp_metadata, read_legacy_pickles, read_pickles

NAMES = sorted(list_running_pickles(""))
TESTS = Path(__file__).parents[4]


@pytest.mark.parametrize("name", NAMES)
def test_each_runs_where_it_is_trusted(name: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    with contextlib.suppress(Exception):
        pickle.loads(list_running_pickles(str(made))[name])
    assert made.is_dir()


@pytest.mark.parametrize("name", NAMES)
def test_none_runs_in_the_child(name: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    hostile = list_running_pickles(str(made))[name]
    (contents,) = read_pickles([hostile])
    assert contents is None or contents.tensors == ()
    assert read_legacy_pickles(hostile) is None
    assert read_dcp_metadata(hostile) is None
    assert not made.exists()


def test_none_runs_even_without_limits(tmp_path: Path) -> None:
    made = tmp_path / "made"
    pickles = {**list_running_pickles(str(made)), **list_nonsense()}
    encoded = json.dumps({name: base64.b64encode(data).decode() for name, data in pickles.items()})
    command = [sys.executable, "-m", "support.watched_unpickling"]
    done = subprocess.run(command, input=encoded, capture_output=True, text=True, check=True, cwd=TESTS)
    events = json.loads(done.stdout)
    assert events.keys() == pickles.keys()
    happened = {event for noted in events.values() for event in noted if not event.startswith("failed")}
    assert happened == set()
    assert not made.exists()


@pytest.mark.parametrize("name", sorted(list_bombs()))
def test_bombs_are_refused_or_harmless(name: str) -> None:
    (contents,) = read_pickles([list_bombs()[name]])
    assert contents is None or contents.tensors == ()


@pytest.mark.parametrize("name", sorted(list_nonsense()))
def test_nonsense_is_refused(name: str) -> None:
    assert read_pickles([list_nonsense()[name]]) == [None]


def test_what_is_sound_beside_nonsense_is_read() -> None:
    sound = pickle.dumps({"a": [1, 2]}, protocol=2)
    contents = read_pickles([sound, *list_nonsense().values(), sound])
    assert contents[0] is not None and contents[0] == contents[-1]
    assert contents[1:-1] == [None] * len(list_nonsense())
