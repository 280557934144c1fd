"""Report panels of the bench, on small runs."""

import json
import re
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import pixelproof
from pixelproof.benches.agent import Agent
from pixelproof.benches.agent._commands import agent_group
from pixelproof.benches.agent._panels import PANELS, intervention_rows
from pixelproof.contract import Result, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.report import open_groups, write_report


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """The scripted agent with real and with shuffled evidence, and a control without calls."""
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    for name, model, options in (
        ("real", "nets/scripted-agent", {}),
        ("shuffled", "nets/scripted-agent", {"intervention": "shuffled-evidence"}),
        ("floor", "control/floor-never-look", {}),
        ("without", "nets/scripted-agent", {"intervention": "no-tools"}),
    ):
        plan = Plan(
            Agent(task="count-clutter,compare-areas", **options), Source("world"), 3, 2 if name == "real" else 1, 1
        )
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
    costs = {view.bench.intervention: difference.value for view, difference in intervention_rows(views)}
    assert set(costs) == {"shuffled-evidence", "no-tools"} and max(costs.values()) <= 0


def test_interventions_are_compared_with_the_run_of_the_same_degradation():
    def view(accuracy, **options):
        run = SimpleNamespace(
            results=lambda bench: [Result(f"i/{place}", {"accuracy": accuracy}) for place in range(4)]
        )
        return SimpleNamespace(model="m", bench=Agent(**options), run=run)

    blurred = {"shift": "blur", "strength": 0.4}
    views = [view(1.0), view(0.5, **blurred), view(0.25, intervention="no-tools", **blurred), view(0.0, **blurred)]
    ((_, difference),) = intervention_rows(views)
    assert difference.value == -0.25, "of the first run without an intervention"
    assert not intervention_rows([view(1.0), view(0.25, intervention="no-tools", **blurred)])


@pytest.mark.slow
def test_a_run_without_calls_has_no_panels_about_them(views):
    floor = [view for view in views if view.control]
    assert [panel.title for panel in PANELS if panel.applies(floor)] == []


@pytest.mark.slow
def test_commands_about_runs(views):
    paths = {view.bench.intervention: str(view.run.path) for view in views if not view.control}
    done = CliRunner().invoke(agent_group, ["suite", paths["none"], paths["no-tools"], "--json"])
    ((gain,), mean) = json.loads(done.output).values()
    assert (
        gain["model"] == "nets/scripted-agent" and gain["n"] == 1 and gain["absolute"] == gain["score"] - gain["base"]
    )
    assert list(mean) == ["nets/scripted-agent"]
    table = CliRunner().invoke(agent_group, ["suite", paths["none"], paths["no-tools"]])
    assert "mean gain" in table.output and table.exit_code == 0
    alone = CliRunner().invoke(agent_group, ["fidelity", paths["none"]])
    assert "--samples 3" in str(alone.exception)


def test_runs_of_other_benches_are_refused(tmp_path):
    path = pixelproof.run("pixelart", model="control/floor-noise", limit=1, calibrate=0, out=tmp_path / "run").path
    for command in ("suite", "fidelity"):
        done = CliRunner().invoke(agent_group, [command, str(path)])
        assert "is a run of pixelart: give runs of agent" in str(done.exception)


@pytest.mark.slow
def test_the_gallery_shows_every_question(views, tmp_path):
    page = tmp_path / "report.html"
    write_report([view.run.path for view in views], page)
    asked = set(re.findall(r'"request": ?"([^"]+)"', page.read_text("utf-8")))
    assert len(asked) == 2 and all(question.endswith(("?", "5.")) for question in asked)
