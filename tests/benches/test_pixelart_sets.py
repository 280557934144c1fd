"""The frozen set and fresh ones: the same everywhere, verified, and calibrated between floors and ceiling."""

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from pixelproof.benches.pixelart import PixelArt, _sets
from pixelproof.benches.pixelart.subjects import KINDS, Thing
from pixelproof.contract import Answer, Failure, Fault, PixelProofError, Source
from pixelproof.stats import generator

V1, V2 = Source("pixelart-v1"), Source("pixelart-v2")
FRESH, PUBLISHED = Source("fresh"), Source("published")
frozen_sets = pytest.mark.parametrize("source", [V1, V2], ids=lambda source: source.name)
BENCH = PixelArt()


def items(source, seed=0, n=None, bench=BENCH):
    return list(bench.items(source, seed, n))


@frozen_sets
def test_the_frozen_set_covers_everything(source):
    frozen, edition = items(source), int(source.name[-1])
    assert len(frozen) >= 120
    assert [item.id for item in frozen] == [f"pixelart/{source.name}/{edition}/{n:04d}" for n in range(len(frozen))]
    kinds = {id for id, kind in KINDS.items() if kind.edition <= edition <= kind.last_edition}
    assert {item.tags["subject"] for item in frozen} == kinds
    assert {item.tags["grade"] for item in frozen} == {"1", "2", "3"}
    assert all(item.cluster == item.tags["subject"] for item in frozen)
    assert len({item.inputs["subject"] for item in frozen}) > 0.9 * len(frozen)


@frozen_sets
def test_the_frozen_set_has_no_seed_and_no_options(source):
    ours = items(source)
    assert ours == items(source, seed=99) and ours[:5] == items(source, n=5) and ours == items(source, n=10_000)
    others = items(source, bench=PixelArt(family="lite", grid=32, colours=7))
    assert [item.truth for item in others] == [item.truth for item in ours]
    assert [item.inputs["subject"] for item in others] == [item.inputs["subject"] for item in ours]


@frozen_sets
def test_the_manifest_is_small_and_can_be_made_again(source, tmp_path):
    made = _sets.freeze_set(source.name, tmp_path / "again.json")
    manifest = _sets.manifest(source.name)
    assert (tmp_path / "again.json").read_bytes() == manifest.read_bytes()
    assert manifest.stat().st_size < 50_000 and len(made) == len(items(source))


def test_the_two_frozen_sets_say_different_things_of_the_same_kinds():
    """Items of the first set have no wording in their truth, and are checked for what their own text says."""
    old, new = ({item.tags["subject"]: item for item in items(source)} for source in (V1, V2))
    for id, kind in KINDS.items():
        if kind.exact:
            assert "wording" not in old[id].truth and new[id].truth["wording"] == 2
            assert "exactly" in new[id].inputs["subject"].rpartition("The whole picture has")[2]
            assert "The whole picture has" not in old[id].inputs["subject"]
    assert BENCH.default_source() == V2.name


def test_a_changed_subject_is_refused(monkeypatch):
    monkeypatch.setattr(Thing, "text", lambda self, p: self.title + ", please")
    with pytest.raises(
        PixelProofError, match=r"Item \d+ of pixelart-v1 differs from the frozen one.*run a fresh set"
    ) as error:
        items(V1)
    assert ". " not in str(error.value)


def test_a_damaged_manifest_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "pixelart-v1.json"
    path.write_text(_sets.manifest(V1.name).read_text().replace('"seed": 1', '"seed": 2'))
    monkeypatch.setattr(_sets, "manifest", lambda name: path)
    with pytest.raises(PixelProofError, match="was changed after it was made: reinstall pixelproof"):
        items(V1)


def test_truth_is_text_and_whole_numbers():
    """What is hashed must not depend on the platform's floats."""

    def leaves(value):
        if isinstance(value, dict | list):
            return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in leaves(part)]
        return [value]

    for item in (*items(V1), *items(V2)):
        assert all(type(leaf) in (int, str) for leaf in leaves(item.truth))
        assert json.loads(json.dumps(item.truth)) == item.truth
    assert pickle.loads(pickle.dumps(items(V1))) == items(V1)


