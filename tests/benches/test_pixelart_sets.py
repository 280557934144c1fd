"""The frozen set and fresh ones: the same everywhere, verified, and calibrated between floors and ceiling."""

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from pixelproof.benches.pixelart import PixelArt, _sets
from pixelproof.benches.pixelart.subjects import KINDS, ExactKind
from pixelproof.contract import Answer, Failure, Fault, PixelProofError, Source
from pixelproof.stats import generator

FROZEN, FRESH, PUBLISHED = Source("pixelart-v2"), Source("fresh"), Source("published")
ASKED = {id for id, kind in KINDS.items() if kind.scoring != "thing"}
BENCH = PixelArt()


def items(source, seed=0, n=None, bench=BENCH):
    return list(bench.items(source, seed, n))


def test_the_frozen_set_covers_everything():
    frozen = items(FROZEN)
    assert len(frozen) >= 120 and BENCH.default_source() == FROZEN.name
    assert [item.id for item in frozen] == [f"pixelart/pixelart-v2/2/{n:04d}" for n in range(len(frozen))]
    assert {item.tags["subject"] for item in frozen} == ASKED
    assert {item.tags["grade"] for item in frozen} == {"1", "2", "3"}
    assert all(item.cluster == item.tags["subject"] for item in frozen)
    assert len({item.inputs["subject"] for item in frozen}) > 0.9 * len(frozen)


def test_the_frozen_set_has_no_seed_and_no_options():
    ours = items(FROZEN)
    assert ours == items(FROZEN, seed=99) and ours[:5] == items(FROZEN, n=5) and ours == items(FROZEN, n=10_000)
    others = items(FROZEN, bench=PixelArt(family="lite", grid=32, colours=7))
    assert [item.truth for item in others] == [item.truth for item in ours]
    assert [item.inputs["subject"] for item in others] == [item.inputs["subject"] for item in ours]


def test_the_manifest_is_small_and_can_be_made_again(tmp_path):
    made = _sets.freeze_set(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == _sets.MANIFEST.read_bytes()
    assert _sets.MANIFEST.stat().st_size < 50_000 and len(made) == len(items(FROZEN))


def test_a_changed_subject_is_refused(monkeypatch):
    monkeypatch.setattr(ExactKind, "text", lambda self, p: self.rule(p) + ", please")
    with pytest.raises(
        PixelProofError, match=r"Item \d+ of pixelart-v2 differs from the frozen one.*run a fresh set"
    ) as error:
        items(FROZEN)
    assert ". " not in str(error.value)


def test_a_damaged_manifest_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "pixelart-v2.json"
    path.write_text(_sets.MANIFEST.read_text().replace('"seed": 2', '"seed": 3'))
    monkeypatch.setattr(_sets, "MANIFEST", path)
    with pytest.raises(PixelProofError, match="was changed after it was made: reinstall pixelproof"):
        items(FROZEN)


def test_truth_is_text_and_whole_numbers():
    """What is hashed must not depend on the platform's floats."""

    def leaves(value):
        if isinstance(value, dict | list):
            return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in leaves(part)]
        return [value]

    for item in items(FROZEN):
        assert all(type(leaf) in (int, str) for leaf in leaves(item.truth))
        assert json.loads(json.dumps(item.truth)) == item.truth
    assert pickle.loads(pickle.dumps(items(FROZEN))) == items(FROZEN)


def test_fresh_sets_depend_on_their_seed_alone():
    one, other = items(FRESH, seed=5), items(FRESH, seed=6)
    assert one == items(FRESH, seed=5) and one[:7] == items(FRESH, seed=5, n=7)
    assert [item.truth for item in one] != [item.truth for item in other]
    counts = Counter(item.tags["subject"] for item in one)
    assert counts == {id: 3 if KINDS[id].exact else 6 for id in ASKED}
    long = items(FRESH, seed=5, n=400)
    assert len(long) == 400 and long[: len(one)] == one


@pytest.mark.parametrize("seed", [2, 5])
def test_no_composed_subject_of_a_set_is_like_another_and_other_seeds_have_others(seed):
    """`fresh` renews them: two sets share next to no composed subject, and none of a set has the things of another."""
    ours, others = (items(FRESH, seed=number) for number in (seed, seed + 1))
    texts = [{item.inputs["subject"] for item in some if item.tags["checked"] == "in parts"} for some in (ours, others)]
    assert len(texts[0]) == len(texts[1]) == 54 and not texts[0] & texts[1]
    things = [(item.truth["kind"], item.truth["params"]["a"], item.truth["params"].get("b")) for item in ours
              if item.tags["checked"] == "in parts"]  # fmt: skip
    assert len(set(things)) == len(things)


@pytest.mark.parametrize("source", [FROZEN, FRESH])
@pytest.mark.parametrize(("grid", "colours", "advice"), [(6, 10, "--colours 10"), (24, 4, "--colours 7")])
def test_too_little_room_is_a_sentence(source, grid, colours, advice):
    smallest = 24 if source == FROZEN or grid == 24 else 8
    with pytest.raises(PixelProofError, match=f"choose --grid {smallest} {advice}"):
        items(source, bench=PixelArt(grid=grid, colours=colours))


