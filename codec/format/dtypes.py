"""The element types of tensors: their codes in the index, names and sizes (docs/format.md, "Index frame body")."""

from enum import IntEnum


class DType(IntEnum):
    """An element type; the value is its code in the index, the name is the one safetensors uses."""

    OPAQUE = 0
    F64 = 1
    F32 = 2
    F16 = 3
    BF16 = 4
    F8_E8M0 = 5
    F8_E4M3 = 6
    F8_E5M2 = 7
    F8_E4M3FNUZ = 8
    F8_E5M2FNUZ = 9
    BOOL = 10
    I8 = 11
    U8 = 12
    I16 = 13
    U16 = 14
    I32 = 15
    U32 = 16
    I64 = 17
    U64 = 18
    C64 = 19
    F4 = 20
    F6_E2M3 = 21
    F6_E3M2 = 22

    @property
    def bits(self) -> int:
        """Return the size of one element in bits; 8 for opaque bytes."""
        return _BITS[self]

    @property
    def element_bytes(self) -> int:
        """Return the size of what the codec sees as one element: 1, 2, 4 or 8 bytes.

        A complex number is two elements; types below a byte are coded as whole bytes.
        """
        return _ELEMENT_BYTES[self]


_BITS: dict[DType, int] = {
    DType.OPAQUE: 8,
    DType.F64: 64,
    DType.F32: 32,
    DType.F16: 16,
    DType.BF16: 16,
    DType.F8_E8M0: 8,
    DType.F8_E4M3: 8,
    DType.F8_E5M2: 8,
    DType.F8_E4M3FNUZ: 8,
    DType.F8_E5M2FNUZ: 8,
    DType.BOOL: 8,
    DType.I8: 8,
    DType.U8: 8,
    DType.I16: 16,
    DType.U16: 16,
    DType.I32: 32,
    DType.U32: 32,
    DType.I64: 64,
    DType.U64: 64,
    DType.C64: 64,
    DType.F4: 4,
    DType.F6_E2M3: 6,
    DType.F6_E3M2: 6,
}
_ELEMENT_BYTES = {dtype: 4 if dtype == DType.C64 else max(1, dtype.bits // 8) for dtype in DType}
