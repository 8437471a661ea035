"""What torch calls element types, in rebuild calls and as the names of typed storages, and what we make of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from weightzip.codec.format.dtypes import DType


@dataclass(frozen=True, slots=True)
class TorchDType:
    """Torch's element: `item_bytes`, seen by us as `n_parts` elements of `dtype` (2 for complex numbers and pairs)."""

    dtype: DType
    item_bytes: int
    n_parts: int = 1


def _single(dtype: DType) -> TorchDType:
    return TorchDType(dtype, dtype.bits // 8)


_BY_NAME: Mapping[str, TorchDType] = {
    "float64": _single(DType.F64),
    "float32": _single(DType.F32),
    "float16": _single(DType.F16),
    "bfloat16": _single(DType.BF16),
    "float8_e4m3fn": _single(DType.F8_E4M3),
    "float8_e5m2": _single(DType.F8_E5M2),
    "float8_e4m3fnuz": _single(DType.F8_E4M3FNUZ),
    "float8_e5m2fnuz": _single(DType.F8_E5M2FNUZ),
    "float8_e8m0fnu": _single(DType.F8_E8M0),
    "float4_e2m1fn_x2": TorchDType(DType.F4, 1, 2),
    "complex32": TorchDType(DType.F16, 4, 2),
    "bcomplex32": TorchDType(DType.BF16, 4, 2),
    "complex64": _single(DType.C64),
    "complex128": TorchDType(DType.F64, 16, 2),
    "int8": _single(DType.I8),
    "int16": _single(DType.I16),
    "int32": _single(DType.I32),
    "int64": _single(DType.I64),
    "uint8": _single(DType.U8),
    "uint16": _single(DType.U16),
    "uint32": _single(DType.U32),
    "uint64": _single(DType.U64),
    "bool": _single(DType.BOOL),
    "qint8": _single(DType.I8),
    "quint8": _single(DType.U8),
    "qint32": _single(DType.I32),
    "bits8": _single(DType.U8),
    "bits16": _single(DType.U16),
}
_STORAGES: Mapping[str, str] = {
    "DoubleStorage": "float64",
    "FloatStorage": "float32",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "int64",
    "IntStorage": "int32",
    "ShortStorage": "int16",
    "CharStorage": "int8",
    "ByteStorage": "uint8",
    "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
    "QInt8Storage": "qint8",
    "QUInt8Storage": "quint8",
    "QInt32Storage": "qint32",
    "UntypedStorage": "uint8",
}


def find_torch_dtype(name: str) -> TorchDType | None:
    """Return what a dtype or a typed storage of that name holds, None for what has no whole bytes or is unknown."""
    return _BY_NAME.get(_STORAGES.get(name, name))
