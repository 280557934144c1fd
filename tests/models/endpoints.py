"""Endpoints and requests for the tests of HTTP models."""

from __future__ import annotations

import pytest

from models.servers import KEY, QUICK
from pixelproof.models.http import Endpoint, Limits, Service
from pixelproof.models.http._post import RequestFailed

GOOD = {"data": "x" * 1000}


def service(url: str, key: str = KEY) -> Service:
    return Service(url, key, "SOME_BASE_URL", "SOME_API_KEY")


def endpoint(url: str, limits: Limits = QUICK, proven: bool = True) -> Endpoint:
    made = Endpoint(service(url), {"Authorization": f"Bearer {KEY}"}, limits)
    made.proven = proven
    return made


def ask(url: str, limits: Limits = QUICK, proven: bool = True, body: bytes = b"{}"):
    return endpoint(url, limits, proven).post("/path", body, "application/json").content


def failure_of(url: str, limits: Limits = QUICK, proven: bool = True, body: bytes = b"{}"):
    with pytest.raises(RequestFailed) as caught:
        ask(url, limits, proven, body)
    return caught.value.failure
