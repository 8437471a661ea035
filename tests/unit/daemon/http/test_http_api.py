"""The HTTP interface over true parts: a published store, no watching thread."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer

from support.checkpoints import describe_tree
from support.repositories import Publisher
from support.running import wait_until
from support.settings import make_settings
from weightzip.daemon.components import Components, build_components
from weightzip.daemon.http.server import build_app
from weightzip.daemon.places import choose_places
from weightzip.daemon.store import open_store

Answer = tuple[int, Mapping[str, str], bytes]


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Components]:
    """Give the parts of a daemon that has opened a store with steps 100 and 200, 200 against 100."""
    (tmp_path / "ckpt").mkdir()
    publisher = Publisher(open_store(str(tmp_path / "store")), tmp_path)
    publisher.publish_chain(100, 200)
    settings = make_settings(tmp_path, server={"allowed_hosts": ["sidecar.internal"]})
    components = build_components(settings, choose_places(settings))
    components.gateway.start()
    assert components.gateway.wait(30) is not None
    components.started.set()
    yield components
    components.gateway.stop()


def ask(parts: Components, *calls: tuple[str, str, dict[str, Any]]) -> list[Answer]:
    """Make calls one after another: (method, path, keyword arguments of the client)."""

    async def run() -> list[Answer]:
        async with TestClient(TestServer(build_app(parts))) as client:
            answers: list[Answer] = []
            for method, path, arguments in calls:
                async with client.request(method, path, **arguments) as response:
                    answers.append((response.status, response.headers, await response.read()))
            return answers

    return asyncio.run(run())


def with_client(parts: Components, use: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        async with TestClient(TestServer(build_app(parts))) as client:
            await use(client)

    asyncio.run(run())


def source_file(tmp_path: Path, step: int) -> bytes:
    return (tmp_path / "source" / f"checkpoint-{step}" / "model.safetensors").read_bytes()


FILE = "/v1/checkpoints/200/files/model.safetensors"


def test_probes_follow_the_life_of_the_daemon(parts: Components) -> None:
    parts.watch_loop.start()
    parts.pipeline.start()
    statuses = [
        answer[0]
        for answer in ask(parts, *(("GET", path, {}) for path in ("/livez", "/startupz", "/readyz")))
    ]
    assert statuses == [200, 200, 200]
    parts.started.clear()
    statuses = [
        answer[0]
        for answer in ask(parts, *(("GET", path, {}) for path in ("/livez", "/startupz", "/readyz")))
    ]
    assert statuses == [200, 503, 503]
    parts.started.set()
    assert ask(parts, ("POST", "/v1/drain", {}))[0][0] == 202
    assert ask(parts, ("GET", "/readyz", {}))[0][0] == 503
    assert parts.stop_threads(10)


def test_a_dead_worker_thread_is_no_life(parts: Components) -> None:
    parts.watch_loop.start()
    assert ask(parts, ("GET", "/livez", {}))[0][0] == 500
    parts.watch_loop.stop(10)


def test_checkpoints_are_listed_newest_first(parts: Components) -> None:
    status, _, body = ask(parts, ("GET", "/v1/checkpoints", {}))[0]
    listed = json.loads(body)["checkpoints"]
    assert (status, [(c["step"], c["chain_depth"]) for c in listed]) == (200, [(200, 1), (100, 0)])
    assert {file["path"] for file in listed[0]["files"]} >= {
        "model.safetensors",
        "nested/optimizer.safetensors",
    }


def test_status_tells_of_store_and_fencing(parts: Components) -> None:
    status = json.loads(ask(parts, ("GET", "/v1/status", {}))[0][2])
    assert status["store"]["checkpoints"] == 2
    assert status["store"]["fenced"] is True
    assert status["newest_step"] == {"complete": None, "committed": 200}


@pytest.mark.parametrize("selector", ["200", "latest", "checkpoint-200"])
def test_a_file_is_decoded_on_the_way(parts: Components, tmp_path: Path, selector: str) -> None:
    status, headers, body = ask(parts, ("GET", f"/v1/checkpoints/{selector}/files/model.safetensors", {}))[0]
    assert status == 200
    assert body == source_file(tmp_path, 200)
    assert headers["Content-Length"] == str(len(body))


def test_ranges_etags_and_heads(parts: Components, tmp_path: Path) -> None:
    data = source_file(tmp_path, 200)
    whole, head, part, past = ask(
        parts,
        ("GET", FILE, {}),
        ("HEAD", FILE, {}),
        ("GET", FILE, {"headers": {"Range": "bytes=10-19"}}),
        ("GET", FILE, {"headers": {"Range": f"bytes={len(data)}-"}}),
    )
    etag = whole[1]["ETag"]
    assert (head[0], head[2], head[1]["Content-Length"], head[1]["ETag"]) == (200, b"", str(len(data)), etag)
    assert (part[0], part[2], part[1]["Content-Range"]) == (206, data[10:20], f"bytes 10-19/{len(data)}")
    assert (past[0], past[1]["Content-Range"]) == (416, f"bytes */{len(data)}")
    same, other, patched = ask(
        parts,
        ("GET", FILE, {"headers": {"If-None-Match": f'"x", {etag}'}}),
        ("GET", FILE, {"headers": {"Range": "bytes=0-3", "If-Range": '"other"'}}),
        ("GET", FILE, {"headers": {"Range": "bytes=0-3", "If-Range": etag}}),
    )
    assert (same[0], same[2]) == (304, b"")
    assert (other[0], other[2]) == (200, data)
    assert (patched[0], patched[2]) == (206, data[:4])


def test_an_empty_file_is_served(parts: Components) -> None:
    assert ask(parts, ("GET", "/v1/checkpoints/100/files/empty.bin", {}))[0][::2] == (200, b"")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/v1/checkpoints/999/files/model.safetensors", "NotFound"),
        ("/v1/checkpoints/200/files/none", "NotFound"),
        ("/v1/checkpoints/" + "9" * 5000 + "/files/model.safetensors", "NotFound"),
        ("/v1/checkpoints/200/files/..%2F..%2Fetc%2Fpasswd", "NotFound"),
        ("/v1/restore/unknown", "NotFound"),
        ("/nowhere", "HttpNotFound"),
    ],
)
def test_what_is_not_there_is_a_json_error(parts: Components, path: str, error: str) -> None:
    from yarl import URL

    async def use(client: Any) -> None:
        response: ClientResponse = await client.get(URL(path, encoded=True))
        assert (response.status, (await response.json())["error"]) == (404, error)

    with_client(parts, use)


def test_a_damaged_object_is_an_error_not_wrong_bytes(parts: Components, tmp_path: Path) -> None:
    for archive in (tmp_path / "store" / "objects").rglob("*.wzst"):
        archive.write_bytes(archive.read_bytes()[:-1] + b"x")
    status, _, body = ask(parts, ("GET", FILE, {}))[0]
    assert status == 502
    assert json.loads(body)["error"] == "CorruptData"


def test_a_restore_is_queued_and_told_about(parts: Components, tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        response = await client.post("/v1/restore", json={"selector": 200})
        assert response.status == 202
        job = await response.json()
        assert response.headers["Location"] == f"/v1/restore/{job['id']}"
        for _ in range(500):
            shown = await (await client.get(f"/v1/restore/{job['id']}")).json()
            if shown["state"] in {"READY", "FAILED"}:
                break
            await asyncio.sleep(0.02)
        assert shown["state"] == "READY", shown
        assert shown["done_bytes"] == shown["total_bytes"] > 0
        assert shown["result"]["fell_back"] is False

    with_client(parts, use)
    assert describe_tree(tmp_path / "ckpt" / "checkpoint-200") == describe_tree(
        tmp_path / "source" / "checkpoint-200"
    )


def test_a_failed_restore_says_why(parts: Components) -> None:
    async def use(client: Any) -> None:
        job = await (await client.post("/v1/restore", json={"selector": 7})).json()
        for _ in range(500):
            shown = await (await client.get(f"/v1/restore/{job['id']}")).json()
            if shown["state"] == "FAILED":
                break
            await asyncio.sleep(0.02)
        assert shown["error"]["error"] == "NotFound"

    with_client(parts, use)


@pytest.mark.parametrize("name", ["occupied", "x" * 300])
def test_a_target_that_cannot_be_a_directory_fails_by_name(
    parts: Components, tmp_path: Path, name: str
) -> None:
    (tmp_path / "ckpt" / "occupied").write_text("a file")
    job = parts.restores.submit("latest", str(tmp_path / "ckpt" / name))
    wait_until(lambda: job.state == "FAILED")
    assert name in str(job.error)
    assert "Error:" not in str(job.error)


@pytest.mark.parametrize("target", ["/etc", "relative", "{ckpt}/../outside", "{ckpt}/link", "{ckpt}/\0", ""])
def test_a_restore_never_leaves_its_directory(parts: Components, tmp_path: Path, target: str) -> None:
    (tmp_path / "ckpt" / "link").symlink_to(tmp_path)
    body = {"to": target.format(ckpt=tmp_path / "ckpt")}
    status, _, answer = ask(parts, ("POST", "/v1/restore", {"json": body}))[0]
    assert (status, json.loads(answer)["error"]) == (400, "UsageError")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"selektor": 1}',
        b'{"selector": []}',
        b'{"selector": true}',
        b'{"selector": -1}',
        b'{"if_empty": "yes"}',
        b"[]",
        b"\xff",
        b"[" * 20_000,
    ],
)
def test_a_wrong_body_is_named(parts: Components, body: bytes) -> None:
    status, _, answer = ask(parts, ("POST", "/v1/restore", {"data": body}))[0]
    assert (status, json.loads(answer)["error"]) == (400, "UsageError")


def test_a_large_body_is_refused(parts: Components) -> None:
    assert ask(parts, ("POST", "/v1/restore", {"data": b" " * (1 << 20)}))[0][0] == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": "10.1.2.3:9440"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[bad"}, 403),
        ({"Host": "localhost:9440"}, 202),
        ({"Host": "[::1]:9440"}, 202),
        ({"Host": "sidecar.internal:9440"}, 202),
        ({"Origin": "http://localhost:3000"}, 202),
    ],
)
def test_foreign_names_and_pages_cannot_change_anything(
    parts: Components, headers: dict[str, str], status: int
) -> None:
    assert ask(parts, ("POST", "/v1/drain", {"headers": headers}))[0][0] == status


def test_probes_and_metrics_answer_to_any_name(parts: Components) -> None:
    assert ask(parts, ("GET", "/metrics", {"headers": {"Host": "10.1.2.3:9440"}}))[0][0] == 200


def test_a_prefetch_is_accepted_and_fills_the_cache(parts: Components) -> None:
    assert parts.cache.used_bytes == 0
    status, _, body = ask(parts, ("POST", "/v1/prefetch", {"json": {"selector": "latest"}}))[0]
    assert (status, json.loads(body)) == (202, {"step": 200})
    while parts.prefetcher.is_busy:
        pass
    assert parts.cache.used_bytes > 0


def test_a_flush_waits_for_its_deadline_at_most(parts: Components) -> None:
    # No thread looks or works here, so the flush cannot come to an end.
    status, _, body = ask(parts, ("POST", "/v1/flush?deadline=100ms", {}))[0]
    assert (status, json.loads(body)["flushed"]) == (504, False)
    assert ask(parts, ("POST", "/v1/flush?deadline=soon", {}))[0][0] == 400


def test_before_the_store_is_open_the_answer_is_unavailable(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    components = build_components(settings, choose_places(settings))
    assert ask(components, ("GET", FILE, {}))[0][0] == 503
    assert ask(components, ("GET", "/v1/status", {}))[0][0] == 200
