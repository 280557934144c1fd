import hashlib
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.store import BlobStore


@settings(deadline=None)
@given(blobs=st.lists(st.binary(max_size=50), max_size=10))
def test_what_is_put_can_be_got(tmp_path_factory, blobs):
    store = BlobStore(tmp_path_factory.mktemp("blobs"))
    keys = [store.put(data) for data in blobs]
    assert keys == [hashlib.sha256(data).hexdigest() for data in blobs]
    assert [store.get(key) for key in keys] == blobs
    assert list(store.keys()) == sorted(set(keys))
    assert all(key in store for key in keys)


def test_layout_and_artefacts(tmp_path):
    store = BlobStore(tmp_path / "blobs")
    artefact = Artefact(b"pixels")
    key = store.put(artefact)
    assert key == artefact.sha256 == store.put(b"pixels")
    assert store.path(key) == tmp_path / "blobs" / key[:2] / key[2:]
    assert store.path(key).read_bytes() == b"pixels"
    assert [path.name for path in store.path(key).parent.iterdir()] == [key[2:]]


def test_an_existing_blob_is_not_written_again(tmp_path):
    store = BlobStore(tmp_path)
    path = store.path(store.put(b"pixels"))
    before = path.stat()
    store.put(b"pixels")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_torn_blob_is_written_again(tmp_path):
    store = BlobStore(tmp_path)
    key = store.put(b"pixels")
    store.path(key).write_bytes(b"pix")
    assert store.get(store.put(b"pixels")) == b"pixels"


def test_damage_and_absence_are_sentences(tmp_path):
    store = BlobStore(tmp_path)
    key = store.put(b"pixels")
    store.path(key).write_bytes(b"pixelz")
    with pytest.raises(PixelProofError, match=rf"{key[2:]} is damaged .*pixelproof runs repair"):
        store.get(key)
    store.path(key).unlink()
    assert key not in store
    with pytest.raises(PixelProofError, match=rf"{key[2:]} cannot be read \(No such file"):
        store.get(key)


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "a" * 63, "A" * 64, "a" * 64 + "\n"])
def test_only_keys_are_keys(tmp_path, key):
    store = BlobStore(tmp_path)
    assert key not in store and 3 not in store
    with pytest.raises(ValueError, match="64 hexadecimal"):
        store.get(key)


def test_many_threads_may_put_the_same(tmp_path):
    store = BlobStore(tmp_path)
    data = [bytes([number]) * 10_000 for number in range(20)]
    threads = [threading.Thread(target=lambda: [store.put(blob) for blob in data]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.get(hashlib.sha256(blob).hexdigest()) for blob in data] == data
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 20


def test_a_store_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PixelProofError, match="Cannot write .*--resume"):
        BlobStore(tmp_path / "file").put(b"pixels")
