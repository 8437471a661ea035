"""What a shard may lean on: decided by names, shapes and some KB of bytes, before the first frame is encoded."""
