"""DeepSpeed's checkpoints as wholes: the model in bf16 follows from the partitions of its fp32 masters."""

from pathlib import Path

import pytest

from weightzip.files import compress_directory, decompress_directory
from writers import deepspeed_folders


@pytest.mark.parametrize("with_base", [False, True], ids=["alone", "with base"])
def test_the_model_in_bf16_costs_next_to_nothing(tmp_path: Path, with_base: bool) -> None:
    deepspeed_folders.write(tmp_path, (10, 20), 64)
    first, second = (tmp_path / "deepspeed-zero2" / f"global_step{step}" for step in (10, 20))
    archives, restored = tmp_path / "archives", tmp_path / "restored"
    base = first if with_base else None
    reports = {report.source.name: report for report in compress_directory(second, archives, base=base)}
    model = reports["mp_rank_00_model_states.pt"]
    partitions = [report for report in reports.values() if report is not model]
    assert set(model.beside_digests) == {report.file_digest for report in partitions}
    assert model.stored_bytes < 0.05 * model.raw_bytes
    decompress_directory(archives, restored, base=base)
    for path in second.iterdir():
        assert (restored / path.name).read_bytes() == path.read_bytes()
