"""Downloads over HTTP: resumed, bounded, patient with faults that pass and brief about those that do not."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.store import Carrier, get_asset
from pixelproof.store import _hub as hub
from store.asset_support import WEIGHTS, file_asset, web

HUB = Carrier("hub", repo="someone/model", file="deep/weights v2.bin", revision="abc123", size=len(WEIGHTS))
PATH = "/someone/model/resolve/abc123/deep/weights%20v2.bin"


@pytest.fixture(autouse=True)
def hurried(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hub, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(hub, "_TIMEOUT", 5.0)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "huggingface_hub" else find(name))


def get(server, monkeypatch, **options):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    return get_asset(file_asset(HUB), **options)


def test_a_download(monkeypatch):
    told = []
    with web(WEIGHTS) as server:
        path = get(server, monkeypatch, progress=lambda *numbers: told.append(numbers))
        assert server.requests == [(PATH, "bytes=0-")]
        assert get(server, monkeypatch) == path and len(server.requests) == 1
    assert path.name == "weights.bin" and path.read_bytes() == WEIGHTS
    assert told == sorted(told) and told[0] == (0, len(WEIGHTS)) and told[-1] == (len(WEIGHTS), len(WEIGHTS))


@pytest.mark.parametrize(
    "faults",
    [
        ["cut"],
        ["cut", "cut", "cut", "cut", "cut"],
        [503, "cut", 500, 429],
        ["no ranges"],
        ["cut", "no ranges"],
        ["wrong range"],
        ["cut", "wrong range"],
        ["redirect"],
        ["cut", 416],
    ],
    ids=str,
)
def test_faults_that_pass(monkeypatch, faults):
    with web(WEIGHTS, *faults) as server:
        assert get(server, monkeypatch).read_bytes() == WEIGHTS
        assert not server.faults


def test_only_what_is_missing_is_asked_for(monkeypatch):
    with web(WEIGHTS, "cut", "cut") as server:
        get(server, monkeypatch)
    third = len(WEIGHTS) // 3
    second = third + (len(WEIGHTS) - third) // 3
    assert [asked for _, asked in server.requests] == ["bytes=0-", f"bytes={third}-", f"bytes={second}-"]


def test_an_interrupted_download_goes_on_in_the_next_process(monkeypatch):
    class Stop(BaseException):
        pass

    def stop(done, total):
        if done > 100_000:
            raise Stop

    with web(WEIGHTS) as server:
        with pytest.raises(Stop):
            get(server, monkeypatch, progress=stop)
        assert get(server, monkeypatch).read_bytes() == WEIGHTS
    begin = int(server.requests[1][1].removeprefix("bytes=").removesuffix("-"))
    assert 100_000 < begin < len(WEIGHTS)


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_refusal_is_a_sentence_at_once(monkeypatch, code):
    with (
        web(WEIGHTS, code) as server,
        pytest.raises(PixelProofError, match=f"cannot be downloaded: the server answers {code} "),
    ):
        get(server, monkeypatch)
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", [503, "no ranges, cut", "wrong range"])
def test_faults_that_do_not_pass_end_in_a_sentence(monkeypatch, fault):
    with web(WEIGHTS, *[fault] * 50) as server:
        with pytest.raises(PixelProofError, match=r"stopped at [\d,]+ of 1,024,000 bytes .*same command continues"):
            get(server, monkeypatch)
        assert len(server.requests) <= 4
        server.faults.clear()
        assert get(server, monkeypatch).read_bytes() == WEIGHTS


def test_nobody_there_is_a_sentence(monkeypatch):
    with web(WEIGHTS) as server:
        pass
    with pytest.raises(PixelProofError, match=r"stopped at 0 of .*refused"):
        get(server, monkeypatch)


def test_a_server_that_sends_too_much_is_stopped(monkeypatch):
    with web(WEIGHTS, "too much") as server, pytest.raises(PixelProofError, match="more than the 1,024,000 bytes"):
        get(server, monkeypatch)
    with web(WEIGHTS) as server:
        assert get(server, monkeypatch).read_bytes() == WEIGHTS


def test_another_file_is_not_taken(monkeypatch):
    with web(WEIGHTS[::-1]) as server, pytest.raises(PixelProofError, match="is not weights"):
        get(server, monkeypatch)
    with web(WEIGHTS) as server:
        assert get(server, monkeypatch).read_bytes() == WEIGHTS
        assert server.requests == [(PATH, "bytes=0-")]


@pytest.mark.parametrize("endpoint", ["file:///etc", "ftp://somewhere"])
def test_only_the_web(monkeypatch, endpoint):
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(PixelProofError, match="HF_ENDPOINT"):
        get_asset(file_asset(HUB))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 5000), st.lists(st.sampled_from(["cut", 503, "no ranges", "wrong range", None]), max_size=4))
def test_any_beginning_and_any_faults_end_in_the_file(tmp_path_factory, there, faults):
    data = WEIGHTS[:4000]
    partial = tmp_path_factory.mktemp("any") / "x.partial"
    partial.write_bytes(data[:there] + b"!" * max(0, there - len(data)))
    with pytest.MonkeyPatch.context() as patch, web(data, *faults) as server:
        patch.setattr(hub, "_PAUSES", (0.0,) * 10)
        hub.download(server.url, partial, len(data), lambda done: None)
    assert partial.read_bytes() == data


BY_CLIENT = """
import sys
sys.path.insert(0, sys.argv[1])
from store.test_assets_hub import HUB, file_asset, get_asset
print(get_asset(file_asset(HUB)))
"""


@pytest.mark.slow
def test_the_client_of_the_hub_is_used_where_it_is_installed(tmp_path):
    pytest.importorskip("huggingface_hub")

    def run(server):
        # In a process of its own, since the client reads its settings when it is imported.
        own = {"HF_ENDPOINT": server.url, "HF_HOME": str(tmp_path / "hf"), "PIXELPROOF_CACHE": str(tmp_path / "cache")}
        words = [sys.executable, "-c", BY_CLIENT, str(Path(__file__).parents[1])]
        return subprocess.run(words, env=os.environ | own, capture_output=True, text=True)

    with web(WEIGHTS, *[404] * 20) as server:
        assert "PixelProofError: Downloading the hub repository someone/model at abc123 failed (" in run(server).stderr
    with web(WEIGHTS) as server:
        done = run(server)
        assert Path(done.stdout.strip()).read_bytes() == WEIGHTS, done.stderr
    assert any(tmp_path.glob("hf/hub/models--someone--model/blobs/*"))
