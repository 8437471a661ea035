"""The CUDA source of each kernel, as one string for NVRTC: a kernel that is not needed is not compiled."""

from pathlib import Path

_FOLDER = Path(__file__).parent / "kernels"
_DECODE_PARTS = (
    "prelude",
    "layout",
    "elements",
    "planes",
    "scales",
    "contexts",
    "streams",
    "rans",
    "exceptions",
    "join",
    "decode",
)
_PARTS = {
    "expand_tables": ("prelude", "layout", "tables"),
    "derive_elements": ("prelude", "derive"),
}
# Template arguments after the element size: has inputs, has scales, tables in shared memory.
_KINDS = {
    "alone": "false, false, true",
    "moved": "true, false, true",
    "scaled": "true, true, true",
    "spacious": "true, true, false",
}
_ELEMENT_BITS = (8, 16, 32, 64)
_ENTRY = """
#line 1 "{name}"
extern "C" __global__ void __launch_bounds__(256, {n_blocks}) {name}(const Frame* frames, const Work* work) {{
    decode_work<{log2}, {kind}>(frames, work);
}}
"""


def _count_blocks(bits: int, kind: str) -> int:
    """Return how many blocks of threads a multiprocessor shall have room for: as many as need no spilled registers."""
    if kind == "alone" or (kind == "moved" and bits < 64):
        return 6
    return 5 if bits < 64 else 4


# Decoding of block groups, by element size: alone (no inputs, no contexts), moved (predecessor, companion, low
# contexts), scaled (factors as well); spacious does all, with tables too large for shared memory.
_ENTRIES = {
    f"decode_{bits}_{kind}": _ENTRY.format(
        name=f"decode_{bits}_{kind}", log2=log2, kind=arguments, n_blocks=_count_blocks(bits, kind)
    )
    for log2, bits in enumerate(_ELEMENT_BITS)
    for kind, arguments in _KINDS.items()
}
KERNELS = (*_PARTS, *_ENTRIES)


def read_source(kernel: str) -> str:
    """Return the source of one of KERNELS: a translation unit that includes nothing. Errors name the part they are in."""
    parts = _PARTS.get(kernel, _DECODE_PARTS)
    texts = [f'#line 1 "{name}.cu"\n{(_FOLDER / f"{name}.cu").read_text()}' for name in parts]
    return "".join(texts) + _ENTRIES.get(kernel, "")
