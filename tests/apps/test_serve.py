"""The live report: a real server, runs that begin and go on while it is served."""

import http.client
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pixelproof.apps.serve import LiveReport, _server
from pixelproof.cli import main
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, run
from pixelproof.web import number
from report.test_groups import interrupt
from support import Guess

FILES = "/files/{}".format
PROGRAM = """
import sys
from pixelproof.apps.serve import serve_runs
from support import Guess
serve_runs(sys.argv[1:], port=0, bench=Guess(), echo=lambda text: print(text, flush=True))
"""


@pytest.fixture
def run_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    plan = Plan(Guess(), Source("digits"))
    return run(plan, "fn/support:even_odd", settings=Settings(out=tmp_path / "source" / "run")).path


@pytest.fixture
def eager(monkeypatch):
    """Render at every change."""
    monkeypatch.setattr(_server, "SHORTEST_PAUSE", 0.0)
    monkeypatch.setattr(_server, "LONGEST_PAUSE", 0.0)


def begin(source, target, answers):
    """A run in progress with some answers; called again, it has gone on."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    interrupt(target, answers)


@pytest.mark.slow
def test_a_report_follows_its_runs(run_directory, tmp_path, eager):
    folder = tmp_path / "runs"
    folder.mkdir()
    live = LiveReport([folder], FILES, Guess())
    page, nothing = live.page()
    assert "Waiting for runs" in page.html() and live.version() == nothing
    begin(run_directory, folder / "a", 3)
    assert live.version() != nothing
    page, some = live.page()
    assert "is running: 3 of 20 answers so far" in page.html()
    begin(run_directory, folder / "a", 9)
    page, more = live.page()
    assert "is running: 9 of 20 answers so far" in page.html() and len({nothing, some, more}) == 3
    shutil.rmtree(folder / "a")
    shutil.copytree(run_directory, folder / "a")
    page, whole = live.page()
    assert "is running" not in page.html() and live.version() == whole
    assert live.page()[0] is page  # nothing has changed


@pytest.mark.slow
def test_renderings_leave_time_for_the_runs(run_directory, tmp_path, monkeypatch):
    monkeypatch.setattr(_server, "SHORTEST_PAUSE", 1000.0)
    monkeypatch.setattr(_server, "LONGEST_PAUSE", 1000.0)
    begin(run_directory, tmp_path / "a", 3)
    live = LiveReport([tmp_path / "a"], FILES, Guess())
    page, version = live.page()
    begin(run_directory, tmp_path / "a", 9)
    assert live.page() == (page, version) and live.version() == version


@pytest.mark.slow
def test_a_damaged_run_does_not_hide_the_others(run_directory, tmp_path, eager):
    shutil.copytree(run_directory, tmp_path / "runs" / "whole")
    shutil.copytree(run_directory, tmp_path / "runs" / "torn")
    (tmp_path / "runs" / "torn" / "card.json").write_text("{")
    text = LiveReport([tmp_path / "runs"], FILES, Guess()).page()[0].html()
    assert "The run torn is left out." in text and 'id="leaderboard"' in text and str(tmp_path) not in text


@pytest.mark.slow
def test_files_are_those_of_the_runs(run_directory, tmp_path, eager):
    blobs = run_directory / "blobs"
    live = LiveReport([run_directory], FILES, Guess())
    live.page()
    with pytest.raises(PixelProofError):
        live.blob("0" * 64)
    from pixelproof.store import BlobStore

    key = BlobStore(blobs).put(b"image")
    assert live.blob(key) == b"image"


def test_a_path_that_does_not_exist_is_an_error_at_once(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["serve", str(tmp_path / "nowhere"), "--port", "0"])
    assert ended.value.code == 3 and "nowhere is not a directory" in capsys.readouterr().err


class Served:
    """The live report in a process of its own."""

    def __init__(self, *paths):
        words = [sys.executable, "-c", PROGRAM, *map(str, paths)]
        tests = Path(__file__).parents[1]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tests)
        self.url = self.process.stdout.readline().strip()
        self.token = self.url.partition("token=")[2]

    def ask(self, path):
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        return response.status, response.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)
        return self.process.returncode


@pytest.mark.slow
def test_the_server_shows_the_report_and_its_version(run_directory):
    served = Served(run_directory)
    status, text = served.ask("/")
    assert status == 200 and "fn/<wbr>support:even_odd" in text and "data:image" not in text
    version = text.partition('name="version" content="')[2].partition('"')[0]
    assert json.loads(served.ask("/version")[1]) == {"version": version}
    assert served.ask("/card.json")[0] == 404 and served.ask("/../card.json")[0] == 404
    assert served.stop() == 0


@pytest.mark.slow
def test_the_page_updates_itself_and_keeps_what_its_reader_did(browser, run_directory, tmp_path):
    folder = tmp_path / "runs"
    begin(run_directory, folder / "a", 3)
    served = Served(folder)
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    errors = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(served.url)
    page.locator(".notices", has_text="3 of 20").wait_for()
    page.locator("details", has_text="Run card").last.evaluate("(one) => { one.open = true; }")
    page.locator(".gallery-search").fill("odd")
    before = page.locator(".shot").count()
    begin(run_directory, folder / "a", 20)
    page.locator(".notices", has_text="20 of 20").wait_for(timeout=30_000)
    assert page.locator(".gallery-search").input_value() == "odd" and page.locator(".shot").count() > before
    assert page.evaluate("document.activeElement.className") == "gallery-search"
    assert page.locator("details", has_text="Run card").last.evaluate("(one) => one.open")
    assert "updated" in page.locator(".live").inner_text()
    shutil.rmtree(folder / "a")
    shutil.copytree(run_directory, folder / "a")
    calibrated = Run.open(folder / "a").summary["metrics"]["close"]["calibrated"]["value"]
    page.locator(".board td", has_text=number(calibrated) + " (").first.wait_for(timeout=30_000)
    assert page.locator(".notices").count() == 0
    page.locator(".shot").first.click()
    assert "Guess a digit; it is" in page.locator(".lightbox-body").inner_text()  # the prompt
    assert errors == []
    assert served.stop() == 0
    page.locator(".live.stopped").wait_for(timeout=10_000)
