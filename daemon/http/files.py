"""`GET /v1/checkpoints/{step}/files/{path}`: one file of a committed checkpoint, decoded on the way, with ranges."""

from asyncio import to_thread
from contextlib import ExitStack

from aiohttp import web

from weightzip.codec.reader import Archive
from weightzip.daemon.checkpoint import FileEntry
from weightzip.daemon.components import Components
from weightzip.daemon.http.context import components_of
from weightzip.daemon.http.ranges import ByteRange, UnsatisfiableRange, parse_range
from weightzip.daemon.restore.chain import open_chain
from weightzip.daemon.restore.fetch import ObjectFetcher
from weightzip.daemon.store.manifest import Manifest
from weightzip.errors import NotFound

_PIECE_BYTES = 4 << 20


async def get_file(request: web.Request) -> web.StreamResponse:
    """Answer the bytes of a file, or the part that Range asks for. The ETag is the file's digest.

    Only the frames that hold the wanted bytes are decoded, piece by piece; nothing is written but the cache.
    """
    parts = components_of(request)
    step, path = request.match_info["step"], request.match_info["path"]
    manifest, entry = await to_thread(_find, parts, step, path)
    etag = f'"{entry.digest}"'
    headers = {"ETag": etag, "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}
    if etag in [tag.strip() for tag in request.headers.get("If-None-Match", "").split(",")]:
        return web.Response(status=304, headers=headers)
    # A range of another version of the file would be patchwork: then the whole file is the answer.
    conditional = request.headers.get("If-Range")
    header = request.headers.get("Range") if conditional in {None, etag} else None
    try:
        wanted = parse_range(header, entry.size_bytes)
    except UnsatisfiableRange as error:
        raise web.HTTPRequestRangeNotSatisfiable(
            text=str(error), headers={"Content-Range": f"bytes */{entry.size_bytes}"}
        ) from None
    part = wanted or ByteRange(0, entry.size_bytes)
    headers["Content-Length"] = str(part.end - part.start)
    if wanted is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{entry.size_bytes}"
    response = web.StreamResponse(status=200 if wanted is None else 206, headers=headers)
    if request.method == "HEAD":
        return response
    return await _send(request, response, parts, manifest, entry, part)


def _find(parts: Components, step: str, path: str) -> tuple[Manifest, FileEntry]:
    manifest = parts.gateway.require().load(step)
    entry = manifest.find_file(path)
    if entry is None:
        raise NotFound(f"checkpoint {manifest.name!r} has no file {path!r}")
    return manifest, entry


async def _send(
    request: web.Request,
    response: web.StreamResponse,
    parts: Components,
    manifest: Manifest,
    entry: FileEntry,
    part: ByteRange,
) -> web.StreamResponse:
    with ExitStack() as stack:
        archive = await to_thread(_open, stack, parts, manifest, entry)

        def read(start: int) -> bytes:
            return bytes(archive.read_range(start, min(_PIECE_BYTES, part.end - start)))

        # The first piece is decoded before the status line: its failure can still be told properly.
        piece = await to_thread(read, part.start) if part.end > part.start else b""
        await response.prepare(request)
        position = part.start
        while piece:
            await response.write(piece)
            position += len(piece)
            piece = await to_thread(read, position) if position < part.end else b""
        await response.write_eof()
    return response


def _open(stack: ExitStack, parts: Components, manifest: Manifest, entry: FileEntry) -> Archive:
    fetcher = stack.enter_context(ObjectFetcher(parts.gateway.require().store))
    return stack.enter_context(open_chain(manifest.list_needed(entry.digest or ""), parts.cache, fetcher))
