"""Archives that find what they lean on in their own folder, and what they say when it is not there."""

import os
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from support.chains import write_chain
from weightzip.errors import MissingPredecessor, WrongPredecessor
from weightzip.files import check_archive, compress_file, decompress_file, open_archive, verify_file
from weightzip.files.catalog import MAX_STEPS


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model, with the archive of it and of the optimizer that it leans on in the folder `archives`."""
    folder = tmp_path / "archives"
    folder.mkdir()
    model, optimizer = write_related(tmp_path, 2)
    compress_file(optimizer, folder / "optimizer.wzst")
    report = compress_file(model, folder / "model.wzst", beside=[optimizer])
    assert report.beside_digests
    optimizer.unlink()
    return model


def test_every_function_finds_the_neighbour(model: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archives" / "model.wzst"
    os.mkfifo(archive.parent / "pipe.wzst")
    (archive.parent / "folder.wzst").mkdir()
    verify_file(model, archive)
    check_archive(archive)
    decompress_file(archive, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == model.read_bytes()
    with open_archive(archive) as opened:
        assert opened.read_range(0, 100) == model.read_bytes()[:100]


def test_it_is_found_from_within_the_folder(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "archives")
    assert check_archive("model.wzst").needed_digests


def test_an_archive_given_as_base_finds_its_own_neighbours(model: Path, tmp_path: Path) -> None:
    later, _ = write_related(tmp_path, 3)
    archive = tmp_path / "later.wzst"
    base = tmp_path / "archives" / "model.wzst"
    assert compress_file(later, archive, base=base).base_digest
    verify_file(later, archive, base=base)


def test_a_neighbour_of_a_neighbour_is_found_too(tmp_path: Path) -> None:
    steps = [write_step(tmp_path, step) for step in (1, 2, 3)]
    for step, base in zip(steps, [None, *steps], strict=False):
        compress_file(step, step.with_suffix(".wzst"), base=base)
    for step in steps[:2]:
        step.unlink()
    verify_file(steps[2], steps[2].with_suffix(".wzst"))


def test_what_is_given_serves_neighbours(tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    folder.mkdir()
    _, earlier = write_related(tmp_path, 1)
    model, optimizer = write_related(tmp_path, 2)
    compress_file(optimizer, folder / "optimizer.wzst", base=earlier)
    compress_file(model, folder / "model.wzst", beside=[optimizer])
    with pytest.raises(MissingPredecessor, match=r"optimizer\.wzst: .*leans on what was not given"):
        check_archive(folder / "model.wzst")
    check_archive(folder / "model.wzst", beside=[earlier])


def test_a_damaged_neighbour_harms_nobody_who_was_given_all(model: Path, tmp_path: Path) -> None:
    _, optimizer = write_related(tmp_path, 2)
    (tmp_path / "archives" / "optimizer.wzst").write_bytes(b"damaged")
    check_archive(tmp_path / "archives" / "model.wzst", beside=[optimizer])


def test_what_is_missing_is_named_by_digest_and_what_is_damaged_by_name(model: Path, tmp_path: Path) -> None:
    archive, neighbour = tmp_path / "archives" / "model.wzst", tmp_path / "archives" / "optimizer.wzst"
    with open_archive(archive) as opened:
        (digest,) = opened.info.needed_digests
    neighbour.write_bytes(neighbour.read_bytes()[:-1])
    with pytest.raises(MissingPredecessor, match=rf"{digest}.*cannot be read: .*optimizer\.wzst"):
        check_archive(archive)
    neighbour.unlink()
    with pytest.raises(MissingPredecessor, match=rf"{digest}.*no other archive in .*archives restores it"):
        decompress_file(archive, tmp_path / "out")
    with open_archive(archive) as opened:  # what leans on nothing can still be read
        assert opened.keys()
    with pytest.raises(WrongPredecessor):
        check_archive(archive, beside=[model])


def test_a_chain_of_any_length_ends_in_an_answer(tmp_path: Path) -> None:
    archives = write_chain(tmp_path, MAX_STEPS + 2)
    check_archive(archives[MAX_STEPS])
    with pytest.raises(MissingPredecessor, match=archives[1].name):
        check_archive(archives[MAX_STEPS + 1])
