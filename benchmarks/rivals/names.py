"""How the compressors are called in tables. In a file of its own: targets are set for rivals that may not be installed."""

MEMCPY = "memcpy"
OURS = "weightzip"
OURS_TWO_THREADS = "weightzip, 2 threads"
ZIPNN = "ZipNN"
ZIPNN_ON_XOR = "ZipNN on XOR"
