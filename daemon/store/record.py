"""The store's own record: which run owns the prefix, and whether the store fences its writers."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from weightzip.daemon.store.document import Moment, decode_document, encode_document
from weightzip.daemon.store.layout import STORE_RECORD_KEY
from weightzip.daemon.store.protocol import CreateOutcome, Store
from weightzip.errors import NotFound, StoreConflict, StoreVanished

_MAX_RECORD_BYTES = 1 << 16


class StoreRecord(BaseModel):
    """Who owns a store prefix; written once, when the repository is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["weightzip-store"] = "weightzip-store"
    version: Literal[1] = 1
    run_id: Annotated[str, Field(min_length=1, max_length=200)]
    created_at: Moment


@dataclass(frozen=True)
class Fencing:
    """Whether the store refuses the second of two writers of one key, as a probe found; `reason` says how we know."""

    fenced: bool
    reason: str


def read_record(store: Store) -> StoreRecord:
    """Read the record of a repository.

    Raises:
        NotFound: there is no repository.
        CorruptData, UnsupportedVersion: the record is damaged or newer than this program.
    """
    try:
        data = store.read_bytes(STORE_RECORD_KEY, _MAX_RECORD_BYTES)
    except NotFound as error:
        raise NotFound(f"{store.url} holds no weightzip store (no {STORE_RECORD_KEY} there)") from error
    return decode_document(data, StoreRecord, f"{store.url}/{STORE_RECORD_KEY}")


def require_record(store: Store, run_id: str | None) -> StoreRecord:
    """Read the record of a repository that was there before: whoever wrote into it must not begin another one.

    Raises:
        StoreVanished: there is no record any more, as when a mount went away.
        StoreConflict, CorruptData, UnsupportedVersion: it is another run's, damaged or newer than this program.
    """
    try:
        record = read_record(store)
    except NotFound as error:
        raise StoreVanished(
            f"{store.url} has lost its {STORE_RECORD_KEY}: it held this run's checkpoints before. Nothing is written "
            "until it is back: mount it again, or correct the URL. Only if it was removed on purpose, delete "
            "known-store.json in the state directory and start the daemon anew"
        ) from error
    check_run(record, run_id, store.url)
    return record


def create_record(store: Store, run_id: str | None) -> StoreRecord:
    """Make the record if there is none; return the one that stands in the end, be it another writer's."""
    try:
        return read_record(store)
    except NotFound:
        record = StoreRecord(run_id=run_id or str(uuid.uuid4()), created_at=datetime.now(timezone.utc))
    data = encode_document(record)
    if store.create_bytes(STORE_RECORD_KEY, data) is CreateOutcome.UNSUPPORTED:
        store.put_bytes(STORE_RECORD_KEY, data)
    return read_record(store)


def check_run(record: StoreRecord, run_id: str | None, url: str) -> None:
    """Refuse to work in another run's repository; `run_id` None accepts any.

    Raises:
        StoreConflict: the record names another run.
    """
    if run_id is not None and record.run_id != run_id:
        raise StoreConflict(f"{url} belongs to run {record.run_id!r}, this is run {run_id!r}")


def probe_fencing(store: Store) -> Fencing:
    """Find out whether a conditional create really refuses, by creating the record once more with its own bytes.

    A store that overwrites silently then writes what was there already; no litter, no right to delete needed.
    """
    data = store.read_bytes(STORE_RECORD_KEY, _MAX_RECORD_BYTES)
    outcome = store.create_bytes(STORE_RECORD_KEY, data)
    if outcome is CreateOutcome.ALREADY_EXISTS:
        return Fencing(True, "the store refused to create an object that exists")
    if outcome is CreateOutcome.UNSUPPORTED:
        return Fencing(False, "the store has no conditional create")
    return Fencing(False, "the store ignored the condition and overwrote an object that exists")
