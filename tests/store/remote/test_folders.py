"""Folders on URLs: what comes back of what was written. The storage is fsspec's, in memory."""

import hashlib
import os

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, local_path, origin_of, writable
from pixelproof.store.remote import pull
from store.remote.support import fill, tree, uploaded, written


def test_a_folder_comes_back_as_it_was_written(url, tmp_path):
    copy = written(url)
    view = local_path(url)
    store = BlobStore(view / "blobs")
    assert all(store.get(key) for key in BlobStore(copy / "blobs").keys())
    assert tree(view) == uploaded(copy)
    assert origin_of(view) == url and origin_of(view / "card.json") == f"{url}/card.json"
    assert origin_of(copy) == url
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == uploaded(copy)
    with pytest.raises(PixelProofError, match="exists"):
        pull(url, tmp_path / "pulled")


def test_blobs_of_a_view_are_read_when_they_are_asked_for(url, tmp_path, memory):
    copy = written(url)
    keys = list(BlobStore(copy / "blobs").keys())
    store = BlobStore(local_path(url) / "blobs")
    assert not any(store.path(key).exists() for key in keys)
    assert list(store.keys()) == keys and keys[0] in store and "0" * 64 not in store
    assert store.get(keys[0]) == BlobStore(copy / "blobs").get(keys[0])
    assert store.path(keys[0]).exists() and not store.path(keys[1]).exists()
    assert store.file(keys[1]).exists()
    with pytest.raises(PixelProofError, match="cannot be read"):
        store.get("0" * 64)


def test_the_same_content_is_downloaded_once(url, tmp_path, memory, monkeypatch):
    written(url)
    first = local_path(url)
    monkeypatch.setattr(type(memory), "get_file", None)
    assert local_path(url) == first


def test_a_second_upload_sends_only_what_is_new(url, tmp_path, memory):
    written(url)
    before = set(memory.find(url.removeprefix("memory:/")))
    with writable(url) as copy:
        (copy / "card.json").write_text("new")
        key = BlobStore(copy / "blobs").put(b"one more")
    new = set(memory.find(url.removeprefix("memory:/"))) - before
    kinds = sorted(name.rpartition("/")[2].partition(".")[0][:5] for name in new if "_pixelproof" not in name)
    assert len(kinds) == 2 and "card" in kinds, new
    view = local_path(url)
    assert (view / "card.json").read_text() == "new" and BlobStore(view / "blobs").get(key) == b"one more"
    assert (view / "table.parquet").read_bytes() == b"first" * 100


def test_a_file_that_is_deleted_is_gone_and_old_objects_never_change(url, tmp_path, memory):
    written(url)
    old = local_path(url)
    objects = {name: memory.cat_file(name) for name in memory.find(url.removeprefix("memory:/"))}
    with writable(url) as copy:
        (copy / "empty.txt").unlink()
        (copy / "table.parquet").write_bytes(b"other")
    assert all(memory.cat_file(name) == data for name, data in objects.items())
    assert not (local_path(url) / "empty.txt").exists()
    assert (old / "table.parquet").read_bytes() == b"first" * 100, "a view does not change"


def test_references_are_uploaded_as_copies(url, tmp_path):
    mask = tmp_path / "mask.png"
    mask.write_bytes(b"pixels")
    key = hashlib.sha256(b"pixels").hexdigest()
    with writable(url) as copy:
        fill(copy)
        link = BlobStore(copy / "blobs").path(key)
        link.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(mask, link)
    assert BlobStore(local_path(url) / "blobs").get(key) == b"pixels"


def test_plain_files_are_mirrored_and_noticed_when_they_change(url, memory):
    root = url.removeprefix("memory:/")
    memory.pipe_file(f"{root}/images/a b.png", b"1")
    memory.pipe_file(f"{root}/images/ü.png", b"")
    view = local_path(f"{url}/images")
    assert tree(view) == {"a b.png": b"1", "ü.png": b""}
    memory.pipe_file(f"{root}/images/a b.png", b"2")
    assert tree(local_path(f"{url}/images"))["a b.png"] == b"2"
    single = local_path(f"{url}/images/a b.png")
    assert single.is_file() and single.read_bytes() == b"2"
    with pytest.raises(PixelProofError, match="nothing at memory://.*/nowhere"):
        local_path(f"{url}/nowhere")


def test_a_place_with_other_objects_is_refused(url, memory, tmp_path):
    written(url)
    parent = url.rpartition("/")[0]
    bucket = parent.rpartition("/")[0]
    for wrong in (parent, bucket):
        with pytest.raises(PixelProofError, match="exists and is no run"):
            writable(wrong).__enter__()
    for wrong in (f"{url}/inner", f"{url}/deep/inner"):
        with pytest.raises(PixelProofError, match="is inside the run or set"):
            writable(wrong).__enter__()
    memory.pipe_file(f"{parent.removeprefix('memory:/')}/answers/a.png", b"1")
    with pytest.raises(PixelProofError, match="exists and is no run"):
        writable(f"{parent}/answers").__enter__()
    assert sorted(path.name for path in local_path(parent).iterdir()) == ["a"]
    written(f"{parent}/b")
    assert sorted(path.name for path in local_path(parent).iterdir()) == ["a", "b"]
