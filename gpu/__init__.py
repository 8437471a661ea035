"""Block operations on CUDA devices: a backend that is handed to the codec, which never imports it."""
