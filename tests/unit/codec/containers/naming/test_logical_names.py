"""Names of parameters for the tensors of optimizers: told by groups, by DeepSpeed's mappings, or by a file beside."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from weightzip.codec.containers import DirectorySurroundings, read_layout
from weightzip.codec.containers.naming.flat_partitions import cut_flat_partitions
from weightzip.codec.containers.naming.optimizer_states import name_optimizer_states
from weightzip.codec.containers.naming.zero_files import ZeroFiles
from weightzip.codec.containers.naming.zero_three import cut_zero_three
from weightzip.codec.containers.pickles import ParamGroupEntry, ParamShape, PickleFacts, SliceMapping
from weightzip.codec.containers.surroundings import NoSurroundings
from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.source import ByteSource, FileSource
from writers import deepspeed_folders
from writers.stand_ins import standing_in

OPTIMIZER = "bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"


def _flat(name: str, n_elements: int, offset: int = 0, dtype: DType = DType.F32) -> TensorRange:
    return TensorRange(name, dtype, (n_elements,), offset, n_elements * dtype.element_bytes)


def _describe(tensors: Sequence[TensorRange]) -> list[tuple[str, tuple[int, ...], int]]:
    return [(tensor.name, tensor.shape, tensor.offset) for tensor in tensors]


def _read(path: Path) -> dict[str, TensorRange]:
    with FileSource(path) as source:
        layout = read_layout(source, DirectorySurroundings(path))
    return {tensor.name: tensor for tensor in layout.tensors}


def _load(path: Path) -> Any:
    with standing_in():
        return torch.load(path, weights_only=False)


class _Files(ZeroFiles):
    """The files of one rank, with shapes as given instead of a file beside."""

    def __init__(self, shapes: Sequence[ParamShape], rank: int | None = None) -> None:
        super().__init__(NoSurroundings(), _refuse)
        self._shapes, self._rank = shapes, rank

    @property
    def rank(self) -> int | None:
        return self._rank

    def read_shapes(self, *, of_rank: bool) -> Sequence[ParamShape]:
        return self._shapes


def _refuse(source: ByteSource) -> PickleFacts | None:
    raise AssertionError("nothing is read")


def test_numbers_of_parameters_become_their_names() -> None:
    entries = [
        ParamGroupEntry("opt", 0, 1, "layer.weight"),
        ParamGroupEntry("opt", 0, 10, "head"),
        ParamGroupEntry("opt", 1, 2, None),
        ParamGroupEntry("", 0, 1, "other"),
    ]
    names = [
        "opt.state.1.exp_avg",
        "opt.state.10.exp_avg",
        "opt.state.2.exp_avg",
        "state.1.x.codes",
        "state.1",
    ]
    named = name_optimizer_states([_flat(name, 1) for name in names], entries)
    assert [tensor.name for tensor in named] == [
        "opt.state.layer.weight.exp_avg",
        "opt.state.head.exp_avg",
        "opt.state.2.exp_avg",
        "state.other.x.codes",
        "state.1",
    ]


def test_flat_partitions_are_cut_by_their_mappings() -> None:
    facts = PickleFacts(
        slice_mappings=(
            SliceMapping("o", 0, "a", 0, 4),
            SliceMapping("o", 0, "b", 4, 6),
            SliceMapping("o", 0, "c", 10, 8),
            SliceMapping("o", 1, "d", 0, 3),
        )
    )
    shapes = [ParamShape("", 0, "a", (5, 4)), ParamShape("", 0, "b", (3, 2)), ParamShape("", 0, "c", (9, 2))]
    master = _flat("o.single_partition_of_fp32_groups.0", 20, 1000)
    moment = _flat("o.base_optimizer_state.state.1.exp_avg", 3, 2000)
    lean = _flat("o.base_optimizer_state.0.exp_avg_sq", 18, 3000, DType.BF16)
    others = [
        _flat("p.single_partition_of_fp32_groups.0", 20, 4000),
        TensorRange("o.base_optimizer_state.state.0.step", DType.F32, (), 5000, 4),
    ]
    cut = cut_flat_partitions([master, moment, lean, *others], facts, _Files(shapes))
    assert _describe(cut) == [
        ("fp32.a[16]", (1, 4), 1000),
        ("fp32.b", (3, 2), 1016),
        ("fp32.c[0]", (4, 2), 1040),
        ("exp_avg.d", (3,), 2000),
        ("exp_avg_sq.a[16]", (1, 4), 3000),
        ("exp_avg_sq.b", (3, 2), 3008),
        ("exp_avg_sq.c[0]", (4, 2), 3020),
        *_describe(others),
    ]


def test_what_fills_a_partition_has_no_known_place() -> None:
    facts = PickleFacts(slice_mappings=(SliceMapping("o", 0, "a", 0, 4),))
    cut = cut_flat_partitions(
        [_flat("o.single_partition_of_fp32_groups.0", 4)], facts, _Files([ParamShape("", 0, "a", (50,))])
    )
    assert _describe(cut) == [("fp32.a", (4,), 0)]


def test_shapes_that_are_too_small_count_for_nothing() -> None:
    facts = PickleFacts(slice_mappings=(SliceMapping("o", 0, "a", 0, 4), SliceMapping("o", 0, "b", 4, 4)))
    shapes = [ParamShape("", 0, "a", (3,)), ParamShape("", 0, "b", (3,))]
    cut = cut_flat_partitions([_flat("o.single_partition_of_fp32_groups.0", 8)], facts, _Files(shapes))
    assert _describe(cut) == [("fp32.a", (4,), 0), ("fp32.b", (4,), 16)]


def test_mappings_that_do_not_fit_cut_nothing() -> None:
    facts = PickleFacts(
        slice_mappings=(SliceMapping("o", 0, "a", 17, 4), SliceMapping("o", 0, "b", 1 << 62, 1 << 62))
    )
    flat = _flat("o.single_partition_of_fp32_groups.0", 20)
    assert cut_flat_partitions([flat], facts, _Files([])) == (flat,)


def test_more_fragments_than_files_have_tensors_are_not_cut() -> None:
    facts = PickleFacts(slice_mappings=tuple(SliceMapping("o", 0, f"{n}", n, 1) for n in range(1 << 10)))
    flats = [_flat(f"o.base_optimizer_state.0.slot{n}", 1 << 10, n << 12) for n in range(1 << 9)]
    assert cut_flat_partitions(flats, facts, _Files([])) == tuple(flats)


def test_fragments_that_fit_nowhere_count_as_well() -> None:
    # Each of many tensors against each of many fragments takes hours, whether any claim comes of it or not.
    mappings = [SliceMapping("", 0, "w", 0, 4), *(SliceMapping("", 0, "v", 1 << 40, 4) for _ in range(1023))]
    flats = [_flat(f"base_optimizer_state.0.slot{n}", 4, n << 4) for n in range(1 << 9)]
    facts = PickleFacts(slice_mappings=tuple(mappings))
    assert cut_flat_partitions(flats, facts, _Files([])) == tuple(flats)
    cut = cut_flat_partitions(flats[:256], facts, _Files([]))
    assert [tensor.name for tensor in cut] == [f"slot{n}.w" for n in range(256)]


def test_slots_of_zero_three_that_make_more_tensors_than_files_have_are_not_cut() -> None:
    # Parameters without elements cost nothing to claim, and tensors that share a storage neither.
    shapes = [*(ParamShape("", 0, f"w{n}", (0,)) for n in range(1023)), ParamShape("", 0, "v", (1,))]
    facts = PickleFacts(numbers={"optimizer_state_dict.partition_count": (1,)})
    state = "optimizer_state_dict.optimizer_state_dict.state"
    flats = [_flat("optimizer_state_dict.fp32_flat_groups.0", 1)]
    flats += [_flat(f"{state}.0.slot{n}", 1) for n in range(256)]
    assert cut_zero_three(flats, facts, _Files(shapes, rank=0)) == tuple(flats)
    assert len(cut_zero_three(flats[:2], facts, _Files(shapes, rank=0))) == 2 * len(shapes)


def test_parts_of_zero_three_follow_one_another_across_groups() -> None:
    shapes = [ParamShape("", 0, "a", (4, 3)), ParamShape("", 0, "b", (5,)), ParamShape("", 1, "c", (2, 2))]
    facts = PickleFacts(numbers={"optimizer_state_dict.partition_count": (2,)})
    state = "optimizer_state_dict.optimizer_state_dict.state"
    tensors = [
        _flat("optimizer_state_dict.fp32_flat_groups.1", 4, 500),
        _flat("optimizer_state_dict.fp32_flat_groups.0", 7, 100),
        _flat(f"{state}.0.exp_avg", 11, 900),
        _flat(f"{state}.0.exp_avg_sq", 10, 1000),  # an element less than there should be
    ]
    cut = cut_zero_three(tensors, facts, _Files(shapes, rank=1))
    assert _describe(cut) == [
        ("fp32.b[4]", (2,), 500),
        ("fp32.c[2]", (1, 2), 508),
        ("fp32.a[6]", (2, 3), 100),
        ("fp32.b[3]", (1,), 124),
        ("exp_avg.a[6]", (2, 3), 900),
        ("exp_avg.b[3]", (3,), 924),
        ("exp_avg.c[2]", (1, 2), 936),
        (f"{state}.0.exp_avg_sq", (10,), 1000),
    ]
    assert cut_zero_three(tensors, facts, _Files(shapes)) == tuple(tensors)


def test_torch_optimizers_with_names(tmp_path: Path) -> None:
    model = torch.nn.Linear(8, 4)
    optimizer = torch.optim.AdamW(model.named_parameters())
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
    torch.save(optimizer.state_dict(), tmp_path / "optimizer.pt")
    assert {"state.weight.exp_avg", "state.weight.exp_avg_sq", "state.bias.exp_avg"} <= set(
        _read(tmp_path / "optimizer.pt")
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("deepspeed")
    deepspeed_folders.write(root, (10,), 16)
    return root


@pytest.mark.parametrize("stage", [2, 3])
def test_partitions_of_deepspeed_have_the_names_and_shapes_of_parameters(folder: Path, stage: int) -> None:
    checkpoint = folder / f"deepspeed-zero{stage}" / "global_step10"
    for rank in range(2):
        path = checkpoint / OPTIMIZER.format(rank=rank)
        path = path if path.exists() else path.with_name(path.name.removeprefix("bf16_"))
        tensors = _read(path)
        saved = _load(path)["optimizer_state_dict"]
        key = "single_partition_of_fp32_groups" if stage == 2 else "fp32_flat_groups"
        flat = saved[key][0].numpy()
        data = path.read_bytes()
        masters = [tensor for name, tensor in tensors.items() if name.startswith("fp32.")]
        joined = b"".join(data[tensor.offset : tensor.end] for tensor in masters)
        assert joined == flat.tobytes()
        assert any(len(tensor.shape) == 2 for tensor in masters)
        for slot in ("exp_avg", "exp_avg_sq"):
            twins = [tensors[tensor.name.replace("fp32", slot)] for tensor in masters]
            assert [twin.shape for twin in twins] == [tensor.shape for tensor in masters]


def test_without_the_file_beside_names_remain_and_shapes_are_flat(folder: Path, tmp_path: Path) -> None:
    name = OPTIMIZER.format(rank=0)
    alone = tmp_path / name
    alone.write_bytes((folder / "deepspeed-zero2" / "global_step10" / name).read_bytes())
    tensors = _read(alone)
    assert tensors["fp32.0.weight"].shape == (64 * 16,)
    (tmp_path / "mp_rank_00_model_states.pt").write_bytes(b"damaged")
    assert _read(alone) == tensors


def test_partitions_keep_their_values(folder: Path) -> None:
    path = folder / "deepspeed-zero2" / "global_step10" / OPTIMIZER.format(rank=0)
    tensor = _read(path)["fp32.0.weight"]
    values = np.frombuffer(path.read_bytes()[tensor.offset : tensor.end], "<f4")
    model = _load(path.with_name("mp_rank_00_model_states.pt"))
    assert torch.equal(torch.from_numpy(values.copy()).bfloat16().view(64, 16), model["module"]["0.weight"])
