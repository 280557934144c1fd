"""What is said when a storage service refuses, fails, or is none: a sentence, and no secrets."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import local_path, writable
from store.remote.support import VARIABLES

pytestmark = pytest.mark.slow
ERROR = "<?xml version='1.0'?><Error><Code>{}</Code><Message>{}</Message></Error>"
LISTING = "<?xml version='1.0'?><ListBucketResult><Name>lab</Name><KeyCount>0</KeyCount></ListBucketResult>"


@pytest.fixture
def service(monkeypatch):
    """A server that gives every request the same reply, which the test sets."""
    s3fs = pytest.importorskip("s3fs", reason="the extra s3 is not installed")
    reply = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # answers Expect: 100-continue

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            permitted = {"GET": (200, LISTING), "HEAD": (404, "")} if reply.get("readable") else {}
            status, body = permitted.get(self.command, reply["reply"])
            body = body.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_HEAD = do_POST = answer

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("pixelproof.store.remote._objects._PAUSES", ())
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    s3fs.S3FileSystem.clear_instance_cache()
    yield reply
    s3fs.S3FileSystem.clear_instance_cache()
    server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (403, ERROR.format("RequestTimeTooSkewed", "The difference between the request time and the current time is "
         "too large."), "set the clock of this machine"),
        (400, ERROR.format("ExpiredToken", "The provided token has expired."), "renew your credentials"),
        (200, "<!DOCTYPE html><html><meta charset=utf-8><h1>Welcome</h1></html>", "another kind of server"),
        (404, "<html><body>Not here</body></html>", "another kind of server"),
        (500, ERROR.format("InternalError", "We encountered an internal error."), "try again later"),
        (503, "", "try again later"),
        (403, ERROR.format("AccessDenied", "Access Denied"), "permissions of the bucket"),
    ],
    ids=["clock", "expired", "html", "html-404", "500", "503", "denied"],
)  # fmt: skip
def test_faults_of_services_are_sentences(service, status, body, message):
    service.update(reply=(status, body))
    for use in (local_path, lambda url: writable(url).__enter__()):
        with pytest.raises(PixelProofError, match=message) as caught:
            use("s3://lab/runs/a")
        assert "\n" not in str(caught.value) and "Welcome" not in str(caught.value)
        assert all(value not in str(caught.value) for name, value in VARIABLES.items() if "ACCESS" in name)


def test_a_bucket_that_can_only_be_read_is_a_sentence(service):
    service.update(reply=(403, ERROR.format("AccessDenied", "Access Denied")), readable=True)
    with pytest.raises(PixelProofError, match=r"s3://lab/a cannot be written \(Access Denied\): check which account"):
        writable("s3://lab/a").__enter__()
    with pytest.raises(PixelProofError, match="nothing at"):
        local_path("s3://lab/a")
