"""Storage on gs://, against the emulator gcp-storage-emulator of PyPI.

The emulator ignores preconditions, which is why we refuse it; with the one that we need added to it, everything works.
"""

import os
import uuid
from http import HTTPStatus

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, local_path, writable
from pixelproof.store.remote import find_damaged, pull
from store.remote.support import elsewhere, fill, tree, uploaded

pytestmark = pytest.mark.slow
gcsfs = pytest.importorskip("gcsfs", reason="the extra gs is not installed")
emulator = pytest.importorskip("gcp_storage_emulator.server", reason="gcp-storage-emulator is not installed")


@pytest.fixture(scope="module")
def service():
    server = emulator.create_server("127.0.0.1", 0, in_memory=True, default_bucket="lab")
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        port = server._api._httpd.server_address[1]
        patch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
        gcsfs.GCSFileSystem.clear_instance_cache()
        yield
    gcsfs.GCSFileSystem.clear_instance_cache()
    server.stop()


@pytest.fixture
def bucket(service):
    return f"gs://lab/{uuid.uuid4().hex[:8]}"


@pytest.fixture
def conditional(monkeypatch):
    """Let the emulator honour `ifGenerationMatch=0`: the object must not exist."""
    from gcp_storage_emulator.exceptions import NotFound
    from gcp_storage_emulator.handlers import objects

    genuine = objects._multipart_upload

    def upload(request, response, storage):
        if request.query.get("ifGenerationMatch") == ["0"]:
            try:
                storage.get_file_obj(request.params["bucket_name"], request.data["meta"]["name"])
            except NotFound:
                pass
            else:
                response.status = HTTPStatus.PRECONDITION_FAILED
                return response.json({"error": {"code": 412, "message": "conditionNotMet"}})
        return genuine(request, response, storage)

    monkeypatch.setattr(objects, "_multipart_upload", upload)


def test_storage_that_ignores_conditions_is_refused(bucket):
    with pytest.raises(PixelProofError, match="ignores conditional requests"):
        writable(f"{bucket}/a").__enter__()


def test_a_folder_comes_back(bucket, conditional, tmp_path):
    url = f"{bucket}/Ünï côde/a"
    with writable(url) as copy:
        keys = fill(copy)
    assert BlobStore(local_path(url) / "blobs").get(keys[1])
    with writable(url) as copy:
        (copy / "card.json").write_text('{"content": "new"}')
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == uploaded(copy) and list(find_damaged(bucket)) == []
    assert os.listdir(local_path(bucket)) == ["Ünï côde"]


def test_of_two_writers_one_gets_a_message(bucket, conditional, tmp_path, monkeypatch):
    with writable(f"{bucket}/two") as copy:
        fill(copy)
        elsewhere(monkeypatch, tmp_path)
        with pytest.raises(PixelProofError, match="Another process is writing gs://.*wait until it ends"):
            writable(f"{bucket}/two").__enter__()
    with writable(f"{bucket}/two") as second:
        assert uploaded(second) == uploaded(copy)


def test_a_bucket_that_does_not_exist_is_a_sentence(service):
    with pytest.raises(PixelProofError, match="no bucket 'no-such-bucket'|nothing at gs://no-such-bucket"):
        local_path("gs://no-such-bucket/run")
