"""Names that trainers write: which tensors belong to one parameter, and as what."""

import pytest

from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange
from weightzip.codec.joining.companions import (
    find_second_moment,
    index_by_parameter,
    is_average,
    is_second_moment,
    may_be_master,
    strip_average,
    strip_wrappers,
)


def _tensor(name: str, dtype: DType = DType.F32, shape: tuple[int, ...] = (4, 2)) -> TensorRange:
    return TensorRange(name, dtype, shape, 0, 8 * dtype.element_bytes)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("exp_avg.layers.0.weight", "exp_avg_sq.layers.0.weight"),
        ("state.12.exp_avg", "state.12.exp_avg_sq"),
        ("optimizer/w/exp_avg", "optimizer/w/exp_avg_sq"),
        ("weight_exp_avg", "weight_exp_avg_sq"),
        ("exp_avg_weight", "exp_avg_sq_weight"),
        ("exp_avgs.0", "exp_avg_sqs.0"),
        ("opt.m.w", "opt.v.w"),
        ("w.m", "w.v"),
        ("opt_state.0.mu.dense.kernel", "opt_state.0.nu.dense.kernel"),
        ("m.w.m", "m.w.v"),
        ("optim.state.layers.0.weight.exp_avg[0,0]", "optim.state.layers.0.weight.exp_avg_sq[0,0]"),
        ("optimizer.state.exp_avg.decoder.weight", "optimizer.state.exp_avg_sq.decoder.weight"),
        (
            "optimizer.distributed.dp_group_idx_0.gbuf_idx_0.dtype_(torch.bfloat16).bucket_idx_0.exp_avg",
            "optimizer.distributed.dp_group_idx_0.gbuf_idx_0.dtype_(torch.bfloat16).bucket_idx_0.exp_avg_sq",
        ),
        ("state.3.exp_avg.scale", "state.3.exp_avg_sq.scale"),
        ("state.3.state1", "state.3.state2"),
        ("state.3.absmax1", "state.3.absmax2"),
    ],
)
def test_first_moments_find_second_ones(first: str, second: str) -> None:
    tensors = {name: _tensor(name) for name in (first, second)}
    assert find_second_moment(tensors[first], tensors) == tensors[second]
    assert find_second_moment(tensors[second], tensors) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("max_exp_avgx", "max_exp_avg_sqx"),
        ("norm.weight", "norv.weight"),
        ("mlp", "vlp"),
        ("exp_avg", "v"),
        ("layers.qm.w", "layers.qv.w"),
    ],
)
def test_other_names_are_left_alone(first: str, second: str) -> None:
    tensors = {name: _tensor(name) for name in (first, second)}
    assert find_second_moment(tensors[first], tensors) is None


@pytest.mark.parametrize(
    "second", [_tensor("exp_avg_sq", DType.BF16), _tensor("exp_avg_sq", shape=(2, 4))], ids=["dtype", "shape"]
)
def test_moments_have_one_form(second: TensorRange) -> None:
    assert find_second_moment(_tensor("exp_avg"), {"exp_avg_sq": second}) is None


def test_integers_are_no_moments() -> None:
    tensors = {name: _tensor(name, DType.U8) for name in ("exp_avg", "exp_avg_sq")}
    assert find_second_moment(tensors["exp_avg"], tensors) is None
    assert not is_second_moment(tensors["exp_avg_sq"])


def test_some_names_alone_tell_second_moments() -> None:
    assert is_second_moment(_tensor("exp_avg_sq.w"))
    assert not is_second_moment(_tensor("exp_avg.w"))
    assert not is_second_moment(_tensor("attention.v"))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("fp32_param.b.0.weight", "b.0.weight"),
        ("optimizer.master_weights.module.model.b.0.weight", "b.0.weight"),
        ("b.0.weight", "b.0.weight"),
        ("model", "model"),
        ("models.weight", "models.weight"),
        ("exp_avg.b", "exp_avg.b"),
        ("optimizer.state.fp32_param.decoder.weight[0,0]", "decoder.weight[0,0]"),
        ("optim.state.b.0.weight.master_param", "b.0.weight"),
        ("fp32.module.b.0.weight", "b.0.weight"),
        ("state_dict.model.b.0.weight", "b.0.weight"),
    ],
)
def test_prefixes_of_wrappers_do_not_count(name: str, parameter: str) -> None:
    assert strip_wrappers(name) == parameter
    assert index_by_parameter([_tensor(name)]) == {parameter: [_tensor(name)]}


@pytest.mark.parametrize(
    "name", ["ema.w", "ema_model.module.w", "state_dict.model_ema.w", "state_dict_ema.w"]
)
def test_averages_are_told_by_their_names(name: str) -> None:
    assert is_average(_tensor(name))
    assert strip_average(name) == "w"


def test_other_names_tell_no_averages() -> None:
    assert not any(map(is_average, [_tensor("w.ema"), _tensor("schema.w"), _tensor("ema.w", DType.I32)]))


def test_masters_are_fp32_of_as_many_elements() -> None:
    assert may_be_master(_tensor("w", DType.BF16), _tensor("w"))
    assert may_be_master(_tensor("w", DType.U16), _tensor("w"))
    assert not may_be_master(_tensor("w", DType.BF16), _tensor("w", DType.F16))
    assert may_be_master(_tensor("w", DType.BF16), _tensor("w", shape=(8,)))
    assert not may_be_master(_tensor("w", DType.BF16), TensorRange("w", DType.F32, (9,), 0, 36))
    assert not may_be_master(_tensor("w"), _tensor("w"))
