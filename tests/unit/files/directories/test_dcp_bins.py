"""DCP sorts tensors into as many files as it has threads, by size: they find their predecessors in other files."""

from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.state_dict_saver import save

from weightzip.files import compress_directory, decompress_directory

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def _make_state(step: int) -> dict[str, torch.Tensor]:
    base, drift = torch.Generator().manual_seed(0), torch.Generator().manual_seed(step)
    state = {}
    for number in range(8):
        shape = (100 + 20 * number, 100)
        weights = torch.randn(shape, generator=base) * 0.02
        state[f"model.{number}.weight"] = weights + torch.randn(shape, generator=drift) * 1e-5
        second = torch.rand(shape, generator=base) ** 4 * 1e-6
        state[f"optim.state.{number}.weight.exp_avg_sq"] = second * (
            1 + 0.05 * torch.rand(shape, generator=drift)
        )
        first = torch.randn(shape, generator=drift) * second.sqrt()
        state[f"optim.state.{number}.weight.exp_avg"] = first
    return state


def _save(folder: Path, step: int, n_threads: int) -> Path:
    writer = FileSystemWriter(folder, thread_count=n_threads)
    save(_make_state(step), storage_writer=writer, no_dist=True)
    return folder


def _compress(source: Path, base: Path | None) -> float:
    reports = compress_directory(source, source.with_suffix(".archives"), base=base)
    return sum(one.stored_bytes for one in reports) / sum(one.raw_bytes for one in reports)


def test_another_number_of_files_costs_next_to_nothing(tmp_path: Path) -> None:
    first = _save(tmp_path / "first", 1, 2)
    same = _compress(_save(tmp_path / "same", 2, 2), first)
    for n_threads in (1, 3):
        source = _save(tmp_path / f"with-{n_threads}", 2, n_threads)
        assert _compress(source, first) < 1.01 * same
        restored = tmp_path / f"restored-{n_threads}"
        decompress_directory(source.with_suffix(".archives"), restored, base=first)
        for path in source.iterdir():
            assert (restored / path.name).read_bytes() == path.read_bytes()
    assert same < 0.9 * _compress(_save(tmp_path / "alone", 2, 2), None)
