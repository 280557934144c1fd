"""The judge is optional: it gets the picture and the grid, and what it says is read strictly."""

import json

import pytest

import pixelproof
from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._judge import _letter, _yes_or_no
from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import Answer, Failure, Fault, Item, Source
from pixelproof.pixels import read_image
from pixelproof.stats import generator

BENCH = PixelArt()
PUBLISHED, FROZEN = Source("published"), Source("pixelart-v2")
RECORDED = Item("pixelart/pixel-art-bench-v1/1/0001", {"subject": "A teapot", "prompt": "original-1", "grid": 24})


def drawn(item, bench=BENCH):
    name = "floor-noise" if item.truth is None else "ceiling-truth"
    return bench.controls()[name](item, generator(0, "judge"))


def options(question):
    lines = question.prompt.parts[1].splitlines()
    return {line[0]: line[3:] for line in lines if line[1:3] == ". "}


@pytest.mark.slow
@pytest.mark.parametrize("source", [PUBLISHED, FROZEN])
def test_the_subject_is_one_of_eight_from_other_families(source):
    letters = set()
    for item in BENCH.items(source, 0, 60):
        guess = BENCH.questions(item, drawn(item))[0]
        choices = options(guess)
        assert guess.name == "guess" and list(choices) == list("ABCDEFGH")
        texts = list(choices.values())
        assert texts.count(item.inputs["subject"]) == 1 and len(set(texts)) == 8
        right = "ABCDEFGH"[texts.index(item.inputs["subject"])]
        letters.add(right)
        assert BENCH.questions(item, drawn(item))[0] == guess
        assert BENCH.score(item, drawn(item), {"guess": Answer(right)}).metrics["judge.recognised"] == 1
        wrong = "B" if right == "A" else "A"
        assert BENCH.score(item, drawn(item), {"guess": Answer(f"{wrong}.")}).metrics["judge.recognised"] == 0
    assert len(letters) >= 4, "the right letter must not always be the same"


@pytest.mark.slow
def test_distractors_are_of_other_families():
    family = {kind.title: kind.family for kind in KINDS.values() if kind.scoring == "thing"}
    for item in BENCH.items(FROZEN, 0, 60):
        for text in options(BENCH.questions(item, drawn(item))[0]).values():
            if text != item.inputs["subject"] and text in family:
                assert family[text] != item.tags["family"]


def test_the_judge_sees_the_picture_and_the_grid():
    item = list(BENCH.items(PUBLISHED, 0, None))[3]
    for question in BENCH.questions(item, drawn(item)):
        picture, text = question.prompt.parts
        assert read_image(picture).shape == (480, 480, 3)
        reply = json.loads(drawn(item).text)
        assert "\n".join(reply["grid"]) in text and f"0 = #{reply['palette'][0]}" in text
    lite = PixelArt(family="lite", colours=256)
    item = next(lite.items(PUBLISHED, 0, 1))
    noise = lite.controls()["floor-noise"](item, generator(0, "n"))
    rows = [" ".join(map(str, row)) for row in json.loads(noise.text)["grid"]]
    assert "\n".join(rows) in lite.questions(item, noise)[0].prompt.parts[1]


@pytest.mark.slow
def test_only_what_is_not_checked_exactly_gets_a_checklist():
    for item in BENCH.items(FROZEN, 0, None):
        kind = KINDS[item.tags["subject"]]
        names = [question.name for question in BENCH.questions(item, drawn(item))]
        assert names == (["guess"] if kind.exact else ["guess", "checklist"])
    teapot = Item(RECORDED.id, {**RECORDED.inputs, "colours": 10})
    assert [question.name for question in BENCH.questions(teapot, drawn(teapot))] == ["guess"]


def test_the_checklist_counts_what_is_true():
    item = next(BENCH.items(PUBLISHED, 0, 1))
    result = BENCH.score(item, drawn(item), {"checklist": Answer("1: yes\n2. No\n3) YES, blue overalls")})
    assert result.metrics["judge.checklist"] == pytest.approx(2 / 3)
    assert result.notes["judge_missed"] == "He has a moustache."


def test_what_cannot_be_read_is_no_zero():
    item = next(BENCH.items(PUBLISHED, 0, 1))
    judgements = {"guess": Answer("Hard to say"), "checklist": Answer("1: yes\n2: perhaps\n3: no")}
    result = BENCH.score(item, drawn(item), judgements)
    assert not any(name.startswith("judge.") for name in result.metrics)
    assert result.failure.fault is Fault.INSTRUMENT and result.failure.name == "judge-unreadable"
    assert "Hard to say" in result.failure.detail and "perhaps" in result.failure.detail
    assert result.metrics["strict.renders"] == 1  # what needs no judge is measured

    assert not any(name.startswith("judge.") for name in BENCH.score(item, drawn(item), {}).metrics)


def test_nothing_is_asked_about_what_does_not_render():
    item = next(BENCH.items(PUBLISHED, 0, 1))
    assert BENCH.questions(item, Answer("sorry")) == ()
    assert BENCH.questions(item, Answer(failure=Failure(Fault.MODEL, "refusal"))) == ()


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("C", "C"), ("c", None), (" B\n", "B"), ("(D)", "D"), ("**E**", "E"), ("G. The sun", "G"), ("Answer: F", "F"),
        ("A", "A"), ("A. Mario", "A"), ("A) Mario or B", "A"), ("A cat", None), ("B or C", None), ("", None),
        ("It shows a house", None), ("The answer is H.", "H"), ("I", None), ("BAD", None), ("Z", None),
    ],
)  # fmt: skip
def test_letters_are_read_strictly(text, letter):
    assert _letter(text) == letter


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1: yes\n2: no", [True, False]),
        ("2: no\n1: yes", [True, False]),
        ("1. Yes\n\n2. No, it is not.", [True, False]),
        ("- 1: yes\n- 2: yes", [True, True]),
        ("1: yes\n2: no\n3: yes", None),
        ("1: yes\n1: no", None),
        ("1: yes\n2: nothing", None),
        ("yes\nno", None),
        ("", None),
    ],
)
def test_checklists_are_read_strictly(text, said):
    assert _yes_or_no(text, 2) == said


def shrugs(prompt):
    """A judge that answers nothing that can be read."""
    return Answer("Hard to say.")


@pytest.mark.slow
def test_metrics_of_a_judge_that_always_fails_have_no_value_but_a_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    model, judge = "control/ceiling-truth", "fn/benches.test_pixelart_judge:shrugs"
    out = pixelproof.run("pixelart", model, source="published", limit=2, judge=judge, out=tmp_path / "run")
    for name in ("judge.recognised", "judge.checklist"):
        metric = out.summary["metrics"][name]
        assert metric["value"] is None and metric["n"] == 0 and "judge-unreadable: 2" in metric["interval_reason"]
    alone = pixelproof.run("pixelart", model, source="published", limit=2, out=tmp_path / "alone").summary
    assert "judge.recognised" not in alone["metrics"]
