"""What NumPy and its kin call element types, and what we call them."""

from collections.abc import Mapping

from weightzip.codec.format.dtypes import DType

DTYPES_BY_NAME: Mapping[str, DType] = {
    "float64": DType.F64,
    "float32": DType.F32,
    "float16": DType.F16,
    "bfloat16": DType.BF16,
    "float8_e8m0fnu": DType.F8_E8M0,
    "float8_e4m3fn": DType.F8_E4M3,
    "float8_e5m2": DType.F8_E5M2,
    "float8_e4m3fnuz": DType.F8_E4M3FNUZ,
    "float8_e5m2fnuz": DType.F8_E5M2FNUZ,
    "bool": DType.BOOL,
    "int8": DType.I8,
    "uint8": DType.U8,
    "int16": DType.I16,
    "uint16": DType.U16,
    "int32": DType.I32,
    "uint32": DType.U32,
    "int64": DType.I64,
    "uint64": DType.U64,
    "complex64": DType.C64,
}
