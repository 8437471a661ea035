"""What the verbs on a store share: the arguments, how a store is told from a file and opened, how times are shown."""

from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weightzip.daemon.store import Repository

StoreArgument = Annotated[
    str, typer.Argument(metavar="STORE", help="Where the checkpoints are: a directory or any fsspec URL.")
]
CheckpointArgument = Annotated[
    str, typer.Argument(metavar="CHECKPOINT", help="A step, a name, or [bold]latest[/bold].")
]
ConfirmOption = Annotated[
    bool, typer.Option("--confirm", help="Do it; without it only show what would be done.")
]


def is_store(place: str) -> bool:
    """Return whether an argument means a store: a URL, or a directory that holds one."""
    return "://" in place or (Path(place) / "weightzip-store.json").is_file()


def format_time(seconds: float) -> str:
    """Return a Unix time as date and time in UTC."""
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S}"


def open_repository(place: str) -> "Repository":
    """Open the repository at a URL or directory for reading and for removing."""
    from weightzip.daemon.store import Repository, open_store

    return Repository.open(open_store(place))
