"""The panel of confused labels: what it shows of few labels and of many."""

import re

import numpy as np
import pytest

from benches.arena.folders import PALETTE, answer, make, mask
from pixelproof.benches.arena import Arena
from pixelproof.benches.arena._panels import applies, confused_pairs, render, shown_labels
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.web import heatmap
from report.opening import open_views
from support import Guess


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


@pytest.fixture
def scored(tmp_path):
    options = make(tmp_path)
    for index in range(3):
        labels = mask(index)
        labels[labels == 4] = 1
        answer(tmp_path, index, PALETTE.paint(labels))
    bench = Arena(**options, detail="lean")
    return bench, run(Plan(bench, Source("folder")), "recorded", settings=Settings(out=tmp_path / "out", calibrate=0))


@pytest.mark.slow
def test_the_matrix_of_a_run_counts_every_pixel_once(scored):
    _, done = scored
    confusion = done.summary["confusion"]
    truth = np.bincount(np.concatenate([mask(index).ravel() for index in range(3)]), minlength=5)
    assert {row: sum(cells.values()) for row, cells in confusion.items()} == {
        label: int(n) for label, n in zip(PALETTE.labels, truth, strict=True)
    }
    assert confusion["dot"] == {"disc": int(truth[4])} and confusion["disc"] == {"disc": int(truth[1])}
    (pair,) = confused_pairs(confusion)
    assert (pair.truth, pair.painted, pair.share, pair.of_errors) == ("dot", "disc", 1.0, 1.0)


@pytest.mark.slow
def test_the_report_has_the_heat_map_and_the_pairs(scored, tmp_path):
    views = open_views([tmp_path / "out"])
    assert applies(views)
    text = render(views)
    assert "dot → disc" in text and "dot painted as disc: 100" in text
    assert len(re.findall(r'class="cell"', text)) == 25 and "more are in summary.json" not in text


@pytest.mark.slow
def test_other_benches_and_runs_without_classes_have_no_panel(tmp_path):
    run(Plan(Guess(), Source("digits"), limit=3), "fn/support:even_odd", settings=Settings(out=tmp_path / "a"))
    assert not applies(open_views([tmp_path / "a"], Guess()))


def test_of_many_labels_those_with_the_most_errors_are_shown():
    names = [f"label {place}" for place in range(133)]
    confusion = {name: {name: 1000, names[(place + 1) % 133]: place} for place, name in enumerate(names)}
    confusion["label 7"][""] = 50_000
    shown = shown_labels(confusion, names, most=10)
    assert len(shown) == 10 and "label 7" in shown and "label 132" in shown and "label 1" not in shown
    assert shown == sorted(shown, key=names.index)
    assert confused_pairs(confusion)[0].painted == ""
    assert shown_labels({}) == [] and confused_pairs({}) == [] and confused_pairs({"a": {"a": 3}}) == []


def test_names_are_escaped_in_the_heat_map():
    text = heatmap(["<b>"], ["<i>", "a" * 60], [[0.25, 0.0]], "A & B")
    assert "<b>" not in text and "&lt;b&gt;" in text and "A &amp; B" in text and "25" in text
    assert "a" * 23 not in re.sub(r"<title>[^<]*</title>", "", text)
