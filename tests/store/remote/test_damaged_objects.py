"""Damage of what is at a URL, or in the cache: it is noticed, and named."""

import hashlib
import pickle

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, local_path, view_problem, writable
from pixelproof.store.remote import DamagedObject, find_damaged, pull
from store.remote.support import elsewhere, fill, tree, uploaded, written


def test_a_damaged_blob_is_not_uploaded(url, tmp_path):
    with pytest.raises(PixelProofError, match="does not match its name"):
        with writable(url) as copy:
            keys = fill(copy)
            BlobStore(copy / "blobs").path(keys[0]).write_bytes(b"flipped")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda fs, name: fs.pipe_file(name, fs.cat_file(name)[:-3]), "damaged"),
        (lambda fs, name: fs.pipe_file(name, b""), "damaged"),
        (lambda fs, name: fs.pipe_file(name, bytes(byte ^ 1 for byte in fs.cat_file(name))), "damaged"),
        (lambda fs, name: fs.rm_file(name), "is missing|nothing at|no files yet"),
    ],
    ids=["cut", "empty", "flipped", "lost"],
)
def test_damage_of_any_object_is_noticed(url, tmp_path, memory, monkeypatch, damage, message):
    written(url)
    names = [name for name in memory.find(url.removeprefix("memory:/")) if "/0000000001.json" not in name]
    good = {name: memory.cat_file(name) for name in names}
    for number, name in enumerate(names):
        if name.rpartition("/")[2].startswith("empty."):
            continue  # an empty object cannot be damaged in most of these ways
        elsewhere(monkeypatch, tmp_path, f"fresh-{number}")
        damage(memory, name)
        with pytest.raises(PixelProofError, match=message):
            view = local_path(url)
            for key in BlobStore(view / "blobs").keys():
                BlobStore(view / "blobs").get(key)
        memory.pipe_file(name, good[name])


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "c:/evil", "a\\b"])
def test_manifests_cannot_write_outside_of_the_folder(url, tmp_path, memory, name):
    from pixelproof.store._files import sealed_json

    content = {
        "format": 1, "number": 1, "packs": [], "writer": None, "open": False, "removed": [], "folders": [],
        "files": {name: {"object": "x", "size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}},
    }  # fmt: skip
    root = url.removeprefix("memory:/")
    memory.pipe_file(f"{root}/x", b"x")
    memory.pipe_file(f"{root}/_pixelproof/0000000001.json", sealed_json(content))
    with pytest.raises(PixelProofError, match="leaves its folder"):
        local_path(url)


def test_a_damaged_cache_is_downloaded_again(url, tmp_path):
    copy = written(url)
    local_path(url)
    objects = [path for path in (tmp_path / "cache" / "remote" / "objects").rglob("*") if path.is_file()]
    for path in objects:
        data = bytearray(path.read_bytes())
        if data:
            data[0] ^= 1
            path.write_bytes(data)
    pull(url, tmp_path / "pulled")
    assert objects and tree(tmp_path / "pulled") == uploaded(copy)


def test_a_damaged_run_does_not_hide_the_others_of_its_folder(url, memory):
    root, parent = url.removeprefix("memory:/"), url.rpartition("/")[0]
    for name in "abcd":
        written(f"{parent}/{name}", name)  # equal objects would be in the cache already
    objects = {name: memory.find(f"{root[:-1]}{name}") for name in "abcd"}
    (table,) = (name for name in objects["b"] if "/table." in name)
    log = max(name for name in objects["c"] if name.endswith(".json") and "/_pixelproof/" in name)
    intact = memory.cat_file(table)
    memory.rm_file(table)
    memory.pipe_file(log, b"{}")
    view = local_path(parent)
    assert {name: bool(view_problem(view / name)) for name in "abcd"} == {"a": 0, "b": 1, "c": 1, "d": 0}
    assert f"{table.rpartition('/')[2]} is damaged (it is missing)" in view_problem(view / "b")
    assert tree(view / "a") and not tree(view / "b")
    assert [place.removeprefix("memory:/") for place, _ in find_damaged(parent)] == [table, log]
    memory.pipe_file(table, intact)
    assert not view_problem(local_path(parent) / "b"), "what is restored is read again"


def test_every_damaged_object_of_a_run_is_named(url, memory):
    written(url)
    names = [name for name in memory.find(url.removeprefix("memory:/")) if "/_pixelproof/" not in name]
    assert list(find_damaged(url)) == []
    for name in names:
        memory.pipe_file(name, b"other")
    assert {place.removeprefix("memory:/") for place, _ in find_damaged(url)} == set(names)
    with pytest.raises(PixelProofError, match="no run and no set"):
        list(find_damaged(f"{url}/nowhere"))


def test_the_error_for_a_damaged_object_survives_pickling():
    error = pickle.loads(pickle.dumps(DamagedObject("s3://lab/a/x", "it is missing")))
    assert (error.place, error.reason) == ("s3://lab/a/x", "it is missing") and "restore that object" in str(error)
