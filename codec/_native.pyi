"""
Block groups in C++: docs/format.md, "Block group". Every call releases the interpreter lock.
"""

from typing_extensions import Buffer

class CorruptBlocks(ValueError):
    """
    The body contradicts docs/format.md. The message says what is wrong, not where.
    """

def encode_blocks(
    raw: Buffer,
    predecessor: Buffer | None,
    *,
    element_bytes: int,
    transform: int,
    max_contexts: int,
    key_shift: int,
    n_threads: int,
    kernels: str = "auto",
) -> bytes:
    """
    Return the block group of raw, a whole number (1 or more) of elements.

    Contexts, tables and the storage of each plane are chosen here, by integer cost: the bytes depend on neither
    n_threads (0: one a processor) nor kernels ("auto" or one of list_kernels()). predecessor is as long as raw.
    The group leans on the predecessor only if byte 1 (transform) is 2 or 3 or byte 3 (n_contexts) is above 1.

    Raises:
        ValueError: an argument is out of range, or a difference or contexts are asked for without a predecessor.
    """

def estimate_blocks(
    raw: Buffer,
    predecessor: Buffer | None,
    *,
    element_bytes: int,
    transform: int,
    max_contexts: int,
    key_shift: int,
) -> int:
    """
    Estimate the length of encode_blocks' result, in bytes, from a fixed sample of at most 16384 elements.

    Raises:
        ValueError: as encode_blocks.
    """

def decode_blocks(
    group: Buffer, predecessor: Buffer | None, out: Buffer, *, n_threads: int, kernels: str = "auto"
) -> None:
    """
    Decode a block group into out, which is exactly as long as the raw bytes.

    predecessor must be given exactly if the group leans on it. No input makes this read or write out of bounds.

    Raises:
        CorruptBlocks: group is not a block group of that many bytes; out is then undefined.
        ValueError: out is empty, predecessor is not as long as out, or kernels is not "auto" or one of list_kernels().
    """

def cpu_features() -> list[str]:
    """
    Return the processor features that the vector kernels will use, or none if they cannot run.
    """

def list_kernels() -> list[str]:
    """
    Return the names of the kernel sets that this processor runs, the fastest first. All give the same bytes.
    """
