"""Storage on S3: a server of this machine, writers that are killed, rights that are missing."""

import json
import os
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, local_path, writable
from pixelproof.store.remote import RemoteFolder, pull
from store.remote.support import fill, s3_server, tree, uploaded

pytestmark = pytest.mark.slow
SIZE = int(os.environ.get("PIXELPROOF_SOAK", "1"))


@pytest.fixture(scope="module")
def bucket():
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as url:
        yield url


def storage():
    """The object of s3fs that everything in this process uses."""
    import fsspec

    return fsspec.filesystem("s3", use_listings_cache=False)


def test_a_folder_on_s3_comes_back(bucket, tmp_path):
    url = f"{bucket}/runs/Ünï côde/a"
    with writable(url) as copy:
        keys = fill(copy)
    view = local_path(url)
    assert BlobStore(view / "blobs").get(keys[1])
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == uploaded(copy)
    with writable(url) as copy:
        (copy / "card.json").write_text('{"content": "new"}')
    assert (local_path(url) / "card.json").read_text() == '{"content": "new"}'
    parent = local_path(f"{bucket}/runs")
    assert (parent / "Ünï côde" / "a" / "card.json").exists(), "a folder of runs"


def test_of_two_writers_one_gets_a_message(bucket, tmp_path, monkeypatch):
    with writable(f"{bucket}/two") as copy:
        fill(copy)
        monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "other"))
        with pytest.raises(PixelProofError, match="Another process is writing s3://.*wait until it ends"):
            writable(f"{bucket}/two").__enter__()


def test_objects_that_others_wrote_are_a_folder_of_files(bucket):
    files = storage()
    root = bucket.removeprefix("s3://")
    for name, data in {"a.png": b"1", "empty.png": b"", "deep/b.png": b"2", "ü.txt": b"3"}.items():
        files.pipe_file(f"{root}/answers/{name}", data)
    folder = RemoteFolder(f"{bucket}/answers/")
    assert folder.names() == ["a.png", "empty.png", "ü.txt"]
    assert folder.read("empty.png", 10) == b"" and folder.read("deep/b.png", 10) == b"2"
    with pytest.raises(OSError, match="more than 0 MB"):
        folder.read("a.png", 0)
    with pytest.raises(FileNotFoundError):
        folder.read("missing.png", 10)


def test_a_bucket_that_does_not_exist_is_a_sentence(bucket):
    for use in (local_path, lambda url: writable(url).__enter__(), lambda url: RemoteFolder(url).names()):
        with pytest.raises(PixelProofError, match="no bucket 'no-such-bucket-here'|nothing at s3://no-such-bucket"):
            use("s3://no-such-bucket-here/run")


@pytest.mark.parametrize(
    ("method", "error", "message"),
    [
        ("pipe_file", PermissionError("Access Denied"), "cannot be written .*Access Denied.*permissions of the bucket"),
        ("put_file", PermissionError("Access Denied"), "cannot be written .*All files are in"),
        ("find", PermissionError("Forbidden"), "cannot be listed .*Forbidden"),
        ("find", type("NoCredentialsError", (Exception,), {})("Unable to locate credentials"), "aws configure"),
        ("find", type("EndpointConnectionError", (Exception,), {})("Could not connect"), "AWS_ENDPOINT_URL"),
        ("find", PermissionError("The difference between the request time and the current time is too large"), "time"),
        ("put_file", OSError(28, "No space left"), "cannot be written .*No space"),
    ],
)
def test_errors_of_the_storage_are_sentences(bucket, tmp_path, monkeypatch, method, error, message):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr(storage(), method, fail)
    with (
        pytest.raises(PixelProofError, match=message) as caught,
        writable(f"{bucket}/denied-{uuid.uuid4().hex}") as copy,
    ):
        fill(copy)
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in str(caught.value)


def test_errors_that_pass_are_tried_again(bucket, monkeypatch):
    monkeypatch.setattr("pixelproof.store.remote._objects._PAUSES", (0.0, 0.0))
    genuine, failures = storage().pipe_file, [TimeoutError("slow"), ConnectionResetError("reset")]

    def flaky(*args, **options):
        if failures:
            raise failures.pop()
        return genuine(*args, **options)

    monkeypatch.setattr(storage(), "pipe_file", flaky)
    with writable(f"{bucket}/flaky") as copy:
        fill(copy)
    assert not failures and (local_path(f"{bucket}/flaky") / "card.json").exists()


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from pixelproof.store import writable
from store.remote.support import fill
import fsspec
fsspec.filesystem("s3", use_listings_cache=False)
print("ready", flush=True)
for number in range(10_000):
    with writable({url!r}) as copy:
        fill(copy, f"content {{number}}", blobs=40)
    print(number, flush=True)
"""


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_readers_never_get_a_mixture_from_writers_that_are_killed(bucket, tmp_path, monkeypatch):
    url = f"{bucket}/killed"
    draw = random.Random(7)
    script = WRITER.format(path=[str(Path(__file__).parents[2])], url=url)
    contents = set()
    for moment in range(2 if SIZE == 1 else SIZE):
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as writer:
            for _ in range(1 + (moment + 1) % 3):  # "ready", then a line per upload
                writer.stdout.readline()
            time.sleep(draw.uniform(0.0, 0.4))
            writer.kill()
        monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / f"reader-{moment}"))
        try:
            view = local_path(url)
        except PixelProofError as error:
            assert "nothing at" in str(error) or "no files yet" in str(error), error
        else:
            found = tree(view)
            content = json.loads(found["card.json"])["content"]
            assert found["table.parquet"] == content.encode() * 100
            assert found["answers.parts/part-000001.parquet"] == b"sealed " + content.encode()
            store = BlobStore(view / "blobs")
            assert {f"{content} {number}".encode() for number in range(40)} <= {store.get(key) for key in store.keys()}
            contents.add(content)
        monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    assert contents
