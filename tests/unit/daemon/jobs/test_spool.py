"""Pins hold files fast, leave the originals alone, are found again, and notice what changes beneath them."""

import shutil
from pathlib import Path

import pytest

from support.checkpoints import describe_tree, write_checkpoint
from weightzip.daemon.jobs.pinned import PinnedCheckpoint
from weightzip.daemon.jobs.spool import Spool, check_pin
from weightzip.daemon.layouts import Sighting
from weightzip.daemon.watch.scan import look_at
from weightzip.errors import SourceChanged


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_checkpoint(tmp_path / "ckpt", 500).parent


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    (tmp_path / "spool").mkdir()
    return Spool(tmp_path / "spool")


def see(source: Path, name: str = "checkpoint-500") -> Sighting:
    sighting = look_at(source, name, ())
    assert sighting is not None
    return sighting


def refuse_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hard links fail as they do between two file systems."""

    def link(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("weightzip.daemon.jobs.pin.os.link", link)


@pytest.mark.parametrize("how", ["link", "copy"])
def test_a_pin_is_the_checkpoint_and_survives_its_deletion(
    source: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    before = describe_tree(source)
    expected = describe_tree(source / "checkpoint-500")
    if how == "copy":
        refuse_links(monkeypatch)
    pin = spool.pin(source, see(source), 500, 1.0)
    assert pin.record.how == how
    assert describe_tree(source) == before, "the watched directory was touched"
    shutil.rmtree(source)
    assert describe_tree(pin.tree) == expected
    assert pin.size_bytes == sum(len(entry[3]) for entry in expected.values() if entry[0] == "file")  # type: ignore[misc, arg-type]


def test_a_single_file_is_pinned_under_its_name(tmp_path: Path, spool: Spool) -> None:
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "ckpt" / "step-5.pt").write_bytes(b"weights")
    pin = spool.pin(tmp_path / "ckpt", see(tmp_path / "ckpt", "step-5.pt"), 5, 1.0)
    assert (pin.tree.name, pin.tree.read_bytes()) == ("step-5.pt", b"weights")


def test_unfinished_files_are_not_pinned(source: Path, spool: Spool) -> None:
    (source / "checkpoint-500" / ".tmpXY").write_bytes(b"half")
    pin = spool.pin(source, see(source), 500, 1.0)
    assert not (pin.tree / ".tmpXY").exists()


@pytest.mark.parametrize("change", ["rewrite", "replace", "delete", "delete_all"])
def test_a_change_since_the_sighting_is_noticed_and_leaves_nothing(
    tmp_path: Path, source: Path, spool: Spool, change: str
) -> None:
    sighting = see(source)
    victim = source / "checkpoint-500" / "model.safetensors"
    if change == "rewrite":
        victim.write_bytes(b"other")
    elif change == "replace":
        (tmp_path / "new").write_bytes(victim.read_bytes())
        (tmp_path / "new").replace(victim)
    elif change == "delete":
        victim.unlink()
    else:
        shutil.rmtree(source / "checkpoint-500")
    with pytest.raises(SourceChanged):
        spool.pin(source, sighting, 500, 1.0)
    assert list((tmp_path / "spool").iterdir()) == []


def test_rewriting_in_place_shows_through_a_link_and_is_noticed(source: Path, spool: Spool) -> None:
    pin = spool.pin(source, see(source), 500, 1.0)
    check_pin(pin)
    with (source / "checkpoint-500" / "config.json").open("r+b") as file:
        file.write(b"{}")
    with pytest.raises(SourceChanged, match="rewritten in place"):
        check_pin(pin)


def adopt(spool: Spool) -> tuple[list[PinnedCheckpoint], dict[str, str]]:
    damaged: dict[str, str] = {}
    return spool.adopt(damaged.__setitem__), damaged


def test_pins_are_adopted_in_order_with_what_is_known_of_them(
    tmp_path: Path, source: Path, spool: Spool
) -> None:
    write_checkpoint(source, 90)
    second = spool.pin(source, see(source), 500, 7.0)
    first = spool.pin(source, see(source, "checkpoint-90"), 90, 6.0)
    spool.mark_committed(first, "ab" * 32)
    adopted, damaged = adopt(Spool(tmp_path / "spool"))
    assert damaged == {}
    assert [pin.record for pin in adopted] == [first.record, second.record]
    assert adopted[0].record.committed == "ab" * 32
    assert adopted[1].holds(see(source))


def test_what_is_half_made_or_damaged_is_removed(tmp_path: Path, source: Path, spool: Spool) -> None:
    whole = spool.pin(source, see(source), 500, 1.0)
    bad = spool.pin(source, see(source), 501, 1.0)
    (tmp_path / "spool" / bad.id / "pin.json").write_text("{")
    treeless = spool.pin(source, see(source), 502, 1.0)
    shutil.rmtree(tmp_path / "spool" / treeless.id / "tree")
    (tmp_path / "spool" / ".new-x" / "tree").mkdir(parents=True)
    adopted, damaged = adopt(spool)
    assert [pin.id for pin in adopted] == [whole.id]
    assert set(damaged) == {bad.id, treeless.id}
    assert [path.name for path in (tmp_path / "spool").iterdir()] == [whole.id]


def test_a_pin_rewritten_in_place_while_nobody_ran_is_not_adopted(source: Path, spool: Spool) -> None:
    spool.pin(source, see(source), 500, 1.0)
    with (source / "checkpoint-500" / "config.json").open("r+b") as file:
        file.truncate(1)
    adopted, damaged = adopt(spool)
    assert adopted == []
    assert "rewritten in place" in next(iter(damaged.values()))


def test_read_only_directories_are_released_too(tmp_path: Path, source: Path, spool: Spool) -> None:
    (source / "checkpoint-500" / "nested").chmod(0o500)
    pin = spool.pin(source, see(source), 500, 1.0)
    assert (pin.tree / "nested").stat().st_mode & 0o777 == 0o500
    spool.release(pin)
    spool.release(pin)
    assert list((tmp_path / "spool").iterdir()) == []
    assert (source / "checkpoint-500" / "nested").stat().st_mode & 0o777 == 0o500
