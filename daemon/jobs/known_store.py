"""Which store this daemon committed into, remembered in the state directory: a store that vanished is no new store."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from weightzip.daemon.disk import write_durably
from weightzip.errors import CorruptData


class KnownStore(BaseModel):
    """A store that holds checkpoints of this daemon's run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    url: str
    run_id: str


def read_known_store(path: Path) -> KnownStore | None:
    """Return the store that is remembered at `path`, None if nothing was ever committed.

    Raises:
        CorruptData: what is there is no such record.
    """
    try:
        return KnownStore.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise CorruptData(
            f"{path} is damaged: if the store is where it should be, delete this file and start again"
        ) from error


def write_known_store(path: Path, known: KnownStore) -> None:
    """Remember a store. Raises DiskFull."""
    write_durably(path, known.model_dump_json().encode())
