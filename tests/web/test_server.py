"""A real server on 127.0.0.1: who may do what, and how it stops."""

import hashlib
import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.pixels import encode_png
from pixelproof.web.server import Access, address, bind, file_url

PNG = encode_png(np.zeros((4, 4, 3), np.uint8)).data
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


class Server:
    """The small application in a process of its own, and a client."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "a.file").write_bytes(PNG)
        (folder / "b.file").write_bytes(SVG)
        program = Path(__file__).with_name("small_app.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().strip()
        parts = urlsplit(self.url)
        self.host, self.port, self.token = parts.hostname, parts.port, parse_qs(parts.query)["token"][0]

    def ask(self, path="/", method="GET", body=None, **headers):
        """Response and body; names of headers are written with underscores."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        return response, response.read()

    def sign_in(self):
        response, _ = self.ask(f"/?token={self.token}")
        return response.getheader("Set-Cookie").partition(";")[0]

    def page(self, cookie):
        return self.ask(cookie=cookie)[1].decode()

    def csrf(self, cookie):
        return self.page(cookie).partition('name="csrf-token" content="')[2].partition('"')[0]

    def votes(self, cookie):
        return int(self.page(cookie).partition('id="count">')[2].partition("<")[0])

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.communicate(timeout=15)
        return self.process.returncode


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


def test_it_listens_at_this_machine_only_by_default(server):
    assert server.host == "127.0.0.1" and server.port > 0 and len(server.token) >= 40


def test_every_start_has_secrets_of_its_own(server):
    a, b = Access(), Access()
    assert len({a.token, b.token, a.session, b.session, a.csrf, b.csrf, server.token}) == 7
    assert a.token not in repr(a) and a.session not in repr(a) and a.csrf not in repr(a)


@pytest.mark.parametrize("path", ["/", "/nowhere", "/slow", file_url(hashlib.sha256(PNG).hexdigest())])
@pytest.mark.parametrize(
    "headers",
    [{}, {"cookie": "pixelproof=x"}, {"authorization": "Bearer wrong"}, {"authorization": "Basic é"}],
    ids=["nothing", "cookie", "bearer", "basic"],
)
def test_without_the_token_there_is_nothing(server, path, headers):
    response, body = server.ask(path, **headers)
    assert response.status == 401 and b"address that the server printed" in body and b"Votes" not in body
    assert server.ask(f"{path}?token=wrong")[0].status == 401
    assert server.ask(path, method="POST", body="{}", **headers)[0].status == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(server):
    response, body = server.ask(f"/?token={server.token}")
    cookie = response.getheader("Set-Cookie")
    assert response.status == 200 and response.getheader("Refresh") == "0; url=/"
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    assert server.token not in cookie and server.token.encode() not in body
    response, body = server.ask(cookie=cookie.partition(";")[0])
    assert response.status == 200 and b"Votes" in body and server.token.encode() not in body
    assert response.getheader("Set-Cookie") is None


def test_the_token_never_leads_to_another_server(server):
    response, _ = server.ask(f"//evil.example/?token={server.token}")
    assert response.getheader("Refresh") == "0; url=/" and response.getheader("Location") is None


def test_a_script_may_send_the_token_as_authorisation(server):
    bearer = {"authorization": f"Bearer {server.token}"}
    assert server.ask(**bearer)[0].status == 200
    response, body = server.ask("/votes", "POST", '{"choice": 1}', **bearer)
    assert response.status == 200 and b"votes" in body


HOSTS = ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "[::1]:{port}", "192.168.0.7"]
STRANGERS = ["evil.example:{port}", "localhost.evil.example", "127.0.0.1.nip.io:{port}", "", "a b", "[::1", "x:y:z"]


