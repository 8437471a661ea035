"""How the compressors are called in tables. In a file of its own: targets are set for rivals that may not be installed."""

from weightzip.codec.recipes.level import Level

MEMCPY = "memcpy"
OURS = "weightzip"
OURS_FAST = "weightzip fast"
OURS_MAX = "weightzip max"
OURS_TWO_THREADS = "weightzip, 2 threads"
ZIPNN = "ZipNN"
ZIPNN_ON_XOR = "ZipNN on XOR"

OUR_LEVELS = {OURS_FAST: Level.FAST, OURS: Level.DEFAULT, OURS_MAX: Level.MAX}
