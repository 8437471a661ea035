"""The daemon's own directories: defaults, never inside the watched one, one daemon each."""

from pathlib import Path

import pytest

from support.settings import make_settings
from weightzip.config import load_settings
from weightzip.daemon.places import StateLock, choose_places
from weightzip.errors import DirectoryInUse, UsageError


def test_two_sources_have_two_state_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    chosen = [
        choose_places(
            load_settings(flags={"source": {"path": path, "name": name}, "store": {"url": "memory://x"}})
        )
        for path, name in (("/a", "main"), ("/b", "main"), ("/a", "other"))
    ]
    assert len({places.state for places in chosen}) == 3
    assert all(places.state.is_relative_to(tmp_path / "weightzip") for places in chosen)
    assert all(places.spool == places.state / "spool" for places in chosen)


def test_without_a_state_home_it_lies_in_the_home_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = load_settings(flags={"source": {"path": "/a"}, "store": {"url": "memory://x"}})
    assert choose_places(settings).state.is_relative_to(tmp_path / ".local" / "state" / "weightzip")


@pytest.mark.parametrize("key", ["dir", "spool"])
@pytest.mark.parametrize("place", ["ckpt/inside", "ckpt", "link/inside", "other/../ckpt/x"])
def test_nothing_of_ours_lies_inside_the_watched_directory(tmp_path: Path, key: str, place: str) -> None:
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "link").symlink_to("ckpt")
    with pytest.raises(UsageError, match=f"state.{key}: .* lies inside the watched directory"):
        choose_places(make_settings(tmp_path, state={key: tmp_path / place}))


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_store_and_watched_directory_never_lie_in_each_other(tmp_path: Path, form: str) -> None:
    for place in ("ckpt", "ckpt/store", "other/../ckpt/x"):
        with pytest.raises(UsageError, match=r"store.url: .* lies inside the watched directory"):
            choose_places(make_settings(tmp_path, store={"url": form.format(tmp_path / place)}))
    with pytest.raises(UsageError, match=r"store.url: the watched directory .* lies inside the store"):
        choose_places(make_settings(tmp_path, store={"url": form.format(tmp_path)}))
    choose_places(make_settings(tmp_path, store={"url": form.format(tmp_path / "ckpt-store")}))


def test_a_sibling_with_a_longer_name_is_not_inside(tmp_path: Path) -> None:
    places = choose_places(make_settings(tmp_path, state={"dir": tmp_path / "ckpt-state"}))
    assert places.work == tmp_path / "ckpt-state" / "work"


def test_the_lock_admits_one(tmp_path: Path) -> None:
    first, second = StateLock(tmp_path), StateLock(tmp_path)
    first.acquire()
    with pytest.raises(DirectoryInUse, match="another daemon already uses") as refusal:
        second.acquire()
    assert "prefix" not in refusal.value.hint
    assert refusal.value.exit_code == 11
    first.release()
    second.acquire()
    second.release()
    second.release()
