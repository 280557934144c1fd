"""Panels that benches bring."""

import re
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from pixelproof.benches.pixelart._panels import PANELS, applies, measure_sensitivity, render
from pixelproof.contract import PixelProofError
from pixelproof.report import Panel, _panels, write_report
from pixelproof.web import tag
from report.opening import open_views
from support import Guess

OWN = Panel("How even?", lambda views: True, lambda views: tag("p", f"<{len(views)} runs>"), "A <note>.")
SILENT = Panel("Never", lambda views: False, lambda views: 1 / 0)
BROKEN = Panel("Broken", lambda views: True, lambda views: tag("p", str(1 / 0)))
NOT_A_PANEL = "text"


def offer(monkeypatch, *names):
    points = {name: EntryPoint(name, f"panels:{name}", _panels.GROUP) for name in names}
    monkeypatch.setattr(_panels, "plugins", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.name])


@pytest.mark.slow
def test_a_panel_is_a_section_where_it_applies(guess, tmp_path, monkeypatch):
    offer(monkeypatch, "OWN", "SILENT")
    text = write_report([guess("a", "fn/support:even_odd")], tmp_path / "r.html", Guess()).read_text()
    assert "How even?" in text and "&lt;1 runs&gt;" in text and "A &lt;note&gt;." in text and "Never" not in text


@pytest.mark.slow
def test_a_panel_that_fails_leaves_the_report(guess, tmp_path, monkeypatch):
    offer(monkeypatch, "BROKEN")
    text = write_report([guess("a", "fn/support:even_odd")], tmp_path / "r.html", Guess()).read_text()
    assert "This panel failed (ZeroDivisionError" in text and 'id="leaderboard"' in text


def test_something_else_is_refused_by_name(monkeypatch):
    offer(monkeypatch, "NOT_A_PANEL")
    with pytest.raises(PixelProofError, match="NOT_A_PANEL.*must name a Panel"):
        _panels.installed_panels()
    offer(monkeypatch, "missing")
    with pytest.raises(PixelProofError, match=r"panel 'missing' cannot be loaded"):
        _panels.installed_panels()


@pytest.mark.slow
def test_drawings_depend_on_the_subject_and_noise_does_not(drawings):
    white, black = np.full((9, 9, 3), 255, np.uint8), np.zeros((9, 9, 3), np.uint8)
    found = measure_sensitivity([("a", white), ("a", white), ("b", black), ("b", black)])
    assert found.s == pytest.approx(1.0) and found.subjects == 2 and found.images == 4
    assert np.isnan(measure_sensitivity([("a", white), ("a", black)]).s) and np.isnan(measure_sensitivity([]).s)
    text = render(open_views([drawings / "noise", drawings / "truth"]))
    noise, truth = (
        float(p) for p in re.findall(r'<td class="number">[^<]*</td><td class="number">([0-9.]+)</td>', text)[::2]
    )
    assert truth < 0.01 < noise


@pytest.mark.slow
def test_the_panel_of_pixel_art_is_installed_and_applies_to_pixel_art_only(drawings, guess):
    assert PANELS[0] in _panels.installed_panels()
    assert applies(open_views([drawings / "noise"]))
    assert not applies(open_views([guess("a", "fn/support:even_odd")], Guess()))
