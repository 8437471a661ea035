"""Every setting of the daemon: models, loading, reference. No other part of the project reads the environment."""

from weightzip.config.load import load_settings
from weightzip.config.settings import Settings

__all__ = ["Settings", "load_settings"]
