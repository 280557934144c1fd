"""Keys and addresses of HTTP services: what is never repeated, followed or sent unencrypted."""

from __future__ import annotations

import logging
import shutil
import socket
import ssl
import subprocess
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest

from models.endpoints import GOOD, ask, endpoint, failure_of
from models.servers import KEY, openai_error, says, serving
from pixelproof.contract import PixelProofError
from pixelproof.models.http import Limits, Service
from pixelproof.models.http._post import RequestFailed
from pixelproof.models.http._wire import tls_context


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.attack("redirects of a service to another server")
def test_redirects_are_not_followed(status):
    with serving(says(GOOD)) as other, serving(says({}, status, Location=f"{other.url}/v1?token=abc")) as server:
        with pytest.raises(
            PixelProofError, match=r"redirects to 127\.0\.0\.1, which is not followed.*SOME_BASE_URL"
        ) as caught:
            ask(server.url)
        assert not other.seen and "token" not in str(caught.value) and len(server.seen) == 1


@pytest.mark.parametrize("host", [KEY.lower(), f"{KEY[:12]}.example.com", quote(KEY, safe=""), "a.0123456789.example"])
def test_a_key_in_the_host_of_a_redirect_is_not_shown(host):
    with serving(says({}, 302, Location=f"http://{host}/x")) as server:
        with pytest.raises(PixelProofError, match="redirects to another (host|path), which is not followed"):
            ask(server.url)


def everything_said(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))


@pytest.mark.parametrize("status", [200, 302, 400, 401, 402, 403, 404, 413, 429, 500])
def test_a_service_that_quotes_the_key_does_not_make_us_repeat_it(status, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    quoting = openai_error(f"Bad key {KEY} in 'Bearer {KEY}'; content policy of {KEY}")
    with serving(says(quoting, status, Location=f"http://other/{KEY}", X_Echo=KEY)) as server:
        made = endpoint(server.url)
        with pytest.raises((PixelProofError, RequestFailed)) as caught:
            made.post("/", b"", "text/plain")
    assert KEY not in everything_said(caught.value) + repr(made) + repr(made.service) + str(made.service)
    assert KEY not in caplog.text + "".join(capfd.readouterr())


def test_no_key_in_the_message_about_a_malformed_key(monkeypatch):
    monkeypatch.setenv("SOME_BASE_URL", "http://localhost:1")
    for wrong in (f"{KEY}\nX-Evil: yes", f"{KEY} {KEY}", KEY + "é", KEY + "\x7f"):
        monkeypatch.setenv("SOME_API_KEY", wrong)
        with pytest.raises(PixelProofError, match="SOME_API_KEY contains characters") as caught:
            Service.from_environment("SOME_BASE_URL", None, "SOME_API_KEY")
        assert KEY not in everything_said(caught.value)


def test_address_and_key_come_from_the_environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "MY_HOST_BASE_URL", "MY_HOST_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(PixelProofError, match="Set OPENAI_API_KEY to your key for api.openai.com"):
        Service.openai_compatible("openai")
    monkeypatch.setenv("OPENAI_API_KEY", f"  {KEY}\n")
    assert Service.openai_compatible("openai").key == KEY
    assert Service.openai_compatible("openai").url == "https://api.openai.com/v1"
    with pytest.raises(PixelProofError, match="There is no service 'my-host'.*set MY_HOST_BASE_URL"):
        Service.openai_compatible("my-host")
    monkeypatch.setenv("MY_HOST_BASE_URL", "http://localhost:8000/v1/")
    found = Service.openai_compatible("my-host")
    assert (found.url, found.key) == ("http://localhost:8000/v1", "")  # never the key of another service
    with pytest.raises(PixelProofError, match="OPENROUTER_API_KEY"):
        monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
        Service.openai_compatible("openrouter")


@pytest.mark.parametrize(
    "wrong",
    [
        "localhost:8000",
        "ftp://x/v1",
        "http://",
        "https://user:pass@x/v1",
        "https://x/v1?key=abc",
        "http://x#y",
        "http://x:99999",
        "http://x:y",
        "http://[::1",
        "http://x/ü",
    ],
)
def test_addresses_must_be_plain(monkeypatch, wrong):
    monkeypatch.setenv("SOME_BASE_URL", wrong)
    with pytest.raises(PixelProofError, match="plain address") as caught:
        Service.from_environment("SOME_BASE_URL", None, "SOME_API_KEY")
    assert "pass" not in str(caught.value) and "abc" not in str(caught.value)


class Proxy(BaseHTTPRequestHandler):
    asked: list[tuple[str, dict[str, str]]] = []

    def do_CONNECT(self):
        self.asked.append((self.path, dict(self.headers.items())))
        self.send_error(403, "no way")

    def log_message(self, *args):
        pass


def test_https_goes_through_the_proxy_and_the_proxy_does_not_get_the_key(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Proxy.asked.clear()
    monkeypatch.setenv("https_proxy", f"http://me:word%21@127.0.0.1:{server.server_address[1]}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    try:
        assert "403" in failure_of("https://api.example.org/v1", Limits(attempts=1)).detail
    finally:
        server.shutdown()
        server.server_close()
    ((target, headers),) = Proxy.asked
    assert target == "api.example.org:443" and KEY not in str(headers)
    assert headers["Proxy-Authorization"] == "Basic bWU6d29yZCE="


@pytest.mark.parametrize("proxy", [False, True])
def test_a_connection_that_is_never_ready_keeps_to_the_deadline(proxy, monkeypatch):
    """The silent side is the service, or a proxy that drips the reply to CONNECT."""
    released = threading.Event()
    if not proxy:
        listener = socket.create_server(("127.0.0.1", 0))
        monkeypatch.setenv("no_proxy", "localhost")
        with listener:
            began = time.monotonic()
            failure = failure_of(f"https://localhost:{listener.getsockname()[1]}", Limits(seconds=0.3))
    else:
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Slow", (Proxy,), {}))
        server.RequestHandlerClass.do_CONNECT = lambda handler: [  # type: ignore[attr-defined]
            handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n") for _ in range(500) if not released.wait(0.02)
        ]
        server.daemon_threads = True
        server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        began = time.monotonic()
        failure = failure_of("https://api.example.org/v1", Limits(seconds=0.3))
        released.set()
        server.shutdown()
        server.server_close()
    assert failure.name == "timeout" and time.monotonic() - began < 5


@pytest.fixture
def certificate(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command is needed to make a certificate")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(["openssl", "req", *kind, *names, "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context


@pytest.mark.slow
def test_certificates_are_checked_before_the_key_is_sent(certificate, monkeypatch):
    cert, context = certificate
    monkeypatch.setenv("no_proxy", "localhost")
    try:
        with serving(says(GOOD), tls=context) as server:
            tls_context.cache_clear()
            with pytest.raises(RequestFailed) as caught:
                ask(server.url)
            assert "has no valid certificate" in caught.value.failure.detail
            assert not server.seen
            monkeypatch.setenv("SSL_CERT_FILE", str(cert))
            tls_context.cache_clear()
            assert ask(server.url) == GOOD
    finally:
        tls_context.cache_clear()
