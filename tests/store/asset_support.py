"""Small real archives, real clients on the path, and a web server that misbehaves on demand."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import sys
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pixelproof.store import Asset, Carrier

PICTURES = {"heart.svg": b"<svg>heart</svg>", "animals/cat.svg": b"<svg>cat</svg>" * 50}
WEIGHTS = bytes(range(256)) * 4000


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel(directory: Path, package: str, version: str, files: dict[str, bytes]) -> Path:
    """A wheel that pip itself accepts."""
    stem = f"{package.replace('-', '_')}-{version}"
    info = {
        "METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    path = directory / f"{stem}-py3-none-any.whl"
    directory.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        for name, text in info.items():
            archive.writestr(f"{stem}.dist-info/{name}", text)
    return path


def tarball(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            archive.addfile(entry(name, len(data)), io.BytesIO(data))
    return path


def entry(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, target
    return info


PACK = {"xz": lzma.compress, "gz": gzip.compress, "bz2": bz2.compress, "": bytes}


def deb(path: Path, files: dict[str, bytes], packing: str = "xz") -> Path:
    """A .deb: an ar archive of a version, a control tarball, a data tarball, and here a signature."""
    plain = tarball(path.with_suffix(".data"), {f"./{name}": data for name, data in files.items()}, "w")
    data = plain.read_bytes().rstrip(b"\0")
    data += bytes(-len(data) % 512 + 1024)  # dpkg does not fill up to a whole record, as Python does
    plain.unlink()
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": b"odd",  # of odd length, so that padding matters
        f"data.tar.{packing}" if packing else "data.tar": PACK[packing](data),
        "_signature": b"signed by somebody",
    }
    with path.open("wb") as file:
        file.write(b"!<arch>\n")
        for name, data in members.items():
            file.write(f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data)
            file.write(b"\n" if len(data) % 2 else b"")
    return path


def file_asset(*sources: Carrier, data: bytes = WEIGHTS, name: str = "weights") -> Asset:
    return Asset(name, "numbers", "MIT", "ours", "test", len(data), sha(data), sources, file="weights.bin")


def folder_asset(*sources: Carrier, files: dict[str, bytes] = PICTURES, name: str = "pictures") -> Asset:
    blank = Asset(name, "drawings", "MIT", "ours", "test", sum(map(len, files.values())), "", sources, files=len(files))
    print_ = blank.fingerprint({path: sha(data) for path, data in files.items()})
    return Asset(**{**vars(blank), "sha256": print_})


NPM = Carrier("npm", "@art/icons", "1.0.0", {"package/svg/": ["*.svg"]}, skip=["brand-*"], size=1000)
PYPI = Carrier("pypi", "some-weights", "0.1.0", {"some_weights/": ["weights.bin"]}, size=1000)


def client(directory: Path, name: str, body: str) -> None:
    """An executable of that name, written in Python; `calls` beside it counts how often it ran."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(
        f"#!{sys.executable}\nimport os, shutil, sys, time\nfrom pathlib import Path\n"
        f"words = sys.argv[1:]\nopen({str(directory / 'calls')!r}, 'a').write(' '.join(words) + '\\n')\n{body}\n"
    )
    path.chmod(0o755)


def calls(directory: Path) -> list[str]:
    path = directory / "calls"
    return path.read_text().splitlines() if path.exists() else []


def npm_with(directory: Path, archive: Path) -> None:
    """An npm whose registry is one archive."""
    client(directory, "npm", f"shutil.copy({str(archive)!r}, words[words.index('--pack-destination') + 1])")


class Faulty(BaseHTTPRequestHandler):
    """Serves `server.data` with ranges; `server.faults` are taken one per request."""

    def do_GET(self) -> None:
        server = self.server
        server.requests.append((self.path, self.headers.get("Range")))
        fault = server.faults.pop(0) if server.faults else None
        data, start = server.data, int(re.match(r"bytes=(\d+)-", self.headers.get("Range", "bytes=0-"))[1])
        if isinstance(fault, int) or start >= len(data):
            return self.send_error(fault or 416)
        if fault == "redirect":
            return self.answer(302, Location="/elsewhere")
        if fault in ("no ranges", "no ranges, cut"):
            status, body = 200, data
        else:
            status, body = 206, data[start:]
        first = start + 5 if fault == "wrong range" else start
        body += b"x" * (3 << 20) if fault == "too much" else b""
        self.answer(status, len(body), Content_Range=f"bytes {first}-{len(data) - 1}/{len(data)}")
        if fault in ("cut", "no ranges, cut"):
            body = body[: max(1, len(body) // 3)]
            self.close_connection = True
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        """What the client of the hub asks first."""
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault:
            return self.send_error(fault)
        self.answer(200, len(self.server.data), ETag=f'"{sha(self.server.data)}"', X_Repo_Commit="c" * 40)

    def answer(self, status: int, length: int = 0, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        return None


@contextmanager
def web(data: bytes, *faults: str | int):
    """A server for one file, with the faults of its first replies."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    server.data, server.faults, server.requests = data, list(faults), []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