@pytest.mark.parametrize("host", [*HOSTS, *STRANGERS])
@pytest.mark.attack("requests to the server under the name of another host")
def test_names_of_strangers_are_refused(server, host):
    response, _ = server.ask(cookie=server.sign_in(), host=host.format(port=server.port))
    assert response.status == (200 if host in HOSTS else 421)
    response, _ = server.ask(f"/?token={server.token}", host=host.format(port=server.port))
    assert (response.getheader("Set-Cookie") is not None) == (host in HOSTS)


def test_a_page_of_ours_may_change_something_and_no_other(server):
    cookie = server.sign_in()
    csrf, before = server.csrf(cookie), server.votes(cookie)
    own = {"cookie": cookie, "x_csrf_token": csrf}
    origin = f"http://127.0.0.1:{server.port}"
    for refused in (
        {"cookie": cookie},
        {"cookie": cookie, "x_csrf_token": "wrong"},
        {"cookie": cookie, "x_csrf_token": server.token},
        own | {"origin": "http://evil.example"},
        own | {"origin": "null"},
        own | {"origin": f"http://127.0.0.1:{server.port + 1}"},
        own | {"sec_fetch_site": "cross-site"},
        own | {"sec_fetch_site": "same-site"},
    ):
        response, _ = server.ask("/votes", "POST", '{"choice": 2}', **refused)
        assert response.status == 403, refused
    assert server.votes(cookie) == before
    for allowed in (own, own | {"origin": origin, "sec_fetch_site": "same-origin"}):
        assert server.ask("/votes", "POST", '{"choice": 2}', **allowed)[0].status == 200
    assert server.votes(cookie) == before + 2


def test_what_cannot_be_read_is_explained(server):
    bearer = {"authorization": f"Bearer {server.token}"}
    for body in ("", "{", "[1]", b"\xff\xfe", "7"):
        response, told = server.ask("/votes", "POST", body, **bearer)
        assert response.status == 400 and b"JSON object" in told
    response, told = server.ask("/votes", "POST", "{}", **bearer)
    assert response.status == 400 and told == b"A vote needs a choice."
    assert server.ask("/votes", **bearer)[0].status == 405 and server.ask("/nowhere", **bearer)[0].status == 404


def test_an_error_of_ours_tells_nothing_to_the_page(server):
    response, body = server.ask("/broken", authorization=f"Bearer {server.token}")
    assert response.status == 500 and b"secret" not in body and b"Traceback" not in body
    assert response.getheader("X-Content-Type-Options") == "nosniff"


def test_large_requests_are_refused(server):
    bearer = {"authorization": f"Bearer {server.token}"}
    before = server.votes(server.sign_in())
    large = '{"choice": 1, "x": "' + "a" * 2000 + '"}'
    assert server.ask("/votes", "POST", large, **bearer)[0].status == 413
    chunks = iter([large[:900].encode(), large[900:].encode()])  # no Content-Length: it is counted while it is read
    assert server.ask("/votes", "POST", chunks, **bearer)[0].status == 413
    try:
        assert server.ask("/" + "a" * 300_000, **bearer)[0].status == 400
    except ConnectionError:  # closed while we still wrote
        pass
    assert server.votes(server.sign_in()) == before


@pytest.mark.parametrize("path", ["/", "/nowhere", "/votes", "/files/x"])
@pytest.mark.parametrize("signed_in", [True, False])
def test_every_response_has_the_headers(server, path, signed_in):
    response, _ = server.ask(path, **({"cookie": server.sign_in()} if signed_in else {}))
    assert response.getheader("Content-Security-Policy").startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in response.getheader("Content-Security-Policy")
    assert "unsafe" not in response.getheader("Content-Security-Policy")
    expected = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Server": None,
        "Access-Control-Allow-Origin": None,
    }
    assert {name: response.getheader(name) for name in expected} == expected


def test_files_are_found_by_their_content(server):
    bearer = {"authorization": f"Bearer {server.token}"}
    response, body = server.ask(file_url(hashlib.sha256(PNG).hexdigest()), **bearer)
    assert body == PNG and response.getheader("Content-Type") == "image/png"
    assert "immutable" in response.getheader("Cache-Control")
    response, body = server.ask(file_url(hashlib.sha256(SVG).hexdigest()), **bearer)  # it could run a script
    assert body == SVG and response.getheader("Content-Type") == "application/octet-stream"
    assert response.getheader("Content-Disposition") == "attachment"


