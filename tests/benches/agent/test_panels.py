"""Report panels of the bench, on small runs."""

import pytest

from pixelproof.benches.agent import Agent
from pixelproof.benches.agent._panels import PANELS, intervention_rows
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.report import open_groups


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """The scripted agent with real and with shuffled evidence, and a control without calls."""
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    for name, model, options in (
        ("real", "nets/scripted-agent", {}),
        ("shuffled", "nets/scripted-agent", {"intervention": "shuffled-evidence"}),
        ("floor", "control/floor-never-look", {}),
    ):
        plan = Plan(Agent(task="compare-areas,count-clutter", **options), Source("world"), 3, 2, 1)
        run(plan, model, settings=Settings(out=folder / name, calibrate=0))
        paths.append(folder / name)
    (group,) = open_groups(paths)
    return group.views


@pytest.mark.slow
def test_every_panel_shows_what_happened(views):
    pages = {panel.title: panel.render(views) for panel in PANELS if panel.applies(views)}
    assert len(pages) == len(PANELS)
    chain = pages["How was a question answered, step by step?"]
    assert chain.count("<img") == 6 and "1. <b>ZOOM</b>" in chain and "larger area" in chain
    assert "&lt;span" not in "".join(pages.values()), "labels are markup, not text"
    assert "polyline" in pages["Does stated confidence tell right from wrong?"]
    (shuffled,) = intervention_rows(views)
    assert shuffled[0].bench.intervention == "shuffled-evidence" and shuffled[1].value < 0


@pytest.mark.slow
def test_a_run_without_calls_has_no_panels_about_them(views):
    floor = [view for view in views if view.control]
    assert [panel.title for panel in PANELS if panel.applies(floor)] == []
