"""Directories whose files lean on each other: there and back, in which order, and what happens when something fails."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from shards.build import Tensor, build_safetensors
from shards.related import write_related
from weightzip.codec.derivation import Derivation, derive
from weightzip.errors import (
    ContentDiffers,
    CorruptData,
    MissingPredecessor,
    SourceChanged,
    UsageError,
)
from weightzip.files import (
    CompressReport,
    DecompressReport,
    check_directory,
    compress_directory,
    decompress_directory,
    verify_directory,
)


def write_checkpoint(root: Path, step: int) -> Path:
    """Write a checkpoint whose model leans on an optimizer that comes later by name and lies in another folder."""
    folder = root / f"step-{step}"
    (folder / "state" / "empty").mkdir(parents=True)
    model, optimizer = write_related(root, step)
    model.rename(folder / "model.safetensors")
    optimizer.rename(folder / "state" / "optimizer.safetensors")
    (folder / "config.json").write_text('{"same": true}')
    (folder / "copy.safetensors").hardlink_to(folder / "model.safetensors")
    (folder / "latest").symlink_to("model.safetensors")
    return folder


def read_tree(root: Path) -> dict[str, bytes | str]:
    """Return what lies below a directory: text of links, bytes of files."""
    return {
        str(path.relative_to(root)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else "folder"
        for path in root.rglob("*")
    }


def list_temporaries(root: Path) -> list[Path]:
    """Return what was left half-written."""
    return list(root.rglob(".weightzip-*"))


@pytest.fixture
def steps(tmp_path: Path) -> list[Path]:
    """Return the checkpoints of two steps."""
    return [write_checkpoint(tmp_path, step) for step in (1, 2)]


@pytest.fixture
def archives(steps: list[Path], tmp_path: Path) -> Path:
    """Return the directory of archives of the first step, which leans on nothing else."""
    compress_directory(steps[0], tmp_path / "archives")
    return tmp_path / "archives"


def test_files_lean_on_the_largest(steps: list[Path], tmp_path: Path) -> None:
    heard: list[CompressReport] = []
    reports = compress_directory(steps[0], tmp_path / "archives", on_report=heard.append)
    assert heard == reports
    assert [report.source.name for report in reports] == [
        "optimizer.safetensors",
        "copy.safetensors",
        "model.safetensors",
        "config.json",
    ]
    optimizer, copy, model, config = reports
    assert copy.beside_digests == model.beside_digests == (optimizer.file_digest,)
    assert optimizer.beside_digests == config.beside_digests == ()
    assert model.stored_bytes < 1500


@pytest.mark.parametrize("base_is_raw", [True, False])
def test_they_come_back_alone_and_against_a_directory(
    steps: list[Path], archives: Path, tmp_path: Path, base_is_raw: bool
) -> None:
    decompress_directory(archives, tmp_path / "first")
    assert read_tree(tmp_path / "first") == read_tree(steps[0])
    base = steps[0] if base_is_raw else archives
    reports = compress_directory(steps[1], tmp_path / "second", base=base)
    assert reports[0].base_digest
    assert verify_directory(steps[1], tmp_path / "second", base=base)
    assert check_directory(tmp_path / "second", base=base)
    decompress_directory(tmp_path / "second", tmp_path / "out", base=base)
    assert read_tree(tmp_path / "out") == read_tree(steps[1])


def test_a_moved_directory_needs_nothing(steps: list[Path], archives: Path, tmp_path: Path) -> None:
    moved = archives.rename(tmp_path / "elsewhere")
    expected = read_tree(steps[0])
    for step in steps:
        shutil.rmtree(step)
    assert len(check_directory(moved)) == 4
    decompress_directory(moved, tmp_path / "out")
    assert read_tree(tmp_path / "out") == expected


def test_what_was_restored_is_read_and_not_decoded_again(
    steps: list[Path], archives: Path, tmp_path: Path
) -> None:
    def remove_archive(report: DecompressReport) -> None:
        report.archive.unlink()

    reports = decompress_directory(archives, tmp_path / "out", on_report=remove_archive)
    assert [report.archive.name for report in reports] == [
        "config.json.wzst",
        "optimizer.safetensors.wzst",
        "copy.safetensors.wzst",
        "model.safetensors.wzst",
    ]
    assert read_tree(tmp_path / "out") == read_tree(steps[0])


def test_verifying_reads_the_originals(steps: list[Path], archives: Path) -> None:
    verify_directory(steps[0], archives, on_report=lambda report: report.archive.unlink())
    assert not list(archives.rglob("*.wzst"))


def test_a_changed_original_is_the_one_that_is_named(steps: list[Path], archives: Path) -> None:
    optimizer = steps[0] / "state" / "optimizer.safetensors"
    data = bytearray(optimizer.read_bytes())
    data[-1] ^= 1
    optimizer.write_bytes(data)
    with pytest.raises(ContentDiffers, match=r"optimizer\.safetensors: bytes"):
        verify_directory(steps[0], archives)


def test_a_damaged_archive_is_named_and_leaves_the_others_whole(archives: Path, tmp_path: Path) -> None:
    damaged = archives / "state" / "optimizer.safetensors.wzst"
    damaged.write_bytes(damaged.read_bytes()[:-10])
    for call in (decompress_directory, check_directory):
        arguments = [archives] if call is check_directory else [archives, tmp_path / "out"]
        with pytest.raises(CorruptData, match="3 files failed, the others are good") as caught:
            call(*arguments)
        named = [
            "state/optimizer.safetensors.wzst: ",
            "/copy.safetensors.wzst: ",
            "/model.safetensors.wzst: ",
        ]
        assert [name in line for line, name in zip(str(caught.value).splitlines()[1:], named, strict=True)]
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["config.json"]
    assert not list_temporaries(tmp_path)


def test_what_is_missing_is_named_and_may_be_given(steps: list[Path], archives: Path, tmp_path: Path) -> None:
    (archives / "state" / "optimizer.safetensors.wzst").unlink()
    told = r"optimizer\.safetensors\.wzst: is missing(.*\n)+.*copy\.safetensors\.wzst: .* digest [0-9a-f]{64}"
    with pytest.raises(CorruptData, match=told):
        decompress_directory(archives, tmp_path / "out")
    beside = [steps[0] / "state" / "optimizer.safetensors"]
    with pytest.raises(CorruptData, match=r"^[^\n]*optimizer\.safetensors\.wzst: is missing[^\n]*$"):
        decompress_directory(archives, tmp_path / "out", beside=beside)
    model = Path("model.safetensors")
    assert (tmp_path / "out" / model).read_bytes() == (steps[0] / model).read_bytes()


def _build_pair() -> tuple[bytes, bytes]:
    """Return a file of weights, and a larger one that holds them too, with a copy in bf16."""
    weights = np.random.default_rng(3).standard_normal((90, 100)).astype("<f4").tobytes()
    master = Tensor("master", "F32", (90, 100), weights)
    copy = Tensor("model", "BF16", (90, 100), bytes(derive(weights, Derivation.BF16_NEAREST_EVEN)))
    return build_safetensors([master]), build_safetensors([master, copy])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 0, "b": 1}, {"a": 1, "b": 0}),
        ({"a": 0, "b": 1, "c": 0}, {"a": 0, "b": 0, "c": 1}),
        ({"a": 1, "b": 1, "c": 0}, {"a": 1, "b": 0, "c": 1}),
    ],
)
def test_files_that_changed_places_come_back(
    tmp_path: Path, before: dict[str, int], after: dict[str, int]
) -> None:
    """Archives restore what others lean on, in a circle: only the predecessors lead out of it."""
    contents = _build_pair()
    for folder, files in (("before", before), ("after", after)):
        (tmp_path / folder).mkdir()
        for name, number in files.items():
            (tmp_path / folder / name).write_bytes(contents[number])
    base, archives = tmp_path / "before", tmp_path / "archives"
    compress_directory(tmp_path / "after", archives, base=base)
    with pytest.raises(MissingPredecessor):
        check_directory(archives)
    verify_directory(tmp_path / "after", archives, base=base)
    check_directory(archives, base=base)
    decompress_directory(archives, tmp_path / "out", base=base)
    assert read_tree(tmp_path / "out") == read_tree(tmp_path / "after")


def test_a_file_that_others_lean_on_must_not_change(steps: list[Path], tmp_path: Path) -> None:
    optimizer = steps[0] / "state" / "optimizer.safetensors"
    with pytest.raises(SourceChanged, match=r"optimizer\.safetensors"):
        compress_directory(
            steps[0], tmp_path / "archives", on_report=lambda report: os.utime(optimizer, (1, 1))
        )
    assert len(list((tmp_path / "archives").rglob("*.wzst"))) == 1
    assert not list_temporaries(tmp_path)


def test_an_interruption_leaves_whole_archives(steps: list[Path], tmp_path: Path) -> None:
    def interrupt(report: object) -> None:
        raise KeyboardInterrupt

    opened_before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(KeyboardInterrupt):
        compress_directory(steps[0], tmp_path / "archives", on_report=interrupt)
    with pytest.warns(UserWarning, match=r"has no weightzip-manifest\.json"):
        assert len(check_directory(tmp_path / "archives")) == 1
    assert not list_temporaries(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == opened_before


def test_a_directory_does_not_replace_its_own_predecessors(
    steps: list[Path], archives: Path, tmp_path: Path
) -> None:
    expected = read_tree(archives)
    with pytest.raises(UsageError, match=r"holds .*archives, which is read"):
        compress_directory(steps[1], archives, base=archives, force=True)
    assert read_tree(archives) == expected