@pytest.mark.parametrize(
    "key",
    [
        "a.file", "../votes.db", "..%2fvotes.db", "%2e%2e/votes.db", "/etc/passwd", "f" * 64, "0" * 64, "0" * 63,
        hashlib.sha256(PNG).hexdigest().upper(), hashlib.sha256(PNG).hexdigest() + "/", "", "a%00", "é",
    ],
)  # fmt: skip
@pytest.mark.attack("paths outside of the served files")
def test_files_are_not_found_by_anything_else(server, key):
    path = "/files/" + (key if key.isascii() else "%C3%A9")
    response, _ = server.ask(path, authorization=f"Bearer {server.token}")
    assert response.status in (307, 404) and response.getheader("Content-Type") != "image/png"
    with pytest.raises(ValueError, match="hexadecimal"):
        file_url(key if key not in ("f" * 64, "0" * 64) else "x")


def test_web_sockets_are_refused(server):
    upgrade = {"upgrade": "websocket", "connection": "Upgrade", "sec_websocket_key": "x", "sec_websocket_version": "13"}
    assert server.ask(authorization=f"Bearer {server.token}", **upgrade)[0].status != 101


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_when_it_is_told_and_ends_what_it_has_begun(tmp_path, how):
    server = Server(tmp_path)
    answers = []
    bearer = {"authorization": f"Bearer {server.token}"}
    client = threading.Thread(target=lambda: answers.append(server.ask("/slow", **bearer)[1]))
    client.start()
    while not (tmp_path / "began").exists():
        time.sleep(0.02)
    assert server.stop(how) == 0
    client.join()
    assert answers == [b"done"] and (tmp_path / "stopped").exists()
    with pytest.raises(OSError):
        server.ask()


@pytest.mark.slow
def test_an_acknowledged_vote_survives_kill_9(tmp_path):
    server = Server(tmp_path)
    bearer = {"authorization": f"Bearer {server.token}"}
    for choice in range(5):
        assert server.ask("/votes", "POST", f'{{"choice": {choice}}}', **bearer)[0].status == 200
    server.stop(signal.SIGKILL)
    again = Server(tmp_path)
    assert again.votes(again.sign_in()) == 5
    assert again.ask(cookie=f"pixelproof-{again.port}={server.token}")[0].status == 401
    again.stop()


def test_an_address_that_is_taken_is_explained():
    with bind() as taken:
        with pytest.raises(PixelProofError, match=r"choose another --port"):
            bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(PixelProofError, match="choose another --port or --host"):
        bind("203.0.113.1", 0, public=True)
    with pytest.raises(PixelProofError, match="between 0 and 65535"):
        bind("127.0.0.1", 99_999)


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_addresses_of_version_6_are_written_with_brackets():
    assert address(Access("::1", token="t"), 80) == "http://[::1]:80/?token=t"


@pytest.mark.slow
def test_a_missing_library_names_the_extra():
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "import pixelproof.web, pixelproof.cli\n"
        "try:\n    import pixelproof.web.server\n"
        "except pixelproof.contract.PixelProofError as error:\n    print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'pixelproof[web]'" in told and told.count("\n") == 1


@pytest.mark.slow
def test_a_browser_signs_in_and_votes(browser, server):
    page = browser.new_context().new_page()
    errors = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url)
    page.wait_for_selector("#vote")
    assert page.url == f"http://127.0.0.1:{server.port}/" and page.evaluate("document.cookie") == ""
    before = int(page.locator("#count").inner_text())
    page.locator("#vote").click()
    page.locator("#count", has_text=str(before + 1)).wait_for()
    assert errors == []
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), { textContent: 'alert(1)' }))")
    assert any("Content Security Policy" in error for error in errors)
