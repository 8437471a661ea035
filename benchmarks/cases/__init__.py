"""Where the bytes come from: a released model, and the checkpoints of a training run."""
