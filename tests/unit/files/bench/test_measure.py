"""Measuring files: what is reported is true, and what changes meanwhile ends it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from shards.build import write_step
from shards.related import write_related
from weightzip.errors import SourceChanged, UsageError
from weightzip.files import compress_file
from weightzip.files.bench import BenchInput, list_inputs, measure_inputs
from weightzip.files.reports import Progress


def _show_nothing(label: str) -> AbstractContextManager[None]:
    return nullcontext()


def test_the_sizes_are_those_of_compressing(tmp_path: Path) -> None:
    old, new = write_step(tmp_path, 1), write_step(tmp_path, 2)
    written = compress_file(new, tmp_path / "archive", base=old)
    report = measure_inputs([BenchInput(new, old, tmp_path)], n_threads=2, show_progress=_show_nothing)
    (file,) = report.files
    assert (file.raw_bytes, file.stored_bytes) == (written.raw_bytes, written.stored_bytes)
    assert (file.file_digest, file.leans) == (written.file_digest, True)
    assert file.encode.raw_bytes == file.decode.raw_bytes == written.raw_bytes
    assert min(file.encode.seconds, file.decode.seconds) > 0
    assert report.n_threads == 2
    weight = next(tensor for tensor in file.largest if tensor.name == "model.weight")
    assert (weight.shape, weight.raw_bytes) == ((2000, 10), 80_000)


def test_an_archive_is_a_predecessor_too(tmp_path: Path) -> None:
    old, new = write_step(tmp_path, 1), write_step(tmp_path, 2)
    compress_file(old, tmp_path / "old.wzst")
    raw, packed = (
        measure_inputs([BenchInput(new, base, tmp_path)], show_progress=_show_nothing)
        for base in (old, tmp_path / "old.wzst")
    )
    assert raw.stored_bytes == packed.stored_bytes


def test_files_of_a_checkpoint_lean_on_the_largest(tmp_path: Path) -> None:
    model, optimizer = write_related(tmp_path, 1)
    inputs = [BenchInput(path, None, tmp_path) for path in (model, optimizer)]
    copy, state = measure_inputs(inputs, show_progress=_show_nothing).files
    assert (copy.source, state.source) == (model, optimizer)
    assert (copy.beside, state.beside) == ((optimizer,), ())
    (weights,) = (result for result in copy.kinds if result.kind.role == "weights")
    assert weights.raw_bytes > 50_000
    assert weights.stored_bytes < 1000
    written = compress_file(model, tmp_path / "archive", beside=[optimizer])
    assert (copy.stored_bytes, copy.file_digest) == (written.stored_bytes, written.file_digest)


def test_files_of_other_checkpoints_do_not_lean_on_each_other(tmp_path: Path) -> None:
    model, optimizer = write_related(tmp_path, 1)
    inputs = [BenchInput(model, None, tmp_path / "a"), BenchInput(optimizer, None, tmp_path / "b")]
    report = measure_inputs(inputs, show_progress=_show_nothing)
    assert [file.beside for file in report.files] == [(), ()]
    assert report.files[0].stored_bytes == compress_file(model, tmp_path / "archive").stored_bytes


def test_a_file_under_two_names_costs_next_to_nothing_once(tmp_path: Path) -> None:
    path = write_step(tmp_path, 1)
    (tmp_path / "link").hardlink_to(path)
    report = measure_inputs(list_inputs([tmp_path], None), show_progress=_show_nothing)
    assert sorted(len(file.beside) for file in report.files) == [0, 1]
    assert report.stored_bytes < 1.1 * max(file.stored_bytes for file in report.files)


def test_the_progress_of_a_file_ends_with_all_of_it(tmp_path: Path) -> None:
    seen: dict[str, list[float]] = {}

    @contextmanager
    def show(label: str) -> Iterator[Progress]:
        shares = seen.setdefault(label, [])
        yield lambda done_bytes, total_bytes: shares.append(done_bytes / total_bytes)

    path = write_step(tmp_path, 1, n_elements=2_000_000)
    measure_inputs([BenchInput(path, None, tmp_path)], show_progress=show)
    (shares,) = seen.values()
    assert shares[0] > 0
    assert shares[-1] == max(shares) == 1


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_file_that_changes_meanwhile_ends_it(tmp_path: Path, share: float) -> None:
    path = write_step(tmp_path, 1)

    @contextmanager
    def spoil(label: str) -> Iterator[Progress]:
        def write(done_bytes: int, total_bytes: int) -> None:
            if done_bytes > share * total_bytes:
                path.write_bytes(bytes(100))

        yield write

    with pytest.raises(SourceChanged):
        measure_inputs([BenchInput(path, None, tmp_path)], show_progress=spoil)


def test_the_bar_goes_forward_and_counts_each_byte_once(tmp_path: Path) -> None:
    shard = write_step(tmp_path, 1)  # small: it is encoded and decoded several times
    seen: list[tuple[int, int]] = []

    @contextmanager
    def show(label: str) -> Iterator[Progress]:
        yield lambda done_bytes, total_bytes: seen.append((done_bytes, total_bytes))

    measure_inputs([BenchInput(shard, None, tmp_path)], show_progress=show)
    assert seen == sorted(seen)
    assert seen[-1] == (shard.stat().st_size, shard.stat().st_size)


def test_a_file_is_not_beside_itself(tmp_path: Path) -> None:
    shard = write_step(tmp_path, 1)
    with pytest.raises(UsageError, match="are the same file"):
        measure_inputs([BenchInput(shard, None, tmp_path)], beside=[shard], show_progress=_show_nothing)
