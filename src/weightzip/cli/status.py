"""`weightzip status`."""

from typing import Annotated, Any

import typer

from weightzip.cli.options import JsonOption

_TIMEOUT_SECONDS = 10.0
_MAX_ANSWER_BYTES = 64 << 20


def status(
    url: Annotated[
        str, typer.Option("--url", help="Address of the running daemon.")
    ] = "http://127.0.0.1:9440",
    json: JsonOption = False,
) -> None:
    """Show what a running daemon does, what is stored, and why a candidate is not complete yet.

    [bold]Examples[/bold]

      weightzip status

      weightzip status --url http://127.0.0.1:9441 --json
    """
    from weightzip.cli.output import print_json

    answer = fetch_json(f"{url.rstrip('/')}/v1/status")
    if json:
        print_json(answer)
    else:
        _print_status(answer)


def fetch_json(url: str) -> dict[str, Any]:
    """Ask a daemon and return its JSON answer.

    Raises:
        UsageError: the URL is no http URL.
        StoreUnavailable: nobody answers there.
        NotFound: something else than the daemon answers.
    """
    import json
    from urllib.error import HTTPError, URLError
    from urllib.request import urlopen

    from weightzip.errors import NotFound, StoreUnavailable, UsageError

    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url}: the address of a daemon begins with http://")
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:
            parsed = json.loads(answer.read(_MAX_ANSWER_BYTES))
    except HTTPError as error:
        raise NotFound(f"{url}: {error.code} {error.reason}") from None
    except ValueError as error:
        raise NotFound(f"{url}: this is not a weightzip daemon: {error}") from None
    except (URLError, TimeoutError) as error:
        raise StoreUnavailable(f"{url}: no daemon answers: {getattr(error, 'reason', error)}") from None
    if not isinstance(parsed, dict):
        raise NotFound(f"{url}: this is not a weightzip daemon")
    return parsed


def _print_status(answer: dict[str, Any]) -> None:
    from weightzip.cli.output import format_bytes, format_count, print_table

    source, store, pipeline, newest = (
        answer["source"],
        answer["store"],
        answer["pipeline"],
        answer["newest_step"],
    )
    fenced = {True: "yes", False: "no", None: "unknown"}[store["fenced"]]
    checkpoints = format_count(store["checkpoints"], "checkpoint")
    work = f"{pipeline['state']} {pipeline['name'] or ''} {pipeline['detail']}".strip()
    facts = [
        ("state", "draining" if answer["draining"] else "running" if answer["started"] else "starting"),
        ("up to date", "yes" if answer["up_to_date"] else "no"),
        ("watches", f"{source['path']} ({source['file_system']}, layout {source['layout']})"),
        ("watch problem", source["problem"] or "none"),
        ("store", f"{store['url']}, run {store['run_id'] or 'unknown'}, {checkpoints}"),
        ("store problem", store["problem"] or "none"),
        ("writers fenced", f"{fenced}: {store['fencing']}" if store["fencing"] else fenced),
        ("pipeline", work),
        ("progress", _progress(pipeline["progress"])),
        ("newest complete", _step(newest["complete"])),
        ("newest committed", _step(newest["committed"])),
        ("prunable", ", ".join(map(str, answer["retention"]["prunable_steps"])) or "none"),
    ]
    print_table("daemon", ("what", "value"), facts)
    candidates = [
        (c["name"], _step(c["step"]), c["stage"], format_bytes(c["bytes"]), c["reason"] or "")
        for c in answer["candidates"]
    ]
    if candidates:
        print_table("on disk", ("checkpoint", "step", "stage", "bytes", "why not further"), candidates)
    given_up = [(g["name"], _step(g["step"]), g["reason"]) for g in answer["given_up"]]
    if given_up:
        print_table("given up", ("checkpoint", "step", "reason"), given_up)


def _progress(progress: dict[str, int] | None) -> str:
    from weightzip.cli.output import format_bytes

    if progress is None:
        return "-"
    shown = {name: format_bytes(n_bytes) for name, n_bytes in progress.items()}
    return (
        f"{shown['encoded_bytes']} of {shown['raw_bytes']} encoded, "
        f"{shown['stored_bytes']} of {shown['archive_bytes']} stored"
    )


def _step(step: int | None) -> str:
    return "-" if step is None else str(step)
