"""The cache of what is at URLs: bounded, and never emptied of what is nowhere else."""

import os
import time

import pytest

from pixelproof.cli import main
from pixelproof.contract import PixelProofError
from pixelproof.store import local_path, writable
from pixelproof.store.remote import _copies, clear_copies, local_copies, pull
from store.remote.support import elsewhere, fill, tree, uploaded, written


@pytest.fixture(autouse=True)
def nothing_held():
    """Copies that this process used before may be removed, as if it were another one."""
    yield
    let_go()


def let_go():
    for root in list(_copies._held):
        _copies.release(root)


def kinds():
    return {copy.kind for copy in local_copies()}


def unsent(url, monkeypatch, content="precious"):
    with monkeypatch.context() as patched, pytest.raises(PixelProofError):
        patched.setattr("pixelproof.store.remote._writing.upload", _full)
        with writable(url) as copy:
            fill(copy, content)
    return copy


def _full(*arguments, **options):
    raise PixelProofError("no space")


def aged(seconds=7200):
    """Make everything in the cache look as if it was not used for a while, and due for a check."""
    then = time.time() - seconds
    for root, _, names in os.walk(_copies.remote_cache()):
        for name in names:
            os.utime(os.path.join(root, name), (then, then))


def test_copies_beyond_the_bound_are_removed_and_made_again(url, tmp_path, monkeypatch):
    copy = written(url)
    before, view = uploaded(copy), local_path(url)
    assert kinds() == {"work", "views", "objects"}
    let_go()
    aged()
    _copies.prune()
    assert copy.exists() and view.exists(), "within the bound"
    aged()
    monkeypatch.setenv("PIXELPROOF_CACHE_GB", "0")
    _copies.prune()
    assert not local_copies() and not copy.exists() and not view.exists()
    pull(url, tmp_path / "pulled")
    assert tree(tmp_path / "pulled") == before
    with writable(url) as again:
        assert uploaded(again) == before


def test_the_oldest_copies_go_first(url, monkeypatch):
    first, second = written(url), written(f"{url}-2", "second" * 1000)
    let_go()
    aged()
    os.utime(second.parent / "uploaded")
    monkeypatch.setenv("PIXELPROOF_CACHE_GB", str(sum(copy.size for copy in local_copies()) / 1e9 - 1e-9))
    _copies.prune()
    assert not first.exists() and second.exists()


def test_what_was_not_uploaded_is_never_removed_on_its_own(url, monkeypatch):
    copy = unsent(url, monkeypatch)
    let_go()
    aged()
    monkeypatch.setenv("PIXELPROOF_CACHE_GB", "0")
    _copies.prune()
    assert [left.sent for left in local_copies()] == [False] and tree(copy)
    assert [left.path for left in clear_copies()] == [copy.parent] and tree(copy)
    with writable(url) as again:
        assert again == copy and "precious" in (again / "card.json").read_text()
    let_go()
    assert clear_copies() == [] and not copy.exists()


def test_a_copy_that_is_kept_aside_is_removed_only_on_demand(url, tmp_path, monkeypatch):
    written(url)
    unsent(url, monkeypatch)
    elsewhere(monkeypatch, tmp_path)
    monkeypatch.setattr("pixelproof.store.remote._writing.LEASE_S", -1.0)
    written(url, "second")
    elsewhere(monkeypatch, tmp_path, "cache")
    copy = written(url, "third")
    let_go()
    (left,) = clear_copies()
    assert not left.sent and [path for path in copy.parent.iterdir() if path.name.endswith(".old")]
    assert clear_copies(unsent=True) == [] and not copy.parent.exists()


def test_the_only_copy_of_a_folder_that_was_deleted_at_its_url_is_kept(url, memory):
    copy = written(url)
    memory.rm(url, recursive=True)
    written(url, "second")
    (old,) = (path for path in copy.parent.iterdir() if path.name.endswith(".old"))
    assert "first" in (old / "card.json").read_text()


def test_copies_in_use_are_kept(url):
    copy = written(url)
    view = local_path(url)
    assert {left.kind for left in clear_copies()} == {"work", "views"}, "this process may still read them"
    let_go()
    with writable(url):
        assert {left.kind for left in clear_copies()} == {"work"} and copy.exists() and not view.exists()


def test_a_copy_that_another_process_reads_is_kept(url):
    fcntl = pytest.importorskip("fcntl", reason="Windows refuses to remove open files by itself")
    written(url)
    view = local_path(url)
    let_go()
    (held,) = (copy.path / ".held" for copy in local_copies() if copy.kind == "views")
    with held.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        clear_copies()
        assert view.exists()
    clear_copies()
    assert not view.exists()


def test_views_of_processes_that_were_killed_are_removed_after_a_day(url):
    written(url)
    part = _copies.remote_cache() / "views" / ".0123.tmp"
    part.mkdir(parents=True)
    let_go()
    clear_copies()
    assert part.exists(), "it may be one that is being made"
    os.utime(part, (time.time() - 100_000,) * 2)
    clear_copies()
    assert not part.exists()


def test_a_bound_that_is_no_number_is_a_sentence(url, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE_GB", "much")
    with pytest.raises(PixelProofError, match="must be a number of gigabytes, not 'much'"):
        written(url)


def test_the_command_shows_and_clears(url, tmp_path, monkeypatch, capsys):
    def command(*words):
        with pytest.raises(SystemExit) as ended:
            main(["data", "cache", *words])
        return ended.value.code, capsys.readouterr().out

    written(url)
    kept = unsent(f"{url}-lost", monkeypatch)
    let_go()
    code, said = command()
    assert code == 0 and "remote/work: 2 working copies" in said and f"{url}-lost (in work/" in said
    code, said = command("--clear")
    assert code == 0 and "were removed" in said and f"{url}-lost" in said and kept.exists()
    assert command("--clear", "--unsent")[0] == 0 and not kept.exists()
    assert command("--unsent")[0] == 2
