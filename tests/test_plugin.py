"""A plug-in package brings two benches, a command, a panel and a net through entry points alone."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parent / "plugin"
FAINT = ("--contrast", "45")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The environment of a user who has installed the package: its metadata and its code are on the path."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    metadata = site / f"pixelproof_toy-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items()) for group, points in groups
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (site / "pixelproof_toy").symlink_to(PLUGIN / "pixelproof_toy")
    cache = tmp_path_factory.mktemp("cache")
    return {**os.environ, "PYTHONPATH": str(site), "PIXELPROOF_CACHE": str(cache)}


@pytest.fixture
def pixelproof(environment, programs, tmp_path):
    def call(*words):
        command = [programs / "pixelproof", *words]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_the_plug_in_is_small():
    files = [*PLUGIN.rglob("*.py"), PLUGIN / "pyproject.toml"]
    assert sum(len(file.read_text().splitlines()) for file in files) < 265


def test_benches_controls_and_options_are_listed(pixelproof):
    text = pixelproof("list")
    assert "Paint a disc" in text and "Find a number with a tool" in text
    assert "open one box after the other" in pixelproof("list", "hunt")  # what a player does
    assert "  discs " in pixelproof("more") and "  discs " not in pixelproof("--help")
    assert "--contrast" in pixelproof("run", "discs", "--help")


def test_an_image_bench_with_its_net_its_command_and_its_panel(pixelproof, tmp_path):
    by_net = json.loads(pixelproof("run", "discs", *FAINT, "--model", "nets/threshold", "--out", "net", "--json"))
    assert 0.5 < by_net["metrics"]["iou"]["value"] < 1 and by_net["metrics"]["iou"]["calibrated"]["value"] > 0.4
    pixelproof("run", "discs", *FAINT, "--model", "control/floor-all", "--out", "floor")
    assert len(pixelproof("discs", "--seed", "3").splitlines()) == 6
    assert "covers" in pixelproof("report", "net", "floor", "--out", "report.html")  # in its own words
    page = (tmp_path / "report.html").read_text()
    assert "Radii of the discs" in page and "nets/threshold" in page


def test_a_tool_bench_is_played_by_its_controls(pixelproof, tmp_path):
    truth = json.loads(pixelproof("run", "hunt", "--model", "control/in-turn", "--out", "turn", "--json"))
    right = truth["metrics"]["right"]
    assert (right["value"], right["floor"], right["ceiling"]) == (1, 0, 1)
    pixelproof("report", "turn", "--out", "report.html")
    assert "open_box" in (tmp_path / "report.html").read_text()  # the trace is on the page
    assert "Radii of the discs" not in (tmp_path / "report.html").read_text()


def test_a_net_without_its_input_says_what_it_needs(environment, tmp_path):
    command = [sys.executable, "-m", "pixelproof", "run", "hunt", "--model", "nets/threshold"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3 and "needs 'photo' in the prompt's data" in done.stderr
