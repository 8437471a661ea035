"""Turns what pydantic found wrong into lines a person can act on: the key, the reason, the nearest known key."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

_MISSING = {
    "source.path": "pass --watch DIR, or set WEIGHTZIP_SOURCE__PATH",
    "source": "pass --watch DIR, or set WEIGHTZIP_SOURCE__PATH",
    "store.url": "pass --store URL, or set WEIGHTZIP_STORE__URL",
    "store": "pass --store URL, or set WEIGHTZIP_STORE__URL",
}


def describe_problems(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Write one line for each thing pydantic found wrong in the configuration."""
    return [
        _describe(item["loc"], item["type"], item["msg"], model) for item in error.errors(include_input=False)
    ]


def suggest_key(key: str, known: Iterable[str]) -> str:
    """Write `: did you mean X?` for the nearest known key, or the list of known keys when none is near."""
    names = sorted(known)
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    return f": did you mean {near[0]}?" if near else f": known here are {', '.join(names)}"


def _describe(loc: Sequence[int | str], kind: str, message: str, model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in loc)
    if kind == "extra_forbidden":
        return f"{key} is not a setting{suggest_key(str(loc[-1]), _fields_at(model, loc[:-1]))}"
    if kind == "missing":
        return f"{key} is not set: {_MISSING.get(key, 'it has no default')}"
    return f"{key}: {message.removeprefix('Value error, ')}"


def _fields_at(model: type[BaseModel], path: Sequence[int | str]) -> Mapping[str, Any]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return {}
        model = annotation
    return model.model_fields
