"""Links that lead out of a directory, as those of a model hub's cache do."""

from pathlib import Path

import pytest

from shards.build import write_step
from weightzip.errors import UsageError
from weightzip.files import compress_directory, decompress_directory, verify_directory


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a folder of links to files that lie elsewhere, with one link within."""
    contents, revision = tmp_path / "contents", tmp_path / "snapshots" / "abc"
    contents.mkdir()
    revision.mkdir(parents=True)
    write_step(contents, 1).rename(contents / "8b69")
    (revision / "model.safetensors").symlink_to("../../contents/8b69")
    (revision / "latest").symlink_to("model.safetensors")
    (revision / "dangling").symlink_to("../../nowhere")
    return revision


def test_links_that_lead_out_are_refused_unless_somebody_says_what_is_wanted(
    cache: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"--follow-links .* or --keep-links") as caught:
        compress_directory(cache, tmp_path / "archives")
    assert "contents/8b69 (and 1 more)" in str(caught.value)
    assert not (tmp_path / "archives").exists()


def test_followed_links_come_back_as_files(cache: Path, tmp_path: Path) -> None:
    (cache / "latest").unlink()
    reports = compress_directory(cache, tmp_path / "archives", follow_links=True)
    assert [report.n_tensors > 0 for report in reports] == [True]
    verify_directory(cache, tmp_path / "archives")
    decompress_directory(tmp_path / "archives", tmp_path / "out")
    restored = tmp_path / "out" / "model.safetensors"
    assert not restored.is_symlink()
    assert restored.read_bytes() == (tmp_path / "contents" / "8b69").read_bytes()
    assert (tmp_path / "out" / "dangling").readlink() == Path("../../nowhere")


def test_kept_links_come_back_as_links(cache: Path, tmp_path: Path) -> None:
    assert compress_directory(cache, tmp_path / "archives", follow_links=False) == []
    verify_directory(cache, tmp_path / "archives")
    decompress_directory(tmp_path / "archives", tmp_path / "out")
    assert (tmp_path / "out" / "model.safetensors").readlink() == Path("../../contents/8b69")


def test_a_link_to_a_folder_elsewhere_is_not_followed(cache: Path, tmp_path: Path) -> None:
    (cache / "data").symlink_to(tmp_path / "contents")
    with pytest.raises(UsageError, match=r"data: leads out of .* but not to a file"):
        compress_directory(cache, tmp_path / "archives", follow_links=True)


def test_links_within_the_directory_need_no_word(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    write_step(folder, 1)
    (folder / "sub" / "latest").symlink_to("../step-1.safetensors")
    (tmp_path / "name").symlink_to(folder)
    compress_directory(tmp_path / "name", tmp_path / "archives")
    assert (tmp_path / "archives" / "sub" / "latest").is_symlink()
