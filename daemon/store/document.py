"""The JSON documents of a store, each with a version and a checksum of its own. What they say is not known here.

A document is one JSON object with `format`, `version` and, last, `checksum`: the BLAKE3 of the object without it,
written with sorted keys and no blanks. So damage that still parses is found.
"""

import json
from datetime import datetime, timezone
from typing import Annotated, Any, TypeVar

from blake3 import blake3
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from weightzip.errors import CorruptData, UnsupportedVersion

Model = TypeVar("Model", bound=BaseModel)

# Far enough from what calendars can hold that no time zone leads outside.
_FIRST_MOMENT, _LAST_MOMENT = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in (1970, 9999))
Moment = Annotated[AwareDatetime, Field(ge=_FIRST_MOMENT, lt=_LAST_MOMENT)]
"""A time in a document: with its zone, and one that every clock can show."""

_MAX_SHOWN = 200  # letters of what others wrote


def encode_document(model: BaseModel) -> bytes:
    """Return the bytes of a document; `model` has the fields `format` and `version`."""
    content: dict[str, Any] = model.model_dump(mode="json")
    content["checksum"] = _checksum(content)
    return json.dumps(content, indent=1, ensure_ascii=False).encode()


def decode_document(data: bytes, model_type: type[Model], place: str) -> Model:
    """Check the bytes of a document and return its content; `place` names it in messages.

    Raises:
        UnsupportedVersion: it was written by a newer program.
        CorruptData: it is no such document, or was damaged.
    """
    content = _parse(data, place)
    expected_format = model_type.model_fields["format"].default
    if content.get("format") != expected_format:
        raise CorruptData(f"{place} is not a {expected_format} document")
    version = content.get("version")
    supported = model_type.model_fields["version"].default
    if isinstance(version, int) and version > supported:
        raise UnsupportedVersion(f"{place} has version {version}, this program reads up to {supported}")
    checksum = content.pop("checksum", None)
    if checksum != _checksum(content):
        raise CorruptData(f"{place} does not match its own checksum")
    try:
        return model_type.model_validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(name) for name in first["loc"])
        fault = f"{field[:_MAX_SHOWN]}: {first['msg'][:_MAX_SHOWN]}"
        raise CorruptData(f"{place}: {fault} ({error.error_count()} faults)") from error


def _parse(data: bytes, place: str) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CorruptData(f"{place} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise CorruptData(f"{place} is not a JSON object")
    return content


def _checksum(content: dict[str, Any]) -> str:
    try:
        plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return ""  # lone surrogates: nothing this program writes
    return blake3(plain).hexdigest()
