"""One restored tensor."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weightzip.codec.format.dtypes import DType
from weightzip.errors import UsageError

_NUMPY_TYPES = {
    DType.F64: "<f8",
    DType.F32: "<f4",
    DType.F16: "<f2",
    DType.BF16: "<u2",
    DType.BOOL: "?",
    DType.I8: "<i1",
    DType.I16: "<i2",
    DType.U16: "<u2",
    DType.I32: "<i4",
    DType.U32: "<u4",
    DType.I64: "<i8",
    DType.U64: "<u8",
    DType.C64: "<c8",
}


@dataclass(frozen=True)
class TensorData:
    """One restored tensor; `data` holds its bytes in C order, little-endian."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    data: memoryview

    def to_numpy(self) -> npt.NDArray[Any]:
        """Return the tensor as a NumPy array over the same memory.

        Types NumPy does not know come as unsigned integers of their size (BF16: uint16, F8: uint8), in the tensor's
        shape; opaque bytes and types below a byte come as a flat array of uint8.

        Raises:
            UsageError: NumPy has no arrays of that shape; `data` has the bytes.
        """
        array = np.frombuffer(self.data, dtype=_NUMPY_TYPES.get(self.dtype, "<u1"))
        if self.dtype == DType.OPAQUE or self.dtype.bits < 8:
            return array
        try:
            return array.reshape(self.shape)
        except ValueError as error:
            raise UsageError(
                f"tensor {self.name!r} of shape {self.shape}: {error}; take its bytes"
            ) from error
