"""The demonstration: a small real training run, lost and brought back. `python -m demo` shows it; nothing here ships."""
