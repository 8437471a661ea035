"""The spool: pins made, found again after a restart, marked as committed, released. One directory a pin.

<spool>/<id>/pin.json       the record, written before the directory gets its name
<spool>/<id>/tree/<name>    the checkpoint
<spool>/.new-<id>/          a pin in the making; the next start removes it
"""

import shutil
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pydantic import ValidationError

from weightzip.daemon.checkpoint import Tracker
from weightzip.daemon.disk import name_disk_full, remove_tree, write_durably
from weightzip.daemon.jobs.pin import PinMethod, pin_files
from weightzip.daemon.jobs.pinned import PinnedCheckpoint, PinRecord, content_key
from weightzip.daemon.layouts import Sighting
from weightzip.daemon.watch.scan import look_at
from weightzip.errors import SourceChanged

_RECORD, _TREE, _NEW = "pin.json", "tree", ".new-"


class Spool:
    """All pins of one daemon. The directory belongs to it alone (the state directory's lock sees to that)."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def pin(
        self,
        source: Path,
        sighting: Sighting,
        step: int,
        complete_at: float,
        trackers: tuple[Tracker, ...] = (),
    ) -> PinnedCheckpoint:
        """Hold fast the files of a complete checkpoint below `source`, whatever the trainer deletes later.

        `trackers` are remembered with it.

        Raises:
            SourceChanged: it is not what the sighting saw any more.
            DiskFull: there is no room for the links, or for copies where links are refused.
        """
        pin_id = f"{step:012d}-{uuid.uuid4().hex[:12]}"
        with name_disk_full(self._root):
            return self._pin_as(pin_id, source, sighting, step, complete_at, trackers)

    def _pin_as(
        self,
        pin_id: str,
        source: Path,
        sighting: Sighting,
        step: int,
        complete_at: float,
        trackers: tuple[Tracker, ...],
    ) -> PinnedCheckpoint:
        new, final = self._root / f"{_NEW}{pin_id}", self._root / pin_id
        tree = new / _TREE / sighting.name
        tree.parent.mkdir(parents=True)
        with ExitStack() as undo:
            undo.callback(remove_tree, new)
            how: PinMethod = pin_files(source / sighting.name, sighting, tree)
            record = PinRecord(
                id=pin_id,
                name=sighting.name,
                step=step,
                complete_at=complete_at,
                how=how,
                content=content_key(sighting),
                trackers=trackers,
            )
            write_durably(new / _RECORD, record.model_dump_json().encode())
            new.rename(final)
            undo.pop_all()
        return PinnedCheckpoint(record, final / _TREE / sighting.name)

    def adopt(self, on_damaged: Callable[[str, str], None]) -> list[PinnedCheckpoint]:
        """Return the pins an earlier process left, in order of their steps; remove what it left half-made.

        A pin whose record or tree cannot be read is removed too, after `on_damaged(id, reason)`: the watched
        directory still has it, or nobody has.
        """
        pins = []
        for entry in sorted(self._root.iterdir()):
            if entry.name.startswith(_NEW):
                remove_tree(entry)
                continue
            try:
                pins.append(self._read(entry))
            except (OSError, ValidationError, ValueError, SourceChanged) as error:
                on_damaged(entry.name, str(error))
                remove_tree(entry)
        return pins

    def mark_committed(self, pin: PinnedCheckpoint, identity: str) -> None:
        """Remember that a pin was committed, so that a restart keeps it as predecessor instead of encoding it."""
        pin.record = pin.record.model_copy(update={"committed": identity})
        write_durably(self._root / pin.id / _RECORD, pin.record.model_dump_json().encode())

    def release(self, pin: PinnedCheckpoint) -> None:
        """Give up a pin; the space of files that the trainer deleted is free then."""
        remove_tree(self._root / pin.id)

    def free_bytes(self) -> int:
        """Return the free bytes of the spool's file system."""
        return shutil.disk_usage(self._root).free

    def _read(self, directory: Path) -> PinnedCheckpoint:
        record = PinRecord.model_validate_json((directory / _RECORD).read_bytes())
        if record.id != directory.name:
            raise ValueError(f"its record is that of {record.id}")
        pin = PinnedCheckpoint(record, directory / _TREE / record.name)
        if record.committed is None:
            check_pin(pin)
        return pin


def check_pin(pin: PinnedCheckpoint) -> None:
    """See that a pin still holds what was pinned: a hard link shows whatever is written into the original.

    Raises:
        SourceChanged: a file was changed in place.
    """
    sighting = look_at(pin.tree.parent, pin.name, ())
    if sighting is None or not pin.holds(sighting):
        raise SourceChanged(f"{pin.name} was rewritten in place after it was pinned")
