"""Folders on URLs: what readers get while writers upload, die and compete. The storage is fsspec's, in memory."""

import hashlib
import json
import os
import sys
import time
import uuid
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, Lock, is_url, local_path, origin_of, writable
from pixelproof.store.remote import pull, push
from store.remote_support import fill, tree, uploaded

fsspec = pytest.importorskip("fsspec", reason="the extra s3 is not installed")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def url():
    return f"memory://bucket-{uuid.uuid4().hex}/runs/a"


@pytest.fixture
def memory():
    return fsspec.filesystem("memory")


def written(url, tmp_path, content="first"):
    with writable(url) as copy:
        fill(copy, content)
    return copy


@pytest.mark.parametrize(
    ("text", "expected"),
    [("s3://b/x", True), ("GS://b", True), ("runs/a", False), ("C://x", False), ("a:b", False), ("s3:/b", False)],
)
def test_urls_and_paths_are_told_apart(text, expected):
    assert is_url(text) is expected


def test_a_missing_library_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(PixelProofError, match=r"Storage on s3:// needs fsspec: run pip install 'pixelproof\[s3\]'"):
        local_path("s3://bucket/run")


def test_a_path_stays_a_path(tmp_path):
    assert local_path(tmp_path / "a") == tmp_path / "a"
    with writable(tmp_path / "new") as path:
        assert path == tmp_path / "new"
    assert local_path(f"file://{tmp_path}/a%20b") == tmp_path / "a b"
    with writable(f"file://{tmp_path}/x") as path:
        assert path == tmp_path / "x"
    assert origin_of(tmp_path) == str(tmp_path)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s4://bucket/run", "no kind of storage 's4://'; did you mean"),
        ("https://host/run", "Choose one of: s3://"),
        ("s3://key:secretsecret@bucket/run", "must not contain credentials"),
        ("memory:///", "is no address of a folder"),
        ("s3://bucket/../other", "is no address"),
        ("s3://bucket/a\nb", "is no address"),
        ("file://host/run", "names another machine"),
    ],
)
def test_wrong_urls_are_a_sentence(url, message):
    for use in (local_path, lambda place: writable(place).__enter__()):
        with pytest.raises(PixelProofError, match=message) as caught:
            use(url)
        assert "secretsecret" not in str(caught.value)


def test_a_folder_comes_back_as_it_was_written(url, tmp_path):
    copy = written(url, tmp_path)
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
    copy = written(url, tmp_path)
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
    written(url, tmp_path)
    first = local_path(url)
    monkeypatch.setattr(type(memory), "get_file", None)
    assert local_path(url) == first


def test_a_second_upload_sends_only_what_is_new(url, tmp_path, memory):
    written(url, tmp_path)
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
    written(url, tmp_path)
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


def test_a_damaged_blob_is_not_uploaded(url, tmp_path):
    with pytest.raises(PixelProofError, match="does not match its name"):
        with writable(url) as copy:
            keys = fill(copy)
            BlobStore(copy / "blobs").path(keys[0]).write_bytes(b"flipped")


def killing(monkeypatch, memory, moment):
    """Let the storage fail for good at its n-th write, as if the process were killed then."""
    count = 0
    genuine = type(memory).pipe_file

    def pipe_file(self, path, value, **options):
        nonlocal count
        count += 1
        if count >= moment:
            raise SystemExit("killed")
        return genuine(self, path, value, **options)

    monkeypatch.setattr(type(memory), "pipe_file", pipe_file)

    def put_file(self, local, path, **options):
        with open(local, "rb") as file:
            self.pipe_file(path, file.read())

    monkeypatch.setattr(type(memory), "put_file", put_file)


def test_a_writer_that_dies_at_any_write_leaves_the_old_content_or_the_new(url, tmp_path, memory, monkeypatch):
    old = written(url, tmp_path)
    before = uploaded(old)
    outcomes = set()
    for moment in range(1, 30):
        with monkeypatch.context() as patched:
            killing(patched, memory, moment)
            try:
                with writable(url) as copy:
                    fill(copy, "second")
                died = False
            except SystemExit:
                died = True
        view = local_path(url)
        found = tree(view)
        names = {name for name in found if not name.startswith("blobs/")}
        content = json.loads(found["card.json"])["content"]
        assert found["table.parquet"] == content.encode() * 100, "one moment, not a mixture"
        assert names == {name for name in before if not name.startswith("blobs/")}
        outcomes.add((died, content))
        if not died:
            break
    assert (True, "first") in outcomes and (False, "second") in outcomes


