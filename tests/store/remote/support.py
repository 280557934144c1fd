"""Folders like runs, and an S3 server of this machine: moto's, in a thread, or one that PIXELPROOF_S3 names."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pixelproof.store import BlobStore, writable

VARIABLES = {
    "AWS_ACCESS_KEY_ID": "testing-key",
    "AWS_SECRET_ACCESS_KEY": "testing-secret-that-nobody-may-print",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
    "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
}


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start the server and point the environment to it; yields the URL of a new bucket."""
    pytest.importorskip("s3fs", reason="the extra s3 is not installed")
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    server = None
    if not (endpoint := os.environ.get("PIXELPROOF_S3")):
        moto = pytest.importorskip("moto.server", reason="moto is not installed")
        server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, os.environ.get(name, value) if server is None else value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    bucket = f"pixelproof-{uuid.uuid4().hex[:12]}"
    boto3.client("s3").create_bucket(Bucket=bucket)
    try:
        yield f"s3://{bucket}"
    finally:
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        if server is not None:
            server.stop()


def fill(folder, content="first", blobs=3):
    """A folder like a run: files at the top, blobs, and things that stay local."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "card.json").write_text(json.dumps({"content": content}))
    (folder / "table.parquet").write_bytes(content.encode() * 100)
    (folder / "empty.txt").write_bytes(b"")
    store = BlobStore(folder / "blobs")
    keys = [store.put(f"{content} {number}".encode()) for number in range(blobs)]
    (folder / "logs" / "deep").mkdir(parents=True, exist_ok=True)
    (folder / "logs" / "deep" / "Übersicht 日本.txt").write_text("log")
    (folder / "answers.parts").mkdir(exist_ok=True)
    (folder / "answers.parts" / "journal.jsonl").write_text("rows")
    (folder / "answers.parts" / "part-000001.parquet").write_bytes(b"sealed " + content.encode())
    (folder / "shard-00001.part").mkdir(exist_ok=True)
    (folder / "shard-00001.part" / "000001.png").write_bytes(b"incomplete")
    return keys


def tree(folder):
    """Relative path → content of all files that are not hidden."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def uploaded(folder):
    return {name: data for name, data in tree(folder).items() if ".part/" not in name}


def written(url, content="first"):
    """Write a folder like a run to a URL; returns its working copy."""
    with writable(url) as copy:
        fill(copy, content)
    return copy


def elsewhere(monkeypatch, tmp_path, name="other"):
    """From here on, this process is another machine: it has another cache."""
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / name))
