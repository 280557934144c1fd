"""Servers: an application factory with access control, by default for this machine only.

`application` makes an ASGI application of routes, with access control and security headers around them; `serve` runs it
until it is stopped. What applications need of Starlette is exported too. Needs the extra `web`: without it, importing
this package raises a PixelProofError that names it.
"""

from pixelproof.contract import PixelProofError

try:
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    from ._access import Access, MemberAccess, Visitor, new_member
    from ._application import application, post_json, respond, whole_number
    from ._files import ContentFiles, file_url
    from ._limits import Limits, RateLimit
    from ._serving import address, base_url, bind, check_address, is_loopback, serve
except ModuleNotFoundError as error:
    raise PixelProofError(f"A server needs {error.name}: run pip install 'pixelproof[web]'.") from error

__all__ = [
    "Access",
    "ContentFiles",
    "JSONResponse",
    "Limits",
    "MemberAccess",
    "RateLimit",
    "Request",
    "Response",
    "Route",
    "Visitor",
    "address",
    "application",
    "base_url",
    "bind",
    "check_address",
    "file_url",
    "is_loopback",
    "new_member",
    "post_json",
    "respond",
    "serve",
    "whole_number",
]
