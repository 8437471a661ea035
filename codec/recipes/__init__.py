"""The model: which recipes make sense for a dtype, and which of them is the smallest for the bytes at hand."""
