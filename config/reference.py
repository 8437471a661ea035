"""Writes docs/configuration.md's tables from the models: `python -m weightzip.config.reference docs/configuration.md`."""

import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from weightzip.config.settings import Settings
from weightzip.config.units import format_duration, format_size

BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
_TABLES = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)


def render_reference() -> str:
    """Return one Markdown table a section: key, values, default, meaning."""
    return "\n".join(_section(name, field) for name, field in Settings.model_fields.items())


def update_document(text: str) -> str:
    """Return the document with the part between its two markers replaced by the current reference."""
    return _TABLES.sub(lambda _: f"{BEGIN}\n{render_reference()}\n{END}", text)


def _section(name: str, field: FieldInfo) -> str:
    model = field.annotation
    assert isinstance(model, type)
    assert issubclass(model, BaseModel)
    rows = [_row(key, entry) for key, entry in model.model_fields.items()]
    head = f"### `{name}`\n\n{(model.__doc__ or '').strip()}\n\n| key | values | default | meaning |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def _row(key: str, field: FieldInfo) -> str:
    return f"| `{key}` | {_values(field)} | {_default(field)} | {field.description} |"


def _values(field: FieldInfo) -> str:
    text = str(field.annotation) + str(field.metadata)
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    for marker, label in (("duration", "duration"), ("size", "size"), ("Path", "path"), ("dict", "mapping")):
        if marker in text:
            return label
    if "tuple" in text:
        return "list"
    return {"<class 'bool'>": "`true`, `false`", "<class 'int'>": "number", "int | None": "number"}.get(
        str(field.annotation), "text"
    )


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "required"
    if value is None or value in ((), {}):
        return "unset" if value is None else "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if "duration" in str(field.metadata):
        return f"`{format_duration(value)}`"
    return f"`{format_size(value)}`" if "size" in str(field.metadata) else f"`{value}`"


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(update_document(document.read_text(encoding="utf-8")), encoding="utf-8")
