"""`push` and `pull`: whole folders to and from URLs."""

import os

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import BlobStore, Lock, local_path
from pixelproof.store.remote import pull, push
from store.remote.support import fill, tree, uploaded


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


def test_files_that_were_removed_do_not_come_back(url, tmp_path):
    folder = tmp_path / "run"
    keys = fill(folder)
    push(folder, url)
    (folder / "logs" / "deep" / "Übersicht 日本.txt").unlink()
    BlobStore(folder / "blobs").path(keys[0]).unlink()
    (folder / "empty.txt").unlink()
    push(folder, url)
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == uploaded(folder)
    view = BlobStore(local_path(url) / "blobs")
    assert keys[0] not in view and keys[1] in view
    BlobStore(folder / "blobs").put(b"first 0")
    push(folder, url)
    pull(url, tmp_path / "again")
    assert tree(tmp_path / "again") == uploaded(folder) and keys[0] in BlobStore(tmp_path / "again" / "blobs")


def test_folders_without_files_come_back(url, tmp_path):
    folder = tmp_path / "run"
    fill(folder)
    (folder / "notes" / "of mine").mkdir(parents=True)
    push(folder, url)
    pull(url, tmp_path / "pulled")
    assert (tmp_path / "pulled" / "notes" / "of mine").is_dir()


@pytest.mark.parametrize("name", ["a\\b.txt", "logs/c\\d.txt", os.fsdecode(b"x\xff.txt")])
def test_names_that_other_systems_do_not_have_are_refused_before_anything_is_sent(url, tmp_path, name):
    folder = tmp_path / "run"
    fill(folder)
    (folder / name).write_text("mine")
    with pytest.raises(PixelProofError, match="cannot be stored at a URL.*rename it"):
        push(folder, url)
    with pytest.raises(PixelProofError, match="no run and no set|no files yet"):
        pull(url, tmp_path / "pulled")


def test_pulling_touches_nothing_else(url, tmp_path):
    fill(tmp_path / "run")
    push(tmp_path / "run", url)
    for name in (".pulled.tmp", "pulled.tmp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    pull(url, tmp_path / "pulled")
    assert all((tmp_path / name / "mine.txt").exists() for name in (".pulled.tmp", "pulled.tmp"))
