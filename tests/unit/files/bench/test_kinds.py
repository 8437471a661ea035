"""Which kind of tensor is which, and how an archive's bytes are told apart by kind."""

from pathlib import Path

import pytest

from shards.build import Tensor, build_safetensors
from weightzip.codec.format.dtypes import DType
from weightzip.files import compress_file, open_archive
from weightzip.files.bench.kinds import ARCHIVE, GLUE, WHOLE_FILE, choose_kind, split_index, sum_kinds
from weightzip.files.bench.report import Kind


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("model.layers.0.self_attn.q_proj.weight", "weights"),
        ("exp_avg.emb.weight", "exp_avg"),
        ("state.12.exp_avg_sq", "exp_avg_sq"),
        ("optimizer/exp_avg_sqs/3", "exp_avg_sq"),
        ("max_exp_avg_sq.head", "exp_avg_sq"),
        ("EXP_AVG", "exp_avg"),
        ("fp32_param.exp_avg.head", "exp_avg"),
        ("fp32_param.head.weight", "master weights"),
        ("optimizer.main_params.0", "master weights"),
        ("state.3.momentum_buffer", "momentum"),
        ("ema.layer.weight", "EMA"),
        ("model_ema.layer.weight", "EMA"),
        ("layer.weight.grad", "gradients"),
        ("schema.weight", "weights"),
        ("gradient_free.weight", "gradients"),
        ("graduate.weight", "weights"),
        ("remaster.weight", "weights"),
        ("", "weights"),
    ],
)
def test_a_name_tells_the_role(name: str, role: str) -> None:
    assert choose_kind(name, DType.F32) == Kind(role, "F32")


@pytest.mark.parametrize(
    ("dtype", "role"),
    [
        (DType.BF16, "exp_avg"),
        (DType.F8_E4M3, "exp_avg"),
        (DType.C64, "exp_avg"),
        (DType.I64, "integers"),
        (DType.BOOL, "integers"),
        (DType.U8, "integers"),
        (DType.OPAQUE, "opaque"),
    ],
)
def test_only_floating_point_has_a_role_in_training(dtype: DType, role: str) -> None:
    assert choose_kind("exp_avg", dtype) == Kind(role, dtype.name)


def test_the_kinds_of_an_archive_sum_up_to_it(tmp_path: Path) -> None:
    """Many small tensors of two roles share frames: their bytes are split, and none is lost or counted twice."""
    source, target = tmp_path / "source", tmp_path / "target"
    tensors = [
        Tensor(f"{role}.{number}", "F32", (7,), bytes(range(number, number + 28)))
        for number in range(60)
        for role in ("weight", "exp_avg")
    ]
    source.write_bytes(build_safetensors(tensors, hole_bytes=3))
    written = compress_file(source, target)
    with open_archive(target) as archive:
        parts = split_index(archive.index)
        frames_bytes = int(archive.index.frames.frame_bytes.sum())
    kinds = {result.kind: result for result in sum_kinds(parts, written.stored_bytes)}
    assert set(kinds) == {Kind("weights", "F32"), Kind("exp_avg", "F32"), GLUE, ARCHIVE}
    assert kinds[Kind("weights", "F32")].n_tensors == kinds[Kind("exp_avg", "F32")].n_tensors == 60
    assert kinds[Kind("weights", "F32")].raw_bytes == 60 * 28
    assert sum(result.raw_bytes for result in kinds.values()) == written.raw_bytes
    assert sum(result.stored_bytes for result in kinds.values()) == written.stored_bytes
    assert kinds[ARCHIVE].stored_bytes == written.stored_bytes - frames_bytes > 0


def test_tensors_of_a_frame_share_it_by_size(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    sizes = (1000, 3000)
    tensors = [Tensor(f"t{n}", "F32", (n,), bytes(range(250)) * (n * 4 // 250)) for n in sizes]
    source.write_bytes(build_safetensors(tensors))
    compress_file(source, target)
    with open_archive(target) as archive:
        small, large = (part for part in split_index(archive.index) if part.name is not None)
        assert len(archive.index.frames) == 2
        assert small.stored_bytes + large.stored_bytes == archive.index.frames.frame_bytes[1]
    assert abs(large.stored_bytes - 3 * small.stored_bytes) <= 3


@pytest.mark.parametrize("content", [b"", b"{}", bytes(100_000)])
def test_a_file_without_tensors_is_one_kind(tmp_path: Path, content: bytes) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(content)
    written = compress_file(source, target)
    with open_archive(target) as archive:
        results = sum_kinds(split_index(archive.index), written.stored_bytes)
    assert [result.kind for result in results] == ([WHOLE_FILE] if content else []) + [ARCHIVE]
    assert sum(result.raw_bytes for result in results) == len(content)
    assert sum(result.stored_bytes for result in results) == written.stored_bytes