@pytest.mark.slow
def test_fresh_sets_on_a_small_grid_have_the_kinds_that_fit_and_their_references_solve_them():
    bench = PixelArt(grid=8)
    small = items(FRESH, seed=3, n=64, bench=bench)
    assert {item.tags["subject"] for item in small} == {id for id in ASKED if KINDS[id].smallest <= 8}
    truth, prior = (bench.controls()[name] for name in ("ceiling-truth", "floor-prior"))
    rng = np.random.default_rng(0)
    solved = [bench.score(item, truth(item, rng), {}).metrics["exact.solved"] for item in small]
    guessed = [bench.score(item, prior(item, rng), {}).metrics["exact.solved"] for item in small]
    assert min(solved) == 1 and np.mean(guessed) < 0.1


def test_prompts_ask_for_exact_drawings_where_they_are_checked():
    digit = next(item for item in items(FROZEN) if item.tags["subject"] == "digit")
    pair = next(item for item in items(FROZEN) if item.tags["subject"] == "two-things")
    mario = items(PUBLISHED)[0]
    exact, composed, free = (BENCH.prompt(item).text for item in (digit, pair, mario))
    assert exact.splitlines()[-1] == f"Draw: {digit.inputs['subject']}"
    assert "exactly what is asked for" in exact and "no letters" not in exact
    assert "exactly what is asked for" in composed and "Draw no letters, numbers or words." in composed
    assert "exactly what is asked for" not in free and "Draw no letters, numbers or words." in free
    names = [item.inputs["prompt"] for item in (digit, pair, mario)]
    assert names == ["original-exact-1", "original-composed-1", "original-1"]
    lite = PixelArt(family="lite")
    item = next(item for item in items(FROZEN, bench=lite) if item.tags["subject"] == "digit")
    assert item.inputs["prompt"] == "lite-1" and "Subject: The digit" in lite.prompt(item).text
    maze = items(PUBLISHED)[4]
    assert maze.inputs["prompt"] == "original-1", "the published set is asked as it was published"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bench", "sets"),
    [
        (BENCH, [(FROZEN, 0), (PUBLISHED, 0)]),
        (BENCH, [(FRESH, 0)]),
        (PixelArt(family="lite", grid=24, colours=7), [(FROZEN, 0)]),
        (PixelArt(grid=33), [(FRESH, 2)]),
    ],
)
def test_floors_are_at_zero_and_references_at_one_on_every_exact_subject(bench, sets):
    controls = bench.controls()
    for source, seed in sets:
        for index, item in enumerate(bench.items(source, seed, None)):
            exactly = KINDS[item.tags["subject"]].exact
            for name, control in controls.items() if exactly else [("floor-blank", controls["floor-blank"])]:
                if name in (
                    "floor-prior",
                    "floor-same-kind",
                    "floor-words-only",
                ):  # drawings of some subject: tested among the floors
                    continue
                result = bench.score(item, control(item, generator(seed, name, index)), {})
                if not exactly:
                    assert not any(metric.startswith("exact.") for metric in result.metrics)
                    continue
                wanted = float(name == "ceiling-truth")
                solved, met = result.metrics["exact.solved"], result.metrics["exact.conditions"]
                assert solved == wanted, (name, item.inputs["subject"], result.notes)
                # A plain form may meet part of what a subject asks for: a cross is a plus sign in other colours.
                assert met == wanted or (name == "floor-shape" and met < 1), (name, item.inputs["subject"], met)


def test_a_reply_that_does_not_render_meets_nothing():
    item = next(item for item in items(FROZEN) if item.tags["subject"] == "bar-chart")
    for answer in (Answer("sorry"), Answer(failure=Failure(Fault.MODEL, "refusal"))):
        metrics = BENCH.score(item, answer, {}).metrics
        assert metrics["exact.solved"] == metrics["exact.conditions"] == 0
    broken = Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout"))
    assert BENCH.score(item, broken, {}).metrics == {}


def test_the_notes_say_what_is_missed():
    item = next(item for item in items(FROZEN) if item.tags["subject"] == "vertical-flag")
    drawing = KINDS["vertical-flag"].draw(generator(3, "other"), 24, 10)
    result = BENCH.score(item, Answer(BENCH.form.write(drawing.palette, drawing.grid)), {})
    assert result.notes["missed"] == "colours in order" and result.metrics["exact.conditions"] == pytest.approx(3 / 4)


def test_small_grids_have_no_exact_score():
    """On four by four cells no maze can wind, so not even the reference could solve it."""
    bench = PixelArt(grid=4)
    maze = list(bench.items(PUBLISHED, 0, None))[4]
    assert "exact.solved" not in bench.score(maze, bench.controls()["ceiling-truth"](maze, None), {}).metrics


def test_drawings_of_the_ceiling_are_the_same_at_every_call():
    item = items(FROZEN)[0]
    truth = BENCH.controls()["ceiling-truth"]
    assert truth(item, generator(0, "a")) == truth(item, generator(1, "b"))
    assert np.array(json.loads(truth(item, None).text)["grid"]).shape == (24,)