def test_fresh_sets_depend_on_their_seed_alone():
    one, other = items(FRESH, seed=5), items(FRESH, seed=6)
    assert one == items(FRESH, seed=5) and one[:7] == items(FRESH, seed=5, n=7)
    assert [item.truth for item in one] != [item.truth for item in other]
    newest = [id for id, kind in KINDS.items() if kind.last_edition >= 2]
    counts = Counter(item.tags["subject"] for item in one)
    assert counts == {id: 3 if KINDS[id].exact else 6 for id in newest}
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


@pytest.mark.parametrize(("source", "smallest"), [(V1, 16), (V2, 24), (FRESH, 24)])
@pytest.mark.parametrize(("grid", "colours", "advice"), [(12, 10, "--colours 10"), (24, 4, "--colours 7")])
def test_too_little_room_is_a_sentence(source, smallest, grid, colours, advice):
    advice = f"--grid {max(smallest, grid)} {advice}"
    with pytest.raises(PixelProofError, match=f"choose {advice}"):
        items(source, bench=PixelArt(grid=grid, colours=colours))


def test_prompts_ask_for_exact_drawings_where_they_are_checked():
    by_id = {item.tags["subject"]: item for item in items(V1)}
    digit, cat = BENCH.prompt(by_id["digit"]).text, BENCH.prompt(by_id["cat"]).text
    assert digit.splitlines()[-1] == f"Draw: {by_id['digit'].inputs['subject']}"
    assert "exactly what is asked for" in digit and "no letters" not in digit
    assert "exactly what is asked for" not in cat and "Draw no letters, numbers or words." in cat
    assert by_id["digit"].inputs["prompt"] == "original-exact-1" and by_id["cat"].inputs["prompt"] == "original-1"
    lite = PixelArt(family="lite")
    item = next(item for item in items(V1, bench=lite) if item.tags["subject"] == "digit")
    assert item.inputs["prompt"] == "lite-1" and "Subject: The digit" in lite.prompt(item).text
    maze = items(PUBLISHED)[4]
    assert maze.inputs["prompt"] == "original-1", "the published set is asked as it was published"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bench", "sets"),
    [
        (BENCH, [(V1, 0), (V2, 0), (PUBLISHED, 0)]),
        (BENCH, [(FRESH, 0)]),
        (PixelArt(family="lite", grid=24, colours=7), [(V2, 0)]),
        (PixelArt(grid=33), [(V1, 0), (FRESH, 2)]),
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
    item = next(item for item in items(V1) if item.tags["subject"] == "bar-chart")
    for answer in (Answer("sorry"), Answer(failure=Failure(Fault.MODEL, "refusal"))):
        metrics = BENCH.score(item, answer, {}).metrics
        assert metrics["exact.solved"] == metrics["exact.conditions"] == 0
    broken = Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout"))
    assert BENCH.score(item, broken, {}).metrics == {}


def test_the_notes_say_what_is_missed():
    item = next(item for item in items(V1) if item.tags["subject"] == "vertical-flag")
    drawing = KINDS["vertical-flag"].draw(generator(3, "other"), 24, 10)
    result = BENCH.score(item, Answer(BENCH.form.write(drawing.palette, drawing.grid)), {})
    assert result.notes["missed"] == "colours in order" and result.metrics["exact.conditions"] == pytest.approx(2 / 3)


def test_small_grids_have_no_exact_score():
    """On four by four cells no maze can wind, so not even the reference could solve it."""
    bench = PixelArt(grid=4)
    maze = list(bench.items(PUBLISHED, 0, None))[4]
    assert "exact.solved" not in bench.score(maze, bench.controls()["ceiling-truth"](maze, None), {}).metrics


def test_drawings_of_the_ceiling_are_the_same_at_every_call():
    item = items(V1)[0]
    truth = BENCH.controls()["ceiling-truth"]
    assert truth(item, generator(0, "a")) == truth(item, generator(1, "b"))
    assert np.array(json.loads(truth(item, None).text)["grid"]).shape == (24,)
