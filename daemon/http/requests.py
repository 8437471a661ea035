"""What callers may send: bodies and query parameters, as strict models."""

from typing import Annotated, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from weightzip.config.units import parse_duration
from weightzip.errors import UsageError

Selector = Annotated[int, Field(ge=0, lt=10**12)] | Annotated[str, Field(max_length=255)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RestoreRequest(_Body):
    """Body of `POST /v1/restore`. `to` unset: `restore.target`, or the watched directory."""

    selector: Selector = "latest"
    to: str | None = None
    if_empty: bool = False


class PrefetchRequest(_Body):
    """Body of `POST /v1/prefetch`."""

    selector: Selector = "latest"


Body = TypeVar("Body", bound=_Body)


async def read_body(request: web.Request, model: type[Body]) -> Body:
    """Parse the JSON body of a request; an empty body means all defaults.

    Raises:
        UsageError: not JSON, an unknown key or a wrong type.
    """
    data = await request.read()
    try:
        return model.model_validate_json(data or b"{}")
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}" for e in error.errors())
        raise UsageError(f"request body: {problems}") from None


def read_deadline(request: web.Request, default_seconds: float, max_seconds: float) -> float:
    """Return the `deadline` query parameter in seconds, bounded. Raises UsageError."""
    text = request.query.get("deadline")
    if text is None:
        return default_seconds
    try:
        return min(parse_duration(text), max_seconds)
    except ValueError as error:
        raise UsageError(f"deadline: {error}") from None
