"""One compressor a file, all behind the protocol of `benchmarks.rival`."""
