"""One line an event; secrets never appear."""

import io
import json
from collections.abc import Iterator

import pytest
import structlog

from weightzip.config.log import LogSettings
from weightzip.daemon.log import collect_secrets, configure_logging


@pytest.fixture(autouse=True)
def keep_configuration() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_an_event_is_one_json_line_with_the_event_first() -> None:
    out = io.StringIO()
    configure_logging(LogSettings(format="auto"), frozenset(), out)
    structlog.get_logger().info("committed", step=5, path="a\nb")
    lines = out.getvalue().splitlines()
    assert len(lines) == 1
    assert list(json.loads(lines[0])) == ["timestamp", "level", "event", "step", "path"]


def test_an_exception_is_part_of_its_line() -> None:
    out = io.StringIO()
    configure_logging(LogSettings(format="json"), frozenset(), out)
    try:
        raise ValueError("the reason")
    except ValueError:
        structlog.get_logger().exception("unexpected error")
    assert len(out.getvalue().splitlines()) == 1
    assert "the reason" in json.loads(out.getvalue())["exception"]


def test_people_get_plain_text() -> None:
    out = io.StringIO()
    configure_logging(LogSettings(format="human"), frozenset(), out)
    structlog.get_logger().info("committed", step=5)
    assert "committed" in out.getvalue()
    assert not out.getvalue().startswith("{")


def test_events_below_the_level_are_not_written() -> None:
    out = io.StringIO()
    configure_logging(LogSettings(level="warning"), frozenset(), out)
    structlog.get_logger().info("quiet")
    structlog.get_logger().warning("loud")
    assert "quiet" not in out.getvalue()
    assert "loud" in out.getvalue()


@pytest.mark.parametrize("style", ["json", "human"])
def test_secrets_never_appear(style: str) -> None:
    out = io.StringIO()
    secrets = collect_secrets(
        {"secret": "hunter2", "client_kwargs": {"aws_session_token": "t0ken"}, "endpoint_url": "http://h"}
    )
    configure_logging(LogSettings(format=style), secrets, out)  # type: ignore[arg-type]
    try:
        raise ValueError("refused hunter2")
    except ValueError:
        structlog.get_logger().exception("failed", error="with t0ken", url="http://me:pw@host/x")
    assert not {"hunter2", "t0ken", "me:pw"} & set(out.getvalue().replace("'", " ").replace('"', " ").split())
    for secret in ("hunter2", "t0ken", "me:pw"):
        assert secret not in out.getvalue()
