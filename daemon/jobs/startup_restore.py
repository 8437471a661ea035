"""Whether the newest checkpoint must be brought back before the trainer starts. Pure."""

from collections.abc import Collection
from typing import Literal


def needs_restore(
    setting: Literal["never", "if_empty", "if_missing_newest"],
    names_on_disk: Collection[str],
    newest_name: str | None,
) -> bool:
    """Say whether to restore, from the checkpoints on disk and the name of the newest committed one.

    A checkpoint of that name counts as present whatever it holds: the trainer's own files are never replaced.
    """
    if setting == "never" or newest_name is None:
        return False
    if setting == "if_empty":
        return not names_on_disk
    return newest_name not in names_on_disk
