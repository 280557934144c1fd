"""The application factory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pixelproof.contract import PixelProofError
from pixelproof.web._page import Page

from ._access import Access
from ._files import FILES, ContentFiles
from ._guard import Guard
from ._limits import Limits

MAX_BODY = 1 << 20
"""Bytes of a request's body, unless the application allows more."""


def application(
    routes: Sequence[Route],
    access: Access,
    files: ContentFiles | None = None,
    on_stop: Sequence[Callable[[], None]] = (),
    max_body: int = MAX_BODY,
    limits: Limits | None = None,
) -> Guard:
    """An ASGI application with access control, limits and security headers around its routes.

    Args:
        routes: Starlette routes. Handlers that are plain functions run in a thread each; `post_json` makes those that
            change something.
        access: The secrets of this start.
        files: What `/files/KEY` serves.
        on_stop: Called when the server stops, after the last request, such as `database.close`.
        max_body: Bytes that the body of a request may have.
        limits: Of requests per visitor and address; None: no limits.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        for close in on_stop:
            await run_in_threadpool(close)

    every = [*routes]
    if files is not None:
        every.append(Route(f"{FILES}/{{key}}", files.__call__))
    app = Starlette(routes=every, lifespan=lifespan, exception_handlers={PixelProofError: _explain})
    return Guard(app, access, max_body, limits)


def respond(request: Request, page: Page, status: int = 200, meta: Mapping[str, str] | None = None) -> Response:
    """A page as a response, with its content policy.

    Args:
        request: What is responded to.
        page: The page.
        status: Status of the response.
        meta: Names and contents of `meta` elements for its scripts, beside `csrf-token`.
    """
    document = page.html(policy=False, meta={"csrf-token": request.state.visitor.csrf, **(meta or {})})
    return HTMLResponse(document, status, {"Content-Security-Policy": page.policy(served=True)})


def post_json(path: str, function: Callable[..., Any], with_visitor: bool = False) -> Route:
    """A route for requests that change something: a JSON object in, JSON out.

    Args:
        path: Its path.
        function: From the object to the response; runs in a thread. A PixelProofError becomes a response with its
            message.
        with_visitor: Whether the function takes the `Visitor` before the object.
    """

    async def endpoint(request: Request) -> Response:
        try:
            data = json.loads(await request.body())
        except ValueError:  # not JSON, or not UTF-8
            data = None
        if not isinstance(data, dict):
            return PlainTextResponse("The body of this request must be a JSON object.", 400)
        arguments = (request.state.visitor, data) if with_visitor else (data,)
        return JSONResponse(await run_in_threadpool(function, *arguments))

    return Route(path, endpoint, methods=["POST"])


def whole_number(data: Mapping[str, Any], name: str) -> int:
    """A whole number of a request.

    Raises:
        PixelProofError: It is missing, or not a whole number that JavaScript can represent.
    """
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 1 << 53:
        raise PixelProofError(f"A request needs a whole number {name}.")
    return value


async def _explain(request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 400)