def test_a_first_upload_that_dies_is_no_run(url, tmp_path, memory, monkeypatch):
    for moment in range(1, 30):
        place = f"{url}-{moment}"
        with monkeypatch.context() as patched:
            killing(patched, memory, moment)
            try:
                with writable(place) as copy:
                    fill(copy)
                break
            except SystemExit:
                pass
        with pytest.raises(PixelProofError, match="nothing at|no files yet"):
            local_path(place)
    assert moment > 4
    with writable(f"{url}-3") as copy:  # the same process continues at once, without waiting for a lease
        assert not copy.exists() or fill(copy)
        fill(copy)
    assert tree(local_path(f"{url}-3"))["card.json"]


def elsewhere(monkeypatch, tmp_path, name="other"):
    """From here on, this process is another machine: it has another cache."""
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / name))


def test_the_second_of_two_writers_gets_a_message(url, tmp_path, monkeypatch):
    with writable(url) as copy:
        fill(copy)
        with pytest.raises(PixelProofError, match="Another process of this machine is writing memory://"):
            writable(url).__enter__()
        elsewhere(monkeypatch, tmp_path)
        with pytest.raises(PixelProofError, match=r"Another process is writing memory://.*seen \d s ago.*wait until"):
            writable(url).__enter__()
    with writable(url) as second:
        assert uploaded(second) == uploaded(copy), "another machine continues where the first one ended"


def test_a_writer_that_is_silent_for_long_loses_its_claim(url, tmp_path, monkeypatch):
    monkeypatch.setattr("pixelproof.store.remote._writing.LEASE_S", -1.0)
    first = writable(url)
    fill(first.__enter__(), "first")
    elsewhere(monkeypatch, tmp_path)
    with writable(url) as copy:
        fill(copy, "second")
    with pytest.raises(PixelProofError, match="Another process has begun to write .* are in "):
        first.__exit__(None, None, None)
    assert json.loads((local_path(url) / "card.json").read_text())["content"] == "second"


def test_a_writer_whose_upload_takes_long_keeps_its_claim(url, tmp_path, monkeypatch, memory):
    monkeypatch.setattr("pixelproof.store.remote._writing.RENEW_S", 0.02)
    monkeypatch.setattr("pixelproof.store.remote._writing.LEASE_S", 0.5)
    monkeypatch.setattr("pixelproof.store.remote._writing._WorkingCopy._commit", lambda self, is_open: None)
    with writable(url):
        time.sleep(0.8)
        elsewhere(monkeypatch, tmp_path)
        with pytest.raises(PixelProofError, match="Another process is writing"):
            writable(url).__enter__()


