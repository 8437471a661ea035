"""The structures of kernels/layout.cu as dtypes of NumPy: the same fields at the same places."""

import numpy as np

MAX_PLANES = 8
MAX_TABLES = 32
N_FREQUENCIES = 257
STRETCH_ELEMENTS = 2048

TABLE_JOB = np.dtype(
    [
        ("frequencies", "<u8"),
        ("plane", "<u8"),
        ("escape_byte", "<u2"),
        ("prob_bits", "u1"),
        ("by_context", "u1"),
        ("number", "u1"),
        ("n_tables", "u1"),
        ("reserved", "<u2"),
    ]
)

PAYLOAD = np.dtype([("storage", "<u4"), ("bytes", "<u4"), ("offset", "<u4")])

PLANE = np.dtype(
    [
        ("tables", "<u4"),
        ("mode", "u1"),
        ("prob_bits", "u1"),
        ("has_escape", "u1"),
        ("n_tables", "u1"),
        ("stream", "u1"),
        ("reserved", "u1", (3,)),
        ("escape_bytes", "<u2", (MAX_TABLES,)),
    ]
)

SECTION = np.dtype(
    [
        ("first_element", "<u4"),
        ("n_columns", "<u4"),
        ("first_column", "<u4"),
        ("base", "<i4"),
        ("rows", "<u4"),
        ("columns", "<u4"),
    ]
)

FRAME = np.dtype(
    [
        ("payload_area", "<u8"),
        ("payloads", "<u8"),
        ("tables", "<u8"),
        ("predecessor", "<u8"),
        ("companion", "<u8"),
        ("sections", "<u8"),
        ("factors", "<u8"),
        ("log_exp", "<u8"),
        ("out", "<u8"),
        ("status", "<u8"),
        ("n_elements", "<u4"),
        ("table_bytes", "<u4"),
        ("n_sections", "<u4"),
        ("key_base", "<u4"),
        ("contexts_offset", "<u4"),
        ("low_contexts_offset", "<u4"),
        ("scales_offset", "<u4"),
        ("warp_bytes", "<u4"),
        ("transform", "u1"),
        ("block_log2", "u1"),
        ("predictor", "u1"),
        ("context_input", "u1"),
        ("companion_log2", "u1"),
        ("key_shift", "u1"),
        ("zero_bits", "u1"),
        ("mantissa_bits", "u1"),
        ("weight", "u1"),
        ("step_log2", "u1"),
        ("n_streams", "u1"),
        ("has_low_contexts", "u1"),
        ("reserved", "u1", (4,)),
        ("planes", PLANE, (MAX_PLANES,)),
        ("context_of_key", "u1", (256,)),
        ("low_context_of_byte", "u1", (256,)),
    ]
)

WORK = np.dtype([("frame", "<u4"), ("first_block", "<u4"), ("n_blocks", "<u4")])

# Of the structures that live in shared memory alone: Stream and WarpMemory.
STREAM_BYTES = 3248
WARP_MEMORY_BYTES = 128
