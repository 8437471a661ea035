"""The codec: bytes in, bytes out. No clock, no network, no settings."""
