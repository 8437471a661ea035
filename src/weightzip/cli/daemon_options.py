"""Options that `run` and `config` share, and how they become settings."""

from pathlib import Path
from typing import Annotated, Any

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", metavar="FILE", help="YAML file, see docs/configuration.md.", show_default=False
    ),
]
WatchOption = Annotated[
    Path | None,
    typer.Option(
        "--watch", "-w", metavar="DIR", help="Checkpoint directory (source.path).", show_default=False
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        "-s",
        metavar="URL",
        help="Path or fsspec URL of the store (store.url).",
        show_default=False,
    ),
]


def collect_flags(watch: Path | None, store: str | None) -> dict[str, dict[str, Any]]:
    """Return the flags that were given, as sections for load_settings."""
    flags: dict[str, dict[str, Any]] = {}
    if watch is not None:
        flags["source"] = {"path": watch}
    if store is not None:
        flags["store"] = {"url": store}
    return flags
