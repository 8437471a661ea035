"""`POST /v1/restore` and `GET /v1/restore/{id}`."""

from asyncio import to_thread
from typing import Any

from aiohttp import web

from weightzip.daemon.http.context import components_of
from weightzip.daemon.http.failures import failure_body
from weightzip.daemon.http.requests import RestoreRequest, read_body
from weightzip.daemon.jobs.restores import RestoreJob


async def start_restore(request: web.Request) -> web.Response:
    """Queue a restore and answer 202 with its id."""
    body = await read_body(request, RestoreRequest)
    restores = components_of(request).restores
    job = await to_thread(restores.submit, body.selector, body.to, if_empty=body.if_empty)
    return web.json_response(describe_restore(job), status=202, headers={"Location": f"/v1/restore/{job.id}"})


async def show_restore(request: web.Request) -> web.Response:
    """Answer how a restore goes."""
    return web.json_response(describe_restore(components_of(request).restores.find(request.match_info["id"])))


def describe_restore(job: RestoreJob) -> dict[str, Any]:
    """Return a restore as plain values."""
    described: dict[str, Any] = {
        "id": job.id,
        "selector": job.selector,
        "to": str(job.target),
        "state": job.state,
        "done_bytes": job.done_bytes,
        "total_bytes": job.total_bytes,
        "error": failure_body(job.error) if job.error is not None else None,
        "result": None,
    }
    report = job.report
    if report is not None:
        described["result"] = {
            "path": str(report.path),
            "step": report.manifest.step if report.manifest is not None else None,
            "name": report.manifest.name if report.manifest is not None else None,
            "skipped": report.skipped,
            "fell_back": report.fell_back,
            "passed_over": [{"step": failed.step, "reason": failed.reason} for failed in report.failed],
            "restored_bytes": report.restored_bytes,
            "reused_bytes": report.reused_bytes,
            "fetched_bytes": report.fetched_bytes,
            "seconds": report.seconds,
        }
    return described
