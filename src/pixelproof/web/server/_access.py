"""Who may use a server: the holder of the token that it printed, and members with tokens of their own."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
MEMBER_SECONDS = 90 * 24 * 3600
"""How long a browser keeps the cookie of a member."""


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Visitor:
    """The sender of a request, as its token or cookie identifies it."""

    name: str
    """Name of a member; empty for the holder of the server's own token."""
    session: str = field(repr=False)
    """Value of the cookie."""
    csrf: str = field(repr=False)
    """What a request with the cookie must carry to change something."""
    home: str = "/"
    """The page after signing in."""


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
    url: str = ""
    """The address that visitors use, such as `https://rate.example.org`, if it is not `host`."""

    @property
    def home(self) -> str:
        """The page of the token's holder."""
        return "/"

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
            if name in ("localhost", self.host.lower()) or (self.url and name == urlsplit(self.url).hostname):
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def of_token(self, token: str) -> Visitor | None:
        """The holder of a token."""
        return Visitor("", self.session, self.csrf, self.home) if _equal(token, self.token) else None

    def of_session(self, session: str) -> Visitor | None:
        """The holder of a cookie."""
        return Visitor("", self.session, self.csrf, self.home) if _equal(session, self.session) else None

    def allows(self, visitor: Visitor, path: str) -> bool:
        """Whether a visitor may request a path."""
        return True

    def of_query(self, query: str) -> Visitor | None:
        """The holder of a token in the query of an address."""
        token = dict(parse_qsl(query)).get("token")
        return self.of_token(token) if token else None

    def of_bearer(self, headers: Headers) -> Visitor | None:
        """The holder of a token that a request carries as its authorisation."""
        scheme, _, value = headers.get("authorization", "").partition(" ")
        return self.of_token(value.strip()) if scheme.lower() == "bearer" else None

    def of_cookies(self, headers: Headers, port: int, path: str) -> Visitor | None:
        """The holder of a cookie that a request carries, if the path is allowed with it."""
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None
        for name in (cookie_name(port), cookie_name(port, member=True)):
            visitor = self.of_session(cookies[name].value) if name in cookies else None
            if visitor is not None and self.allows(visitor, path):
                return visitor
        return None

    def may_change(self, headers: Headers, visitor: Visitor) -> bool:
        """Whether a request with the cookie comes from a page of ours, and so may change something."""
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        return _equal(headers.get("x-csrf-token", ""), visitor.csrf)

    def cookie(self, port: int, visitor: Visitor) -> str:
        """The value of the header that sets the cookie of a visitor."""
        name = cookie_name(port, member=bool(visitor.name))
        secure = "; Secure" if self.url.startswith("https:") else ""
        lasting = f"; Max-Age={MEMBER_SECONDS}" if visitor.name else ""
        return f"{name}={visitor.session}; Path=/; HttpOnly; SameSite=Strict{lasting}{secure}"


@dataclass(frozen=True)
class MemberAccess(Access):
    """Access for an administrator, whose token is new at every start, and for members, whose tokens outlast it.

    A member's token is random and stored only as `member_key(token)`. Cookie and CSRF token of a member are derived
    from it, so pages that are open stay usable when the server starts again. The administrator has `/admin` and
    everything below, members have everything else, and both have `/files`.
    """

    find: Callable[[str], str | None] = field(default=lambda key: None, repr=False)
    """From a key to the name of its member; None if there is none."""

    @property
    def home(self) -> str:
        """The page of the administrator."""
        return "/admin"

    def of_token(self, token: str) -> Visitor | None:
        """The administrator, or the member who has this token."""
        return super().of_token(token) or self._member(_hash("session", token))

    def of_session(self, session: str) -> Visitor | None:
        """The administrator, or the member who has this cookie."""
        return super().of_session(session) or self._member(session)

    def allows(self, visitor: Visitor, path: str) -> bool:
        """Whether a path belongs to the visitor's part of the server."""
        return path.startswith("/files/") or (path == "/admin" or path.startswith("/admin/")) != bool(visitor.name)

    def _member(self, session: str) -> Visitor | None:
        name = self.find(_hash("key", session))
        return Visitor(name, session, _hash("csrf", session)) if name else None


def new_member() -> tuple[str, str]:
    """A random token for a new member, and the key to store in its place."""
    token = _secret()
    return token, member_key(token)


def member_key(token: str) -> str:
    """What is stored of a member's token: neither token nor cookie can be computed from it."""
    return _hash("key", _hash("session", token))


def cookie_name(port: int, member: bool = False) -> str:
    """Browsers share cookies between the ports of a host, and several servers may run."""
    return f"pixelproof-{port}{'-member' if member else ''}"


def _hash(purpose: str, secret: str) -> str:
    """One-way; secrets have 256 random bits, so a fast hash cannot be reversed by trying."""
    return hashlib.sha256(f"{purpose}\n{secret}".encode("utf-8", "replace")).hexdigest()


def _equal(a: str, b: str) -> bool:
    return secrets.compare_digest(a.encode("utf-8", "replace"), b.encode())
