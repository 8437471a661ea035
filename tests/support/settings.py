"""Settings of a daemon whose every path lies below one directory of a test."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weightzip.config import Settings, load_settings


def make_settings(base: Path, **sections: Mapping[str, Any]) -> Settings:
    """Return settings that watch `base/ckpt`, store into `base/store`, and are quick; `sections` override."""
    flags: dict[str, dict[str, Any]] = {
        "source": {"path": base / "ckpt", "quiet_period": "100ms"},
        "store": {"url": str(base / "store")},
        "state": {"dir": base / "state"},
        "server": {"listen": "127.0.0.1:0"},
        "limits": {"nice": 0, "io_class": "none"},
        "encode": {"n_threads": 1},
    }
    for section, values in sections.items():
        flags[section] = {**flags.get(section, {}), **values}
    return load_settings(flags=flags)
