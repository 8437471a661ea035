"""
Block groups in C++: docs/format.md, "Block group". Every call releases the interpreter lock.
"""

from collections.abc import Sequence

from typing_extensions import Buffer

class CorruptBlocks(ValueError):
    """
    The body contradicts docs/format.md. The message says what is wrong, not where.
    """

def encode_blocks(
    raw: Buffer,
    predecessor: Buffer | None,
    companion: Buffer | None,
    *,
    element_bytes: int,
    transform: int,
    max_contexts: int,
    key_shift: int,
    n_threads: int,
    predictor: int = 0,
    context_input: int = 0,
    companion_bytes: int = 0,
    mantissa_bits: int = 0,
    sections: Sequence[tuple[int, int, int]] = (),
    max_low_contexts: int = 0,
    kernels: str = "auto",
) -> bytes:
    """
    Return the block group of raw, a whole number (1 or more) of elements.

    Contexts, tables, the storage of each plane, and factors (predictor 2, or context_input 3) are chosen here,
    by integers: the bytes depend on neither n_threads (0: one a processor) nor kernels ("auto" or one of
    list_kernels()). predecessor is as long as raw, companion as many elements, of companion_bytes each; it is given
    exactly with context_input 2. mantissa_bits (of the elements) and sections (n_elements, n_columns, first_column)
    are for factors. With max_low_contexts, planes below the top one may have contexts by its bytes. The group may do with less than it was given: what it leans on stands in its recipe.

    Raises:
        ValueError: an argument is out of range, or an input is missing.
    """

def estimate_blocks(
    raw: Buffer,
    predecessor: Buffer | None,
    companion: Buffer | None,
    *,
    element_bytes: int,
    transform: int,
    max_contexts: int,
    key_shift: int,
    predictor: int = 0,
    context_input: int = 0,
    companion_bytes: int = 0,
    mantissa_bits: int = 0,
    sections: Sequence[tuple[int, int, int]] = (),
) -> int:
    """
    Estimate the length of encode_blocks' result, in bytes, from a fixed sample of at most 16384 elements.

    Low contexts are left out of it. Factors of predictor 2 are fitted to all elements first, which takes time in proportion to their number.

    Raises:
        ValueError: as encode_blocks.
    """

def decode_blocks(
    group: Buffer,
    predecessor: Buffer | None,
    companion: Buffer | None,
    out: Buffer,
    *,
    n_threads: int,
    kernels: str = "auto",
) -> None:
    """
    Decode a block group into out, which is exactly as long as the raw bytes.

    predecessor and companion must be given exactly if the group leans on them. No input makes this read or write out of
    bounds.

    Raises:
        CorruptBlocks: group is not a block group of that many bytes, or leans on other inputs; out is then undefined.
        ValueError: out or companion is empty, predecessor is not as long as out, or kernels is not "auto" or one of
            list_kernels().
    """

def derive(companion: Buffer, out: Buffer, *, derivation: int) -> None:
    """
    Derive the 2-byte elements of out from as many fp32 elements.

    derivation: 0 bf16 to nearest even, 1 bf16 truncated, 2 fp16 to nearest even, 3 the lower 16 bits.

    Raises:
        ValueError: derivation is not 0 to 3, or companion is not twice as long as out.
    """

def cpu_features() -> list[str]:
    """
    Return the processor features that the vector kernels will use, or none if they cannot run.
    """

def list_kernels() -> list[str]:
    """
    Return the names of the kernel sets that this processor runs, the fastest first. All give the same bytes.
    """
