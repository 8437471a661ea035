"""NVRTC by way of ctypes, out of the package nvidia-cuda-nvrtc."""

import ctypes
from dataclasses import dataclass
from functools import cache
from importlib.metadata import files
from pathlib import Path
from typing import Any

# What CuPy gives it, and the register counts into the log.
_OPTIONS = ("-std=c++17", "--device-as-default-execution-space", "-lineinfo", "--ptxas-options=-v")


class CompileError(Exception):
    """NVRTC refused the source: the message is its log."""


@dataclass(frozen=True)
class Cubin:
    """A compiled source, and what the assembler said of it."""

    code: bytes
    log: str


@cache
def _load_library() -> Any:
    found = [Path(str(file.locate())) for file in files("nvidia-cuda-nvrtc") or () if ".so" in file.name]
    (builtins,) = (path for path in found if path.name.startswith("libnvrtc-builtins.so"))
    (library,) = (path for path in found if path.name.startswith("libnvrtc.so"))
    ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)  # NVRTC looks for it by name alone
    return ctypes.CDLL(str(library))


def compile_cubin(source: str, architecture: str) -> Cubin:
    """Return a source compiled for an architecture, such as sm_90.

    Raises:
        CompileError: it is not CUDA C++.
    """
    library = _load_library()
    program = ctypes.c_void_p()
    if library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None):
        raise CompileError("nvrtcCreateProgram failed")
    options = [option.encode() for option in (f"-arch={architecture}", *_OPTIONS)]
    status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = _read(program, "nvrtcGetProgramLog").rstrip(b"\0").decode()
    if status:
        raise CompileError(log)
    code = _read(program, "nvrtcGetCUBIN")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return Cubin(code, log)


def _read(program: ctypes.c_void_p, function: str) -> bytes:
    """Return what one of NVRTC's pairs of functions, the size and the bytes, gives."""
    library = _load_library()
    n_bytes = ctypes.c_size_t()
    if library[f"{function}Size"](program, ctypes.byref(n_bytes)):
        raise CompileError(f"{function}Size failed")
    buffer = ctypes.create_string_buffer(n_bytes.value)
    if library[function](program, buffer):
        raise CompileError(f"{function} failed")
    return buffer.raw
