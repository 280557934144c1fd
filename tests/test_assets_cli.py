"""`pixelproof data assets` as a user meets it."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pixelproof.cli import main
from pixelproof.store import _catalogue, assets, plain
from store.asset_support import NPM, PICTURES, calls, client, folder_asset, npm_with, tarball


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    """A catalogue with one small asset, and an npm that has it."""
    monkeypatch.setattr(_catalogue, "MANIFEST", tmp_path / "assets.json")
    (tmp_path / "assets.json").write_text(json.dumps([plain(folder_asset(NPM))]))
    assets.cache_clear()
    npm_with(
        tmp_path / "bin",
        tarball(tmp_path / "art-icons-1.0.0.tgz", {f"package/svg/{name}": data for name, data in PICTURES.items()}),
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    yield tmp_path / "bin"
    assets.cache_clear()


@pytest.fixture
def pixelproof(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))

    def call(*words, code=0, typed=None):
        if typed is not None:
            answer = io.StringIO(typed)
            answer.isatty = lambda: True
            monkeypatch.setattr(sys, "stdin", answer)
        with pytest.raises(SystemExit) as ended:
            main(["data", "assets", *map(str, words)])
        told = capsys.readouterr()
        assert (ended.value.code or 0) == code, told.out + told.err
        assert "Traceback" not in told.err
        return SimpleNamespace(out=told.out, err=told.err)

    return call


def test_the_real_catalogue_can_be_listed(pixelproof):
    told = pixelproof("list").out
    for word in ("smollm2", "98.4 MB", "Apache-2.0", "crawl-tiles", "CC0-1.0", "assets get NAME"):
        assert word in told
    rows = {row["name"]: row for row in json.loads(pixelproof("list", "--json").out)}
    assert rows["crawl-tiles"]["path"] is None and rows["u2netp"]["licence"] == "Apache-2.0"


def test_list_get_verify(pixelproof, catalogue, tmp_path):
    assert pixelproof("list").out.split("\n")[1].rstrip().endswith("no")
    assert "No asset is installed" in pixelproof("verify").out
    told = pixelproof("get", "pictures", "--yes").out
    assert told.index("MIT") < told.index("the npm package @art/icons 1.0.0 by npm") < told.index("pictures is in ")
    assert pixelproof("get", "pictures").out == f"pictures is in {tmp_path / 'cache' / 'assets' / 'pictures'}\n"
    assert len(calls(catalogue)) == 1
    assert pixelproof("list").out.split("\n")[1].rstrip().endswith("yes")
    assert "pictures: intact, in " in pixelproof("verify").out


def test_nothing_is_fetched_without_consent(pixelproof, catalogue):
    asked = pixelproof("get", "pictures", code=3)
    assert "MIT" in asked.out and "add --yes" in asked.err
    for refusal in ("n\n", "\n"):
        assert "not downloaded, because you declined" in pixelproof("get", "pictures", code=3, typed=refusal).err
    assert "same command" in pixelproof("get", "pictures", code=130, typed="").err
    assert calls(catalogue) == []
    told = pixelproof("get", "pictures", typed="y\n").out
    assert told.index("MIT") < told.index("Accept the licence") < told.index("pictures is in ")
    assert len(calls(catalogue)) == 1


@pytest.mark.slow
def test_damage_is_shown_and_repaired_only_with_consent(pixelproof, catalogue, tmp_path):
    pixelproof("get", "pictures", "--yes")
    heart = tmp_path / "cache" / "assets" / "pictures" / "heart.svg"
    heart.write_bytes(heart.read_bytes().upper())
    assert "heart.svg" in pixelproof("verify", code=3).err
    assert "add --yes" in pixelproof("get", "pictures", code=3).err
    heart.unlink()
    assert "damaged" in pixelproof("list").out
    pixelproof("get", "pictures", "--yes")
    assert heart.read_bytes() == PICTURES["heart.svg"] and len(calls(catalogue)) == 2
    pixelproof("verify")


def test_files_of_others_are_named_and_neither_used_nor_deleted(pixelproof, catalogue, tmp_path):
    folder = Path(pixelproof("get", "pictures", "--yes").out.split("pictures is in ")[1].strip())
    (folder / "animals" / "notes.txt").write_text("mine")
    told = pixelproof("verify", code=3)
    assert "is intact, but" in told.err and "1 other file (animals/notes.txt)" in told.err
    assert "intact, in" not in told.out
    pixelproof("get", "pictures")
    assert (folder / "animals" / "notes.txt").read_text() == "mine" and len(calls(catalogue)) == 1
    (folder / "animals" / "notes.txt").unlink()
    pixelproof("verify")


def test_from_disk(pixelproof, catalogue, tmp_path):
    told = pixelproof("get", "pictures", "--yes", "--from", tmp_path / "art-icons-1.0.0.tgz").out
    assert "npm package" not in told and "art-icons-1.0.0.tgz" in told and calls(catalogue) == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["get", "unicorn"], 3, "no asset 'unicorn'. Choose one of: pictures"),
        (["get", "pictures", "unicorn", "--yes"], 3, "no asset 'unicorn'"),
        (["verify", "unicorn"], 3, "no asset 'unicorn'"),
        (["verify", "pictures"], 3, "run 'pixelproof data assets get pictures'"),
        (["get"], 2, "NAME"),
        (["get", "pictures", "--from", "nowhere"], 3, "no file or folder nowhere: give the path of art-icons"),
        (["get", "pictures", "--from", "nowhere"], 3, "to download it from the npm package @art/icons 1.0.0."),
        (["get", "pictures", "--from", "bin"], 3, "bin is not pictures: give the path of art-icons-1.0.0.tgz"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_get_one_sentence(pixelproof, catalogue, tmp_path, monkeypatch, words, code, said):
    monkeypatch.chdir(tmp_path)
    assert said in pixelproof(*words, code=code).err
    assert calls(catalogue) == []


@pytest.mark.slow
def test_ctrl_c_is_an_exit_code_and_a_promise(tmp_path, catalogue):
    on = tmp_path / "on"
    client(catalogue, "npm", f"Path({str(on)!r}).touch(); time.sleep(60)")
    words = [sys.executable, "-m", "pixelproof", "data", "assets", "get", "pixelarticons", "--yes"]
    environment = {**os.environ, "PIXELPROOF_CACHE": str(tmp_path / "cache")}
    process = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not on.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130 and "the same command continues" in told and "Traceback" not in told
    assert not Path(tmp_path / "cache" / "assets" / "pixelarticons").exists()
