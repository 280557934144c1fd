"""What readers get while writers upload, die and compete. The storage is fsspec's, in memory."""

import json
import time

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import local_path, writable
from pixelproof.store.remote import local_copies
from store.remote.support import elsewhere, fill, tree, uploaded, written


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
    old = written(url)
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


def test_a_copy_continues_if_the_storage_lost_it_before_an_upload_ended(url, memory, monkeypatch):
    with monkeypatch.context() as patched, pytest.raises(PixelProofError, match="no space"), writable(url) as copy:
        patched.setattr("pixelproof.store.remote._writing.upload", _full)
        fill(copy)
    memory.rm(url, recursive=True)
    with writable(url) as again:
        assert again == copy and json.loads((again / "card.json").read_text())["content"] == "first"
    assert (local_path(url) / "card.json").exists()


def test_a_place_that_is_refused_leaves_nothing_in_the_cache(url):
    written(url)
    with pytest.raises(PixelProofError, match="is inside the run or set"):
        writable(f"{url}/inner").__enter__()
    assert all(copy.sent for copy in local_copies())


def test_a_folder_that_is_set_aside_is_announced(url, memory, capsys):
    written(url)
    memory.rm(url, recursive=True)
    written(url, "second")
    assert "has changed since this machine wrote it" in capsys.readouterr().err


def test_a_claim_that_fails_is_given_back(url, tmp_path, monkeypatch):
    written(url)
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
    written(url)
    elsewhere(monkeypatch, tmp_path)
    written(url, "second")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr("pixelproof.store.remote._writing.members_of", _killed)
        writable(url).__enter__()  # the claim is written, and nothing more
    with writable(url) as copy:
        assert json.loads((copy / "card.json").read_text())["content"] == "second"


def _killed(*arguments):
    raise SystemExit("killed")


def test_a_copy_that_another_machine_continued_is_replaced(url, tmp_path, monkeypatch):
    copy = written(url)
    elsewhere(monkeypatch, tmp_path)
    written(url, "second")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    with writable(url) as again:
        assert again == copy and json.loads((again / "card.json").read_text())["content"] == "second"
    assert not [path for path in copy.parent.iterdir() if path.name.endswith(".old")], "it was uploaded"


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


def test_two_services_with_the_same_url_have_two_working_copies(url, tmp_path, monkeypatch, memory):
    written(url, "of the first")
    stored = dict(memory.store)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://second.example")
    memory.rm(url, recursive=True)
    written(url, "of the second")
    memory.rm(url, recursive=True)
    memory.store.update(stored)
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    with writable(url) as copy:
        assert "of the first" in (copy / "card.json").read_text()
