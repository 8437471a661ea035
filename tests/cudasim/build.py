"""From a kernel source to a shared object of the host, kept by the digest of all that went into it."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

_NATIVE = Path(__file__).parent / "native"
_RUNTIME = ("collective.cpp", "failure.cpp", "fiber.cpp", "run.cpp", "scheduler.cpp")
_KERNEL = re.compile(r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(')
_FLAGS = ("-std=c++20", "-g", "-fPIC", "-fno-strict-aliasing")
_WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wno-unknown-pragmas", "-Werror")
_BUILDS = Path(__file__).parents[2] / "build/cudasim"


def list_kernels(source: str) -> list[str]:
    """Return the names of the kernels in a source."""
    return _KERNEL.findall(source)


def build_module(source: str, options: Sequence[str] = (), sanitizers: str = "") -> Path:
    """Return the shared object of a kernel source; `sanitizers` as for the compiler's -fsanitize.

    Raises:
        CalledProcessError: the compiler refused; it has said why.
    """
    machine = ("-mpopcnt",) if platform.machine() == "x86_64" else ()
    flags = (*_FLAGS, *machine)
    runtime_flags = (*flags, "-O2")
    runtime = [
        _keep(_digest(name, *flags), ".o", (*runtime_flags, "-c", str(_NATIVE / name))) for name in _RUNTIME
    ]
    key = _digest(source, *flags, *options, sanitizers)
    exports = "".join(f"CUDASIM_EXPORT({name})\n" for name in list_kernels(source))
    _BUILDS.mkdir(parents=True, exist_ok=True)
    kernels = _BUILDS / f"{key}.cpp"
    kernels.write_text(source + '\n#line 1 "exports"\n' + exports)
    sanitize = (f"-fsanitize={sanitizers}", "-fno-omit-frame-pointer", "-O1") if sanitizers else ("-O2",)
    include = ("-include", str(_NATIVE / "cuda.hpp"))
    command = (*flags, *_WARNINGS, *sanitize, *options, "-shared", *include, str(kernels), *map(str, runtime))
    return _keep(key, ".so", command)


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for path in sorted(_NATIVE.iterdir()):
        digest.update(path.read_bytes())
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:20]


def _keep(key: str, suffix: str, command: Sequence[str]) -> Path:
    """Return what the compiler makes, from an earlier call if there was one."""
    target = _BUILDS / (key + suffix)
    if not target.exists():
        _BUILDS.mkdir(parents=True, exist_ok=True)
        made = target.with_suffix(f".{os.getpid()}{suffix}")
        # A sanitizer that is loaded into this process is not for the compiler.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run(["g++", *command, "-o", str(made)], check=True, env=environment)
        made.replace(target)
    return target
