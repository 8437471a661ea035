"""Files without tensors that occur twice in a checkpoint are stored once."""

from pathlib import Path

import numpy as np

from weightzip.files import compress_directory, decompress_directory, verify_directory


def test_a_copy_costs_next_to_nothing(tmp_path: Path) -> None:
    source, base = tmp_path / "source", tmp_path / "base"
    data = np.random.default_rng(1).bytes(50_000)
    for folder in (source, base):
        folder.mkdir()
    for name in ("last", "step-1", "step-2"):
        (source / name).write_bytes(data)
    (source / "other").write_bytes(data[::-1])
    (source / "small").write_bytes(b"small")
    (source / "small-too").write_bytes(b"small")
    (base / "step-2").write_bytes(data[::-1])
    reports = {report.source.name: report for report in compress_directory(source, tmp_path / "a", base=base)}
    assert [reports[name].stored_bytes > 40_000 for name in ("last", "step-1", "step-2", "other")] == [
        True,
        False,
        False,
        True,
    ]
    assert reports["step-1"].beside_digests == (reports["last"].file_digest,)
    assert reports["step-1"].base_digest is reports["step-2"].base_digest is None
    assert reports["small-too"].beside_digests == ()
    verify_directory(source, tmp_path / "a")
    decompress_directory(tmp_path / "a", tmp_path / "out")
    assert (tmp_path / "out" / "step-2").read_bytes() == data
