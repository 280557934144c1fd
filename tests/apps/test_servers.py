"""What every server of ours withstands from those who have no token."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.rating import invoke, make_study, picture
from apps.test_review import make_batch
from pixelproof.contract import PixelProofError
from pixelproof.web.server import bind

KINDS = ["rate", "review", "serve", "tools"]
IDLE = 250
"""Connections; more than the server has in all."""


def words(kind, folder):
    """The command that serves something in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "rate":
        return ["rate", "serve", str(make_study(folder))]
    if kind == "review":
        return ["review", "serve", str(make_batch(folder))]
    if kind == "serve":
        return ["serve", str(folder)]
    (folder / "picture.png").write_bytes(picture(1))
    return ["tools", "serve", str(folder / "picture.png"), "--http"]


class Served:
    """A server in a process of its own."""

    def __init__(self, kind, folder):
        command = [sys.executable, "-u", "-m", "pixelproof", *words(kind, folder), "--port", "0"]
        self.log = open(folder / "errors.txt", "w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        while "http" not in line:
            assert line, self.errors()
            line = self.process.stdout.readline()
        url = urlsplit(line.strip())
        self.host, self.port = url.hostname, url.port
        self.path, self.method = (url.path, "DELETE") if kind == "tools" else (url.path, "GET")
        self.token = parse_qs(url.query).get("token", [""])[0]
        if kind == "tools":
            self.token = re.fullmatch(r"Authorization: Bearer (\S+)", self.process.stdout.readline().strip())[1]

    def errors(self):
        self.log.seek(0)
        return self.log.read()

    def dial(self):
        return socket.create_connection((self.host, self.port), timeout=60)

    def ask(self, target=None, **headers):
        """The status of a request; names of headers are written with underscores."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(self.method, target or self.path, headers=named)
            return connection.getresponse().status
        finally:
            connection.close()

    def works(self):
        """Whether the holder of the token is served; DELETE without a session is answered by the application."""
        return self.ask(Authorization=f"Bearer {self.token}") == (404 if self.method == "DELETE" else 200)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)
        self.log.close()
        return self.process.returncode


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with ThreadPoolExecutor(2) as pool:
        folder = tmp_path_factory.mktemp("servers")
        running = dict(zip(KINDS, pool.map(lambda kind: Served(kind, folder / kind), KINDS), strict=True))
    yield running
    assert [served.stop() for served in running.values()] == [0, 0, 0, 0]


BEFORE = "200 connections lock everybody out of all four servers"


@pytest.mark.slow
@pytest.mark.attack("idle connections without a token, against servers", before=BEFORE, lost="no request with a token")
@pytest.mark.parametrize("kind", KINDS)
def test_trust4_connections_without_a_token_lock_nobody_out(servers, kind, record_property):
    served, idle = servers[kind], []
    try:
        for _ in range(IDLE):
            idle.append(served.dial())
            idle[-1].send(b"GET / HTTP/1.1\r\nHost: 127")
        assert served.works()
        for _ in range(IDLE):
            idle.append(served.dial())
            idle[-1].send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")  # answered with 401, and kept open
        assert served.works()
    finally:
        for connection in idle:
            connection.close()
    record_property("tries", 2 * IDLE)
    record_property("now", "of 500 connections beside them, requests with a token pass on all four servers")


@pytest.mark.slow
def test_a_connection_that_brings_no_token_is_closed(servers):
    """Silence, a request that never ends, one after the other without a token, and replies that are not read."""
    silent = [served.dial() for served in servers.values()]
    unfinished = [served.dial() for served in servers.values()]
    for connection in unfinished:
        connection.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
    for connection in (*silent, *unfinished):
        try:
            assert connection.recv(1) == b""  # fails after the client's own limit of a minute
        except ConnectionResetError:
            pass
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_admitted_connection_is_kept(servers, kind):
    served = servers[kind]
    held = http.client.HTTPConnection(served.host, served.port, timeout=60)
    bearer = {"Authorization": f"Bearer {served.token}"}
    held.request(served.method, served.path, headers=bearer)
    held.getresponse().read()
    channel, idle = held.sock, [served.dial() for _ in range(IDLE)]
    held.request(served.method, served.path, headers=bearer)
    assert held.getresponse().status in (200, 404) and held.sock in (channel, None)
    for connection in (*idle, held):
        connection.close()


QUERIES = {
    "many fields": "&".join(f"a{number}={number}" for number in range(60)),
    "many tokens": "&".join(["token=x"] * 1000),
    "separators": "&;=&&==;" * 100,
    "broken escapes": "token=%&token=%f&token=%ff%fe&%00=%zz",
    "no name": "=" * 100,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_request_without_a_token_raises(servers, kind):
    served = servers[kind]
    for query in QUERIES.values():
        assert served.ask(f"{served.path}?{query}") in (401, 429)
    headers = [
        {"Origin": "http://["}, {"Origin": "]"}, {"Cookie": "a=b; ;=;\x01"}, {"Cookie": "=" * 5000},
        {"Authorization": "Bearer " + "\xff" * 50}, {"Authorization": "Bearer"},
    ]  # fmt: skip
    for named in headers:
        assert served.ask(**named) in (400, 401, 403, 429)
    assert served.ask(Host="[") == 421 and served.ask(Content_Length="9" * 5000) in (400, 401, 413, 429)
    bearer = {"Authorization": f"Bearer {served.token}"}
    assert served.ask(f"{served.path}?{QUERIES['many fields']}", **bearer) in (200, 404)
    assert served.ask(Origin="http://[", **bearer) in (200, 403)
    assert "Traceback" not in served.errors()


@pytest.mark.slow
def test_a_cookie_with_an_origin_that_is_none_may_not_change_anything(servers):
    served = servers["review"]
    connection = http.client.HTTPConnection(served.host, served.port, timeout=60)
    connection.request("GET", f"{served.path}?token={served.token}")
    cookie = connection.getresponse().getheader("Set-Cookie").partition(";")[0]
    connection.close()
    served.method, method = "POST", served.method
    try:
        assert served.ask("/state", Cookie=cookie, Origin="http://[") == 403
    finally:
        served.method = method


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_server_asks_before_other_machines_can_reach_it(tmp_path, kind, host):
    command = words(kind, tmp_path / kind)
    files = sorted(os.listdir(tmp_path / kind))
    done = invoke(*command, "--port", 0, "--host", host)
    assert isinstance(done.exception, PixelProofError) and "add --public" in str(done.exception)
    assert "Authorization" not in done.output and "token=" not in done.output
    assert [name for name in sorted(os.listdir(tmp_path / kind)) if not name.endswith(".lock")] == files
    if host != "example.org":
        done = invoke(*command, "--port", 0, "--host", host, "--public")
        assert isinstance(done.exception, PixelProofError) and "add --url" in str(done.exception)


def test_nothing_listens_for_other_machines_without_consent():
    with pytest.raises(PixelProofError, match="--public"):
        bind("0.0.0.0")
    with bind("0.0.0.0", public=True, url="https://rate.example.org") as listener:
        assert listener.getsockname()[0] == "0.0.0.0"
