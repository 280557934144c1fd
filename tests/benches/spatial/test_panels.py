"""The panels of the report: edits side by side, difficulty, the published formulas."""

import pytest

import pixelproof
from pixelproof.benches.spatial._panels import PANELS
from report.opening import open_views

from .desk_pairs import DeskBench

pytestmark = pytest.mark.slow  # renders
COLUMNS = ("Before", "Instruction", "Model", "Answer", "Perceived", "Target")


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        for name in ("ceiling-truth", "wrong-direction"):
            pixelproof.run(DeskBench(), f"control/{name}", limit=6, out=folder / name, calibrate=0)
        yield open_views([folder / "ceiling-truth", folder / "wrong-direction"], DeskBench())


def test_edits_are_shown_with_what_was_done(views):
    panel = PANELS[0]
    assert panel.applies(views)
    text = str(panel.render(views))
    assert text.count("<img") == 6 * 6 - 2, "before, target, two answers, each also as perceived; no opposite removal"
    assert [text.index(f">{name}<") for name in COLUMNS] == sorted(text.index(f">{name}<") for name in COLUMNS)
    assert "Please do the move." in text and "red toy block: 10.0 cm" in text and "not-applicable" in text


def test_difficulty_and_published_formulas(views):
    assert PANELS[2].applies(views)
    text = str(PANELS[2].render(views))
    assert "rotation" in text and "IC published" in text and "&lt;" not in text
    assert not PANELS[1].applies(views) or "Things in the scene" in str(PANELS[1].render(views))
