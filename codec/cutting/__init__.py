"""How a shard is cut into the spans that become frames: windows, packs of small tensors, places. No bytes are read."""
