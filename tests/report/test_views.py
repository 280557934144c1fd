"""What a report reads of run directories."""

import shlex
from dataclasses import replace

import numpy as np
import pytest

from pixelproof.cli._app import program
from pixelproof.harness import Run
from pixelproof.report._details import command
from pixelproof.report._views import conditions
from report.opening import open_views
from support import Guess, edit_json


def edit_card(path, **changes):
    edit_json(path / "card.json", **changes)


def test_a_run_gives_its_items_answers_and_blobs(drawings):
    run = Run.open(drawings / "moody")
    items = list(run.items())
    assert len(items) == 7 and items[0].cluster == "mario" and items[0].tags["category"] == "character"
    answers = list(run.answers())
    assert [(item, sample) for item, sample, _, _ in answers] == [(i.id, s) for i in items for s in (0, 1)]
    assert all(answer.text and not keys for _, _, answer, keys in answers)
    keys = [key for result in run.results() for key in result.evidence.values()]
    assert keys and all(run.blob(key).startswith(b"\x89PNG") for key in keys)


@pytest.mark.slow
def test_rows_are_the_table(guess):
    path = guess("mixed", "fn/support:mixed", samples=2, cluster_size=2)
    (view,) = open_views([path], Guess())
    results = list(view.run.results(Guess()))
    assert view.rows.metrics["close"] == pytest.approx([r.metrics.get("close", np.nan) for r in results], nan_ok=True)
    assert "pooled" not in view.rows.metrics
    assert len(set(view.rows.clusters.tolist())) == 10
    lengths = [len(answer.text) for _, _, answer, _ in view.run.answers()]
    assert view.rows.characters == pytest.approx(lengths)
    told = {("scored", "scored"): 24, ("model", "not-a-digit"): 8, ("instrument", "scorer-crashed"): 8}
    assert view.rows.outcomes == told


@pytest.mark.slow
def test_runs_of_one_model_are_told_apart(guess):
    paths = [guess("a", "fn/support:even_odd"), guess("b", "fn/support:even_odd", samples=2)]
    paths += [guess("c", "control/floor-five"), guess("d", "fn/support:even_odd", samples=2)]
    views = open_views(paths, Guess())
    assert [view.key for view in views] == ["A", "B", "C", "D"]
    assert [view.setting for view in views] == ["samples 1", "samples 2, b", "samples 2, d", ""]
    assert [view.control for view in views] == [False, False, False, True]  # models first


@pytest.mark.slow
def test_letters_go_on_after_z(guess):
    path = guess("a", "control/floor-five")
    assert [view.key for view in open_views([path] * 28, Guess())][24:] == ["Y", "Z", "AA", "AB"]


@pytest.mark.slow
def test_cost_is_unknown_without_prices(guess):
    path = guess("a", "fn/support:even_odd")
    ledger = Run.open(path).card["ledger"]
    assert open_views([path], Guess())[0].cost is None
    edit_card(path, ledger=ledger | {"cost": 0.25})
    assert open_views([path], Guess())[0].cost == 0.25
    edit_card(path, ledger=ledger | {"prices": {"input": 0.0}})
    assert open_views([path], Guess())[0].cost == 0.0


def test_the_command_of_a_card_is_one_that_the_program_takes(drawings):
    changes = {"model": "fn/it's; rm -rf", "data": "/some where/f.csv", "decoding": "grammar", "temperature": 0.5}
    card = replace(Run.open(drawings / "moody").about, threads=2, **changes)
    words = shlex.split(command(card))
    assert words[:5] == ["pixelproof", "run", "pixelart", "--model", "fn/it's; rm -rf"]
    context = program.make_context("pixelproof", ["run", "pixelart"])
    group = program.get_command(context, "run")
    sub = group.get_command(context, "pixelart")
    given = sub.make_context("pixelart", words[3:]).params
    assert given["model"] == card.model and str(given["data"]) == "/some where/f.csv"
    assert given["decoding"] == "grammar" and given["temperature"] == 0.5 and given["threads"] == 2
    assert given["samples"] == 2 and given["grid"] == 24 and given["seed"] == 0
    assert conditions(card)["family"] == "original" and "limit" not in conditions(card)
