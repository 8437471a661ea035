"""Which tensors of a checkpoint tell something of each other, by their names as trainers write them. No bytes are read."""

import re
from collections.abc import Iterable, Iterator, Mapping

from weightzip.codec.format.dtypes import DType
from weightzip.codec.format.layout import TensorRange

# First and second moments. The short names count only where they are a whole component: `v` is also a projection.
_MOMENTS = {
    "exp_avg": (re.compile(r"(?<![A-Za-z0-9])exp_avg(?![A-Za-z0-9]|_sq)"), "exp_avg_sq"),
    "exp_avgs": (re.compile(r"(?<![A-Za-z0-9])exp_avgs(?![A-Za-z0-9])"), "exp_avg_sqs"),
    "m": (re.compile(r"(?<![^./])m(?![^./])"), "v"),
    "mu": (re.compile(r"(?<![^./])mu(?![^./])"), "nu"),
    # Of optimizers that hold moments in few bits: moments too small for that, and the scales of blocks.
    "state1": (re.compile(r"(?<![^./])state1(?![^./])"), "state2"),
    "absmax1": (re.compile(r"(?<![^./])absmax1(?![^./])"), "absmax2"),
}
_SECOND_MOMENT = re.compile(r"(?<![A-Za-z0-9])exp_avg_sqs?(?![A-Za-z0-9])")
_FLOATS = {DType.F64, DType.F32, DType.F16, DType.BF16}
# What trainers call the fp32 weights behind a parameter, before its name or after it.
_MASTERS = {
    "fp32",
    "fp32_param",
    "fp32_params",
    "fp32_weights",
    "main_param",
    "main_params",
    "main_weights",
    "master",
    "master_param",
    "master_params",
    "master_weight",
    "master_weights",
}
# What trainers and their wrappers put before the name of a parameter.
_PREFIXES = _MASTERS | {
    "_fsdp_wrapped_module",
    "_orig_mod",
    "app",
    "model",
    "model_state_dict",
    "module",
    "optim",
    "optimizer",
    "optimizer_state_dict",
    "param",
    "params",
    "state",
    "state_dict",
    "weights",
}

# What trainers put before the name of a parameter for a moving average of it.
_AVERAGES = {"ema", "ema_model", "ema_params", "ema_state_dict", "ema_weights", "model_ema", "state_dict_ema"}

Tensors = Mapping[str, TensorRange]


def find_second_moment(tensor: TensorRange, tensors: Tensors) -> TensorRange | None:
    """Return the second moment of the parameter that `tensor` is the first moment of, None if it is none."""
    if tensor.dtype not in _FLOATS:
        return None
    for name in _name_second_moments(tensor.name):
        found = tensors.get(name)
        if found is not None and have_same_form(tensor, found):
            return found
    return None


def is_second_moment(tensor: TensorRange) -> bool:
    """Return whether the name alone says that a tensor is a second moment; the short names do not."""
    return tensor.dtype in _FLOATS and _SECOND_MOMENT.search(tensor.name) is not None


def have_same_form(first: TensorRange, second: TensorRange) -> bool:
    """Return whether two tensors have the same dtype and shape (and size, which those of opaque dtype may differ in)."""
    return (first.dtype, first.shape, first.n_bytes) == (second.dtype, second.shape, second.n_bytes)


def index_by_parameter(tensors: Iterable[TensorRange]) -> Mapping[str, list[TensorRange]]:
    """Return the tensors by the name of the parameter that their own name tells, without what wrappers add."""
    by_parameter: dict[str, list[TensorRange]] = {}
    for tensor in tensors:
        by_parameter.setdefault(strip_wrappers(tensor.name), []).append(tensor)
    return by_parameter


def strip_wrappers(name: str) -> str:
    """Return a name without the components that trainers put before the name of a parameter, or after it."""
    rest, separator, suffix = name.rpartition(".")
    if separator and suffix in _MASTERS:
        name = rest
    while True:
        prefix, separator, rest = name.partition(".")
        if not separator or prefix not in _PREFIXES:
            return name
        name = rest


def is_average(tensor: TensorRange) -> bool:
    """Return whether the name says that a tensor is a moving average of weights."""
    return tensor.dtype in _FLOATS and any(part in _AVERAGES for part in tensor.name.split(".")[:-1])


def strip_average(name: str) -> str:
    """Return the name of the parameter that a tensor is the average of, without what wrappers add."""
    return strip_wrappers(".".join(part for part in name.split(".") if part not in _AVERAGES))


def may_be_master(tensor: TensorRange, other: TensorRange) -> bool:
    """Return whether `other` may hold in fp32 what `tensor` holds in 2 bytes an element. Either may be flat."""
    return tensor.dtype.bits == 16 and other.dtype == DType.F32 and other.n_bytes == 2 * tensor.n_bytes


def _name_second_moments(name: str) -> Iterator[str]:
    for first, (pattern, second) in _MOMENTS.items():
        if first not in name:  # nearly always, and sooner known than what a pattern finds
            continue
        for match in pattern.finditer(name):
            yield name[: match.start()] + second + name[match.end() :]
