"""The ratios that the project promises on its reference run, file to file. 1000 steps apart, beta2 = .95, end of a cosine schedule."""

from pathlib import Path

import pytest

from weightzip import compress_file, decompress_file


@pytest.mark.parametrize(
    ("file", "promised"),
    [("model-fp32.safetensors", 0.728), ("model.safetensors", 0.45)],
    ids=["fp32 weights", "bf16 weights"],
)
def test_the_promised_ratio_holds(run_b: Path, tmp_path: Path, file: str, promised: float) -> None:
    original, base = run_b / "step-6000" / file, run_b / "step-5000" / file
    report = compress_file(original, tmp_path / "archive", base=base)
    decompress_file(tmp_path / "archive", tmp_path / "restored", base=base)
    assert (tmp_path / "restored").read_bytes() == original.read_bytes()
    assert report.stored_bytes / report.raw_bytes <= promised
