"""The steps a checkpoint passes through on its way to the store."""
