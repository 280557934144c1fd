"""Who may use a server: the holder of the token that it printed when it started."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Access:
    """The secrets of one start of a server, and the checks of requests against them.

    The address that the server prints carries `token`. The first request with it gets a cookie with `session`, which
    later requests carry; scripts may send the token as `Authorization: Bearer …` instead. A request with the cookie
    that changes something must also carry `csrf`, which only our own pages contain.
    """

    host: str = "127.0.0.1"
    """The address that the server listens at."""
    token: str = field(default_factory=_secret, repr=False)
    session: str = field(default_factory=_secret, repr=False)
    csrf: str = field(default_factory=_secret, repr=False)

    def is_known_host(self, header: str) -> bool:
        """Whether a Host header names this machine as its user does.

        A page of a stranger whose domain name resolves to this machine (DNS rebinding) sends that name. Addresses in
        digits cannot be rebound.

        >>> access = Access()
        >>> access.is_known_host("127.0.0.1:8000"), access.is_known_host("evil.example:8000")
        (True, False)
        """
        try:
            name = urlsplit(f"//{header}").hostname or ""
            if name in ("localhost", self.host.lower()):
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def has_token(self, query: str) -> bool:
        """Whether the query of an address carries the token."""
        return any(_equal(value, self.token) for value in parse_qs(query, max_num_fields=50).get("token", ()))

    def has_bearer(self, headers: Headers) -> bool:
        """Whether a request carries the token as its authorisation."""
        scheme, _, value = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and _equal(value.strip(), self.token)

    def has_session(self, headers: Headers, port: int) -> bool:
        """Whether a request carries the cookie."""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(cookie_name(port))
        except CookieError:
            return False
        return cookie is not None and _equal(cookie.value, self.session)

    def may_change(self, headers: Headers) -> bool:
        """Whether a request with the cookie comes from a page of ours, and so may change something."""
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            return False
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        return _equal(headers.get("x-csrf-token", ""), self.csrf)

    def cookie(self, port: int) -> str:
        """The value of the header that sets the cookie."""
        return f"{cookie_name(port)}={self.session}; Path=/; HttpOnly; SameSite=Strict"


def cookie_name(port: int) -> str:
    """Browsers share cookies between the ports of a host, and several servers may run."""
    return f"pixelproof-{port}"


def _equal(a: str, b: str) -> bool:
    return secrets.compare_digest(a.encode("utf-8", "replace"), b.encode())
