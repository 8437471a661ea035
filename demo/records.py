"""Following a log of JSON lines while another process writes it, and finding what it complained of last."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]

COMPLAINTS = {"warning", "error", "critical"}


class RecordFollower:
    """Reads the complete lines that were added to a file since the last call; the file may not exist yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read_new(self) -> list[Record]:
        """Return the new records. What is no JSON object is given as the `event` of a record of its own."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        return [_parse(line) for line in complete.decode().splitlines() if line]


def find_last_error(log: Path) -> str:
    """Return the last record of a log that tells an error, or the last unindented line that is no record."""
    for record in reversed(RecordFollower(log).read_new()):
        if "error" in record:
            return describe_complaint(record)
        if "level" not in record and not record["event"][:1].isspace():
            return str(record["event"])
    return "none"


def describe_complaint(record: Record) -> str:
    """Return what a record complains of, and the error behind it if it tells one."""
    event = str(record["event"])
    return f"{event}: {record['error']}" if "error" in record else event


def _parse(line: str) -> Record:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"event": line}
