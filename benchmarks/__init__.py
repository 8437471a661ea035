"""Ratio, speed and memory beside other compressors, on real checkpoints: `python -m benchmarks`."""