def test_uploads_that_fail_are_said_once_and_at_the_end(url, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("pixelproof.store.remote._writing.RENEW_S", 0.02)
    monkeypatch.setattr("pixelproof.store.remote._writing.upload", _full)
    with pytest.raises(KeyboardInterrupt), writable(url) as copy:
        fill(copy)
        time.sleep(0.3)
        raise KeyboardInterrupt
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and all(line.startswith(f"Not uploaded to {url} (no space") for line in said)
    assert "tried again" in said[0] and "run the same command again" in said[1] and "remote/work/" in said[1]


def test_a_claim_that_fails_is_given_back(url, tmp_path, monkeypatch):
    written(url, tmp_path)
    elsewhere(monkeypatch, tmp_path)
    with monkeypatch.context() as patched, pytest.raises(PixelProofError, match="no space"):
        patched.setattr("pixelproof.store.remote._writing.download", _full)
        writable(url).__enter__()
    elsewhere(monkeypatch, tmp_path, "third")
    with writable(url) as copy:
        assert (copy / "card.json").exists()


def _full(*arguments, **options):
    raise PixelProofError("no space")


def test_a_stale_copy_never_comes_back(url, tmp_path, monkeypatch):
    written(url, tmp_path)
    elsewhere(monkeypatch, tmp_path)
    written(url, tmp_path, "second")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr("pixelproof.store.remote._writing.members_of", _killed)
        writable(url).__enter__()  # the claim is written, and nothing more
    with writable(url) as copy:
        assert json.loads((copy / "card.json").read_text())["content"] == "second"


def _killed(*arguments):
    raise SystemExit("killed")


def test_what_a_machine_has_that_another_one_continued_is_kept_aside(url, tmp_path, monkeypatch):
    copy = written(url, tmp_path)
    elsewhere(monkeypatch, tmp_path)
    written(url, tmp_path, "second")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    with writable(url) as again:
        assert again == copy and json.loads((again / "card.json").read_text())["content"] == "second"
    assert [path for path in copy.parent.iterdir() if path.name.endswith(".old")]


def test_clocks_of_machines_do_not_matter(url, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 0.0)
    with writable(url) as copy:
        fill(copy)
        elsewhere(monkeypatch, tmp_path)
        with pytest.raises(PixelProofError, match="Another process is writing"):
            writable(url).__enter__()


def _sealed_part(url):
    try:
        return (local_path(url) / "answers.parts" / "part-000001.parquet").read_text()
    except (PixelProofError, OSError):
        return ""


def test_files_are_uploaded_while_the_work_goes_on(url, tmp_path, monkeypatch):
    monkeypatch.setattr("pixelproof.store.remote._writing.RENEW_S", 0.02)
    with writable(url) as copy:
        fill(copy)
        until = time.monotonic() + 20
        while not (there := "sealed first" in _sealed_part(url)) and time.monotonic() < until:
            time.sleep(0.02)
        assert there, "nothing was uploaded"
        (copy / "answers.parts" / "part-000001.parquet").unlink()
        (copy / "answers.parquet").write_bytes(b"compacted")
    view = local_path(url)
    assert (view / "answers.parquet").exists() and not (view / "answers.parts" / "part-000001.parquet").exists()


def test_storage_that_ignores_conditions_is_refused(url, monkeypatch, memory):
    genuine = type(memory).pipe_file
    monkeypatch.setattr(type(memory), "pipe_file", lambda self, path, value, mode="": genuine(self, path, value))
    with pytest.raises(PixelProofError, match="ignores conditional requests"):
        writable(url).__enter__()


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
    written(url, tmp_path)
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
        "format": 1, "number": 1, "packs": [], "writer": None, "open": False,
        "files": {name: {"object": "x", "size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}},
    }  # fmt: skip
    root = url.removeprefix("memory:/")
    memory.pipe_file(f"{root}/x", b"x")
    memory.pipe_file(f"{root}/_pixelproof/0000000001.json", sealed_json(content))
    with pytest.raises(PixelProofError, match="leaves its folder"):
        local_path(url)


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


def test_push_sends_a_folder_and_refuses_others(url, tmp_path):
    folder = tmp_path / "run"
    fill(folder)
    with Lock(folder), pytest.raises(PixelProofError, match="is working in"):
        push(folder, url)
    push(folder, url)
    assert {**tree(local_path(url)), **{n: d for n, d in tree(folder).items() if n[:5] == "blobs"}} == uploaded(folder)
    push(folder, url)
    other = tmp_path / "other"
    fill(other, "other")
    with pytest.raises(PixelProofError, match="holds something else"):
        push(other, url)
    with pytest.raises(PixelProofError, match="no folder"):
        push(tmp_path / "nowhere", url)
    with pytest.raises(PixelProofError, match="no card.json"):
        push(tmp_path, url)
    with pytest.raises(PixelProofError, match="is no URL"):
        push(folder, "bucket/run")
    with pytest.raises(PixelProofError, match="no run and no set"):
        pull(f"{url}/nowhere", tmp_path / "x")


def test_push_to_a_folder_is_a_copy_and_never_touches_the_source(tmp_path):
    fill(tmp_path / "run")
    before = tree(tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "run")
    for wrong in ("run", "link", "run/inner", "run/blobs/x", "run/../run", "."):
        with pytest.raises(PixelProofError, match="same folder, or one is inside"):
            push(tmp_path / "run", f"file://{tmp_path}/{wrong}")
    assert tree(tmp_path / "run") == before
    for _ in range(2):
        push(tmp_path / "run", f"file://{tmp_path}/copy")
    assert tree(tmp_path / "copy") == before
    assert (tmp_path / "copy" / "card.json").stat().st_ino != (tmp_path / "run" / "card.json").stat().st_ino
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(PixelProofError, match="holds something else"):
        push(tmp_path / "run", f"file://{tmp_path}/mine")
    pull(f"file://{tmp_path}/copy", tmp_path / "back")
    assert tree(tmp_path / "back") == before
    with pytest.raises(PixelProofError, match="no run and no set"):
        pull(f"file://{tmp_path}/nowhere", tmp_path / "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "copy", "link", "mine", "run"]


@pytest.mark.parametrize(
    "text",
    ["s3://KEY:top/hushhush@lab/x", "s3://KEY:hushhush@lab/x", "gs://user@hushhush/x", "file://u:hushhush@host/x"],
)
def test_credentials_in_urls_are_refused_and_not_repeated_or_stored(text, tmp_path):
    fill(tmp_path / "run")
    for use in (local_path, lambda url: writable(url).__enter__(), lambda url: push(tmp_path / "run", url)):
        with pytest.raises(PixelProofError, match="must not contain credentials") as caught:
            use(text)
        assert "hushhush" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*"))


@pytest.mark.parametrize("text", ["s3:/lab/run", "s3:lab/run", "S3:/lab", "gs:/lab/run", "file:/tmp/run"])
def test_urls_with_a_slash_too_few_are_refused(text):
    for use in (local_path, lambda place: writable(place).__enter__()):
        with pytest.raises(PixelProofError, match="write the URL .*with two slashes"):
            use(text)
        with pytest.raises(PixelProofError, match="write the URL .*with two slashes"):
            use(Path(text))


def test_long_names_are_refused(url):
    with pytest.raises(PixelProofError, match="more than 200 bytes"):
        writable(f"{url}/{'k' * 300}").__enter__()


def test_a_place_with_other_objects_is_refused(url, memory, tmp_path):
    written(url, tmp_path)
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
    written(f"{parent}/b", tmp_path)
    assert sorted(path.name for path in local_path(parent).iterdir()) == ["a", "b"]


def test_a_damaged_cache_is_downloaded_again(url, tmp_path):
    copy = written(url, tmp_path)
    local_path(url)
    objects = [path for path in (tmp_path / "cache" / "remote" / "objects").rglob("*") if path.is_file()]
    for path in objects:
        data = bytearray(path.read_bytes())
        if data:
            data[0] ^= 1
            path.write_bytes(data)
    pull(url, tmp_path / "pulled")
    assert objects and tree(tmp_path / "pulled") == uploaded(copy)


@pytest.mark.parametrize("moment", [1, 4])
def test_a_push_that_is_interrupted_leaves_what_was_there(url, tmp_path, monkeypatch, moment):
    from pixelproof.store.remote import _transfer

    fill(tmp_path / "run")
    push(tmp_path / "run", url)
    before = uploaded(tmp_path / "run")
    (tmp_path / "run" / "table.parquet").unlink()  # replaced, as writers do, not changed in place
    (tmp_path / "run" / "table.parquet").write_bytes(b"new")
    genuine, calls = _transfer._link, []

    def interrupted(source, target):
        calls.append(source)
        if len(calls) == moment:
            raise KeyboardInterrupt
        return genuine(source, target)

    monkeypatch.setattr(_transfer, "_link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        push(tmp_path / "run", url)
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == before
    monkeypatch.undo()
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    push(tmp_path / "run", url)
    pull(url, tmp_path / "again")
    assert tree(tmp_path / "again") == uploaded(tmp_path / "run") != before


def test_two_services_with_the_same_url_have_two_working_copies(url, tmp_path, monkeypatch, memory):
    written(url, tmp_path, "of the first")
    stored = dict(memory.store)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://second.example")
    memory.rm(url, recursive=True)
    written(url, tmp_path, "of the second")
    memory.rm(url, recursive=True)
    memory.store.update(stored)
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    with writable(url) as copy:
        assert "of the first" in (copy / "card.json").read_text()
