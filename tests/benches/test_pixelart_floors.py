"""Stored drawings as floors: they know the kind of subject at most, never its parameters, and are the best of that."""

import dataclasses

import numpy as np
import pytest

import pixelproof
from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import Answer, Source
from pixelproof.stats import generator

BENCH = PixelArt()
CONTROLS = BENCH.controls()
SOME = ("die", "frame", "diagonal-line", "ladder", "vertical-flag", "letter")
OLD = ("floor-noise", "floor-blank", "floor-checkerboard", "floor-rows", "floor-example", "floor-shape")


def items_of(kinds, seed=7, count=500):
    return [item for item in BENCH.items(Source("fresh"), seed, count) if item.tags["subject"] in kinds]


def answer_of(name, item):
    return CONTROLS[name](item, generator(0, name, 0))


def mean(items, answers, metric):
    values = [BENCH.score(item, answer, {}).metrics[metric] for item, answer in zip(items, answers, strict=True)]
    return float(np.mean(values))


@pytest.mark.slow
def test_one_drawing_per_kind_whatever_the_parameters():
    for kind in SOME:
        items = items_of({kind})
        assert len({item.inputs["subject"] for item in items}) > 1
        assert len({answer_of("floor-same-kind", item).text for item in items}) == 1


def test_the_items_own_parameters_are_never_read():
    die = items_of({"die"})[0]
    for pips in range(1, 7):
        other = dataclasses.replace(die, truth={**die.truth, "params": {**die.truth["params"], "pips": pips}})
        assert answer_of("floor-same-kind", other) == answer_of("floor-same-kind", die)


@pytest.mark.slow
def test_a_stored_drawing_per_kind_is_a_higher_floor_than_those_that_ignore_the_prompt():
    items = items_of(set(SOME))
    stored = mean(items, [answer_of("floor-same-kind", item) for item in items], "exact.conditions")
    assert stored > 0.3
    for name in OLD:
        assert mean(items, [answer_of(name, item) for item in items], "exact.conditions") < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 102, 103])
def test_no_other_stored_drawing_per_kind_is_clearly_better(seed):
    """An attacker keeps one drawing per kind, the best of five by a set of his own; it gains little on the floor."""
    practice, exam = items_of(set(SOME), seed, count=250), items_of(set(SOME), seed + 1000, count=900)
    stored = {}
    for kind in SOME:
        drawn = [KINDS[kind].draw(generator(seed, kind, index)) for index in range(5)]
        own = [Answer(BENCH.form.write(drawing.palette, drawing.grid)) for drawing in drawn]
        known = [item for item in practice if item.tags["subject"] == kind]
        stored[kind] = max(own, key=lambda answer: mean(known, [answer] * len(known), "exact.conditions"))
    attack = mean(exam, [stored[item.tags["subject"]] for item in exam], "exact.conditions")
    floor = mean(exam, [answer_of("floor-same-kind", item) for item in exam], "exact.conditions")
    assert attack <= floor + 0.06


@pytest.mark.slow
def test_one_drawing_for_all_subjects_that_are_scored_alike():
    items = list(BENCH.items(Source("pixelart-v2"), 0, None))
    for checked in ("exactly", "in parts"):
        assert len({answer_of("floor-prior", item).text for item in items if item.tags["checked"] == checked}) == 1
    published = list(BENCH.items(Source("published"), 0, None))
    things = [item for item in published if item.tags["subject"] not in ("maze", "hope")]
    assert mean(things, [answer_of("floor-prior", item) for item in things], "recognised") == pytest.approx(1 / 5)
    exact = [item for item in items if item.tags["checked"] == "exactly"]
    prior = mean(exact, [answer_of("floor-prior", item) for item in exact], "exact.conditions")
    others = [mean(exact, [answer_of(name, item) for item in exact], "exact.conditions") for name in OLD]
    assert prior >= max(others) - 1 / len(exact)  # it was fitted on other subjects


def test_words_without_parameters_can_be_learnt_by_heart_and_the_floor_says_so():
    """One stored drawing per word is as good as ours, so recognition of fixed words has no calibrated score."""
    for item in BENCH.items(Source("published"), 0, None):
        stored = answer_of("floor-same-kind", item)
        assert stored == answer_of("ceiling-truth", item)
        assert BENCH.score(item, stored, {}).metrics.get("recognised", 1) == 1


@pytest.mark.slow
def test_a_fault_does_not_raise_metrics_that_do_not_apply_to_its_item(tmp_path):
    """The maze alone is checked, and its floor is 1: faulty answers to six other subjects are not six mazes."""
    answers = tmp_path / "answers"
    answers.mkdir()
    for item in BENCH.items(Source("published"), 0, None):
        (answers / f"{item.id.replace('/', '__')}.txt").write_text("I cannot draw.", "utf-8")
    summary = pixelproof.run("pixelart", f"folder/{answers}", source="published", out=tmp_path / "run").summary
    solved, recognised = summary["metrics"]["exact.solved"], summary["metrics"]["recognised"]
    assert (solved["value"], solved["n"], solved["floor"]) == (0, 1, 1)
    assert (recognised["value"], recognised["n"]) == (0, 5)


def test_unknown_subjects_get_a_blank_drawing(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text('model_slug,example_name,palette,grid\na/b,a sundial,"[""000000""]","[""0""]"\n', "utf-8")
    [item] = BENCH.items(Source("pixel-art-bench-v1", rows), 0, None)
    for name in ("floor-prior", "floor-same-kind"):
        assert answer_of(name, item) == answer_of("floor-blank", item)
