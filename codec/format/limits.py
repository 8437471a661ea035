"""The limits of docs/format.md, "Limits": a reader compares with them before it allocates."""

FORMAT_VERSION = 1

MAX_FRAME_RAW_BYTES = 32 << 20
MAX_FRAME_BODY_BYTES = 48 << 20
MAX_INDEX_BYTES = 256 << 20
MAX_INDEX_RATIO = 256
MAX_BLOCK_ELEMENTS = 65_536
MAX_CONTEXTS = 32
MAX_PIECES = 4096
MAX_TENSORS = 1 << 18
