"""The bench: prompts with known facts, controls, and what a judge's replies become."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import pixelproof
from benches.evalmi import judged_images
from pixelproof.benches.evalmi import EvalMi, simulated
from pixelproof.benches.evalmi._controls import collage_scenes
from pixelproof.benches.evalmi._facts import holds, holds_in_collage
from pixelproof.benches.evalmi._scenes import content_of
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Source
from pixelproof.pixels import encode_png, read_image
from pixelproof.stats import generator
from pixelproof.world.flat import SHAPES

from .conftest import REAL, write_csv

BENCH, FLAT = EvalMi(), Source("flat")
EXACT, JUDGE = ("fn/pixelproof.benches.evalmi.simulated:" + name for name in ("exact", "judge"))


@pytest.fixture(scope="module")
def items():
    return list(BENCH.items(FLAT, 0, 14))


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def control(name, item):
    return BENCH.controls()[name](item, generator(0, "control"))


def judged(item, answer, judge=simulated.exact):
    questions = BENCH.questions(item, answer)
    return {q.name: Answer(judge(q.prompt, item.id)) for q in questions}


def scored(name, item, judge=simulated.exact):
    answer = control(name, item)
    return BENCH.score(item, answer, judged(item, answer, judge))


@pytest.mark.slow
def test_prompts_have_facts_and_every_task_occurs(items):
    assert len({item.id for item in items}) == 14
    assert all(item.inputs["facts"] and item.inputs["prompt"] for item in items)
    assert len(Counter(item.tags["task"] for item in items)) == 7
    assert [item.inputs for item in BENCH.items(FLAT, 0, 5)] == [item.inputs for item in items[:5]]
    assert [item.inputs["prompt"] for item in BENCH.items(FLAT, 1, 5)] != [i.inputs["prompt"] for i in items[:5]]
    for item in items:
        assert BENCH.prompt(item).parts == (item.inputs["prompt"],) and BENCH.prompt(item).wants == "image"


@pytest.mark.slow
def test_the_true_image_is_perfect_and_an_image_of_another_prompt_is_not(items):
    items = items[8:]  # those before ask about anchors, too
    truth = [scored("ceiling-truth", item).metrics for item in items]
    for name in ("judge.correspondence", "judge.facts", "judge.solved", "judge.perception"):
        assert all(metrics[name] == 1.0 for metrics in truth), name
    other = [scored("floor-other-prompt", item).metrics for item in items]
    assert np.mean([metrics["judge.perception"] for metrics in other]) == 1.0, "it is a fine image"
    assert np.mean([metrics["judge.solved"] for metrics in other]) < 0.3
    for floor in ("floor-blank", "floor-noise", "praise"):
        metrics = scored(floor, items[0]).metrics
        assert [metrics[f"judge.{name}"] for name in ("correspondence", "facts", "solved", "perception")] == [0.0] * 4


@pytest.mark.slow
def test_chance_agreement_of_the_other_prompt_is_what_its_scene_shows(items):
    """Counted by the entities of the other scene alone, without the language of claims."""
    for item in items:
        other = next(i for i in [*items, *BENCH.items(FLAT, 0, 15)] if i.inputs["index"] == item.inputs["index"] + 1)
        if "sign" in (item.truth.world, other.truth.world):
            continue
        shown = {e.noun for e in content_of(other.truth).view.entities if e.visible >= 0.3}
        objects = [fact for fact in item.inputs["facts"] if fact.kind == "object"]
        assert all(fact.claim.noun in SHAPES for fact in objects)
        note = scored("floor-other-prompt", item).notes.get("judge_said_yes", "")
        assert [fact.question in note for fact in objects] == [fact.claim.noun in shown for fact in objects]


@pytest.mark.slow
def test_a_collage_of_other_prompts_meets_facts_without_knowing_the_prompt(items):
    """What it cannot meet are texts, and counts by more than chance."""
    for item in items[8:11]:
        result, other = (scored(name, item) for name in ("collage", "floor-other-prompt"))
        assert result.metrics["judge.facts"] >= other.metrics["judge.facts"], "it contains that image"
        contents = [content_of(scene) for scene in collage_scenes(item)]
        held = [holds_in_collage(fact, contents) for fact in item.inputs["facts"]]
        assert result.metrics["judge.facts"] == pytest.approx(np.mean(held))
    held = {"object": [], "count": [], "text": []}
    for item in BENCH.items(FLAT, 1, 42):
        contents = [content_of(scene) for scene in collage_scenes(item)]
        for fact in item.inputs["facts"]:
            held.setdefault(fact.kind, []).append(holds_in_collage(fact, contents))
    assert np.mean(held["object"]) > 0.8 > 0.4 > np.mean(held["count"]) and np.mean(held["text"]) < 0.1


@pytest.mark.slow
def test_the_prompt_as_a_text_is_no_image_of_it(items):
    for item in items[8:]:
        texts = [fact.kind == "text" for fact in item.inputs["facts"]]
        metrics = scored("caption", item).metrics
        assert metrics["judge.facts"] == np.mean(texts) < 1, "a text can be read, nothing else is there"
        assert metrics["judge.solved"] == metrics["judge.perception"] == 0
    long = replace(items[9], inputs={**items[9].inputs, "prompt": "a wörd 漢字 " * 300})
    assert control("caption", long).images, "prompts of any length and script"


@pytest.mark.slow
def test_questions_have_names_with_versions_and_show_the_image(items):
    item = items[10]
    questions = BENCH.questions(item, control("ceiling-truth", item))
    assert [q.name for q in questions][:2] == ["perception-v1", "correspondence-v1"]
    assert [q.name for q in questions][2:] == [f"fact-v1.{k}" for k in range(len(item.inputs["facts"]))]
    assert item.inputs["prompt"] not in questions[0].prompt.text, "perception must not depend on the prompt"
    assert item.inputs["prompt"] in questions[1].prompt.text
    large = Answer(images=(encode_png(np.zeros((1500, 3000, 3), np.uint8)),))
    assert read_image(BENCH.questions(item, large)[0].prompt.parts[0]).shape == (512, 1024, 3)


def reply(item, **texts):
    """All questions answered with good and yes, but for some."""
    answer = Answer(images=(encode_png(np.full((8, 8, 3), 9, np.uint8)),))
    replies = {}
    for question in BENCH.questions(item, answer):
        given = next((text for name, text in texts.items() if question.name.startswith(name)), None)
        usual = "good" if question.prompt.logprobs else "yes"
        replies[question.name] = given if isinstance(given, Answer) else Answer(usual if given is None else given)
    return BENCH.score(item, answer, replies)


@pytest.mark.slow
def test_levels_are_words_or_expectations(items):
    item = items[9]
    assert reply(item).metrics["judge.correspondence"] == 0.75
    spread = ({" Good": math.log(0.5), "ex": math.log(0.25), "ok": math.log(0.25)},)
    assert reply(item, corr=Answer("Good", logprobs=spread)).metrics["judge.correspondence"] == pytest.approx(2.5 / 3)
    # The level is named by a later token; the first is not about levels.
    late = ({"I": -0.01, "good": -9.0}, {"poor": math.log(0.9), "fair": math.log(0.1)})
    assert reply(item, corr=Answer("I: poor", logprobs=late)).metrics["judge.correspondence"] == pytest.approx(0.275)
    # The token that names the level has it among its candidates; "Fair" is said about something else.
    other = ({"Fair": -0.01, "good": -9.0}, {"excellent": math.log(0.8), "good": math.log(0.2)})
    said = Answer("Fairness aside, excellent", logprobs=other)
    assert reply(item, corr=said).metrics["judge.correspondence"] == pytest.approx(0.95)
    # Tokens of reasoning are not those of the answer.
    thought = Answer("<think>bad</think>good", logprobs=({"bad": -0.01, "good": -5.0}, {"good": -0.01}))
    assert reply(item, corr=thought).metrics["judge.correspondence"] == 0.75
    # Without a token that is mostly about levels, the word counts.
    vague = ({"the": -0.1, "bad": -5.0},)
    assert reply(item, corr=Answer("excellent", logprobs=vague)).metrics["judge.correspondence"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7/10",
        "good, or perhaps excellent",
        "not bad",
        "gut",
        "It isn't very good",
        "It isn’t good",
        "goodness",
        "never a good one",
        "no good",
        "far from excellent",
        "less than fair",
        "almost excellent",
        "I can't see images.",
        "<think>It looks good",
    ],
)
def test_a_reply_that_is_no_level_leaves_the_answer_unscored(items, text):
    result = reply(items[9], corr=text)
    assert result.failure.fault is Fault.INSTRUMENT and result.failure.name == "judge-unreadable"
    assert "correspondence-v1" in result.failure.detail and "judge.correspondence" not in result.metrics
    assert result.metrics["judge.perception"] == 0.75, "what could be read is kept"


@pytest.mark.parametrize("text", ["", "maybe", "yes and no", "ja", "42", "I can't see the image.", "<think>yes"])
def test_a_reply_that_is_neither_yes_nor_no_leaves_the_answer_unscored(items, text):
    result = reply(items[9], **{"fact-v1.0": text})
    assert result.failure.name == "judge-unreadable" and "judge.facts" not in result.metrics


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Good. It is not blurred.", 0.75),
        ("It is not blurred. Good.", 0.75),
        ("No artefacts, good", 0.75),
        ("<think>Is it bad? No: poor or fair.</think>\nFair", 0.5),
        ("**Excellent**", 1.0),
        ("Quality: fair", 0.5),
        ("poor\n", 0.25),
        ("BAD", 0.0),
    ],
)
def test_levels_within_a_sentence(items, text, score):
    assert reply(items[9], corr=text).metrics["judge.correspondence"] == score


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Yes, there is no other.", 1.0),
        ("No. I cannot see a ring.", 0.0),
        ("The answer is yes", 1.0),
        ("no\n\nyes?", 0.0),
        ("<think>No, there is no ring … or is there?</think>Yes", 1.0),
    ],
)
def test_yes_and_no_within_a_sentence(items, text, share):
    assert reply(items[9], **{"fact-v1": text}).metrics["judge.facts"] == share


@pytest.mark.slow
def test_a_judge_that_cannot_tell_abstains(items):
    result = reply(items[9], **{"fact-v1.0": "Cannot tell."})
    assert result.abstained and result.failure is None and "judge.facts" not in result.metrics
    assert result.metrics["judge.correspondence"] == 0.75 and items[9].inputs["facts"][0].question in str(result.notes)
    for text in ("I cannot tell", "I can’t tell.", "It is impossible to say", "This cannot be determined."):
        assert reply(items[9], corr=text).abstained, text


def test_a_reply_that_was_cut_off_says_so(items):
    detail = reply(items[9], corr=Answer("The image shows", stop="length")).failure.detail
    assert "'the image shows' (cut off at the token limit)" in detail


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (Answer("I cannot draw that."), "no-image"),
        (Answer(), "no-image"),
        (Answer(images=(Artefact(b"hello", "text/plain"),)), None),
        (Answer(images=(Artefact(b"\x89PNG\r\n", "image/png"),)), None),
        (Answer(failure=Failure(Fault.MODEL, "refused")), "refused"),
    ],
)
def test_refusals_and_files_that_are_no_image_are_faults_of_the_model(items, answer, name):
    assert BENCH.questions(items[9], answer) == ()
    result = BENCH.score(items[9], answer, {})
    assert result.failure.fault is Fault.MODEL and result.metrics == {}
    assert name is None or result.failure.name == name


@pytest.mark.parametrize("shape", [(1, 1), (2, 900), (3, 3)])
def test_images_of_any_size_are_scored(items, shape):
    answer = Answer(images=(encode_png(np.full((*shape, 3), 9, np.uint8)),))
    result = BENCH.score(items[9], answer, judged(items[9], answer))
    assert result.failure is None and result.metrics["judge.facts"] == 0


def run(tmp_path, name, **options):
    options = {"source": "flat", "limit": 4, "checks": "none", "out": tmp_path / "run", **options}
    return pixelproof.run("evalmi", name, **options)


@pytest.mark.slow
def test_a_judge_that_always_says_excellent_gives_no_calibrated_score(tmp_path):
    judge = "fn/pixelproof.benches.evalmi.simulated:always_excellent"
    for metric, one in run(tmp_path, "control/ceiling-truth", judge=judge).summary["metrics"].items():
        if metric.startswith("judge."):
            assert one["value"] == one["floor"] == one["ceiling"] == 1.0
            assert one["calibrated"] is None and "not clearly better than the floor" in one["calibrated_reason"]


def refuse(prompt):
    return "No."


@pytest.mark.slow
def test_a_refusal_counts_as_the_floor_and_never_as_a_fine_image(tmp_path):
    """A fine image of another prompt is no floor of perception: a refusal would else be as good to look at."""
    summary = run(tmp_path, refuse, judge=EXACT).summary
    assert summary["counts"]["model_faults"] == 4
    assert summary["metrics"]["judge.perception"]["value"] == summary["metrics"]["judge.perception"]["floor"] == 0.0
    facts = summary["metrics"]["judge.facts"]
    assert facts["value"] == facts["floor"] and facts["calibrated"] is None or facts["calibrated"]["value"] == 0.0


@pytest.mark.slow
def test_without_a_judge_only_pixels_are_measured(tmp_path):
    summary = run(tmp_path, "control/ceiling-truth").summary
    assert set(summary["metrics"]) and all(name.startswith("pixels.") for name in summary["metrics"])


TASKS = [f"task{k:02d}" for k in range(20)]


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """Prompts and questions in the form of EvalMi-50K; two have the same text, one has component questions."""
    folder = tmp_path_factory.mktemp("prompts")
    rows = [
        [
            k + 1,
            TASKS[k % 20],
            int(k > 200),
            f"a photo of thing {k or 20}",
            f"Does the image contain thing {k}?Answer yes or no.",
            "",
            "",
        ]
        for k in range(260)
    ]
    rows[0][4:] = [
        "Are all of these right? Answer yes or no.",
        "Does the image contain 2 dog?Answer yes or no.",
        "Is it red?",
    ]
    header = ["prompt_id", "task", "long", "prompt", "question", "sub_q1", "sub_q2"]
    write_csv(folder / "prompts.csv", header, rows)
    return folder


def test_prompts_of_a_data_set(listed):
    items = list(BENCH.items(Source("evalmi", listed), 0, None))
    assert len(items) == 260 and items[0].id == "evalmi/evalmi/1/00001" and items[0].cluster == items[20].cluster
    assert [fact.question for fact in items[0].inputs["facts"]] == ["Does the image contain 2 dog?", "Is it red?"]
    assert items[0].inputs["facts"][0].claim.count == 2 and items[0].inputs["facts"][1].claim is None
    assert items[0].inputs["main"] == "Are all of these right?"
    names = [q.name for q in BENCH.questions(items[0], control("floor-blank", items[0]))]
    assert "main-v1" in names and "main-v1" not in [
        q.name for q in BENCH.questions(items[30], control("floor-blank", items[30]))
    ]


def test_the_main_question_decides_whether_a_prompt_is_solved(listed):
    (item,) = BENCH.items(Source("evalmi", listed), 0, 1)
    answer = control("floor-blank", item)
    names = [q.name for q in BENCH.questions(item, answer)]
    said = {name: Answer("good" if name.endswith("-v1") and "main" not in name else "yes") for name in names}
    result = BENCH.score(item, answer, {**said, "main-v1": Answer("no")})
    assert result.metrics["judge.facts"] == 1.0 and result.metrics["judge.solved"] == 0.0


def test_the_subset_has_ten_different_prompts_of_each_task_whatever_the_order(listed, tmp_path):
    chosen = list(BENCH.items(Source("evalmi-200", listed), 0, None))
    assert Counter(item.tags["task"] for item in chosen) == dict.fromkeys(TASKS, 10)
    assert len({item.inputs["prompt"] for item in chosen}) == 200
    lines = (listed / "prompts.csv").read_text().splitlines()
    (tmp_path / "prompts.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]))
    again = list(BENCH.items(Source("evalmi-200", tmp_path), 5, None))
    assert {item.inputs["prompt"] for item in again} == {item.inputs["prompt"] for item in chosen}


def test_the_real_subset():
    if not REAL.is_dir():
        pytest.skip(f"EvalMi-50K is not at {REAL}")
    assert len(list(BENCH.items(Source("evalmi", REAL), 0, None))) == 2100
    chosen = list(BENCH.items(Source("evalmi-200", REAL), 0, None))
    assert set(Counter(item.tags["task"] for item in chosen).values()) == {10} and len(chosen) == 200
    kinds = Counter(fact.kind for item in BENCH.items(Source("evalmi", REAL), 0, None) for fact in item.inputs["facts"])
    assert kinds["text"] >= 50 and kinds["count"] >= 80 and kinds["colour"] >= 90
    assert not any("answer yes" in f.question.lower() for i in chosen for f in i.inputs["facts"])


@pytest.mark.parametrize(("data", "message"), [(None, "need --data"), ("nowhere", "has no prompts.csv.gz")])
def test_prompts_that_are_not_there(data, message, tmp_path):
    with pytest.raises(PixelProofError, match=message):
        list(BENCH.items(Source("evalmi", data and tmp_path / data), 0, None))
    with pytest.raises(PixelProofError, match="did you mean 'flat'"):
        list(BENCH.items(Source("flatt"), 0, None))


@pytest.mark.slow
def test_prompts_without_a_true_image_have_no_calibrated_score_and_say_so(listed, tmp_path):
    judge = "fn/pixelproof.benches.evalmi.simulated:always_excellent"
    done = run(tmp_path, "control/floor-noise", source="evalmi", data=listed, judge=judge)
    for name in ("judge.facts", "judge.correspondence"):
        one = done.summary["metrics"][name]
        assert one["ceiling"] is None and one["calibrated"] is None and "no ceiling" in one["calibrated_reason"]
    assert any("without true images" in remark for remark in done.card["remarks"])


@pytest.mark.slow
def test_errors_of_the_simulated_judge_have_their_stated_frequency(items):
    wrong, slipped = [], []
    for item in items:
        answer = control("ceiling-truth", item)
        for question in BENCH.questions(item, answer):
            pair = simulated.judge(question.prompt, item.id), simulated.exact(question.prompt, item.id)
            (slipped if question.prompt.logprobs else wrong).append(pair[0] != pair[1])
    assert 0.02 <= np.mean(wrong) <= 0.25 and 0.05 <= np.mean(slipped) <= 0.4
    with pytest.raises(PixelProofError, match="generated sources only"):
        simulated.exact(
            replace(BENCH.questions(items[0], control("floor-blank", items[0]))[0].prompt), "evalmi/evalmi/1/7"
        )


@pytest.mark.slow
def test_prompts_of_solid_scenes_are_true_and_name_things_that_can_be_recognised():
    pytest.importorskip("mujoco", reason="needs the extra world")
    for item in BENCH.items(Source("world"), 0, 4):
        content = content_of(item.truth)
        facts = item.inputs["facts"]
        assert all(holds(fact, content) for fact in facts), item.inputs["prompt"]
        claims = [fact.claim for fact in facts if fact.claim is not None]
        named = {thing.noun for claim in claims for thing in (claim, *claim.others)}
        for entity in content.view.entities:
            if entity.noun in named and not entity.fixed and item.truth.world == "solid":
                left, right, up, down = entity.reach
                assert (left + right) * (up + down) >= 0.05**2, f"{entity.noun} in {item.inputs['prompt']}"


UNREADABLE = ("4", "0.8", "4/5", "87.5 %", "5 of 5", "10", "1", "I like it.", "")


@pytest.mark.slow
@pytest.mark.attack(
    "a judge none of whose replies can be read, numbers among them, beside answers without an image",
    before="the floor of the few answers without an image, as the value of all",
    lost="no value, with the reason",
)
def test_trust4_no_value_where_no_reply_can_be_read(tmp_path, monkeypatch, record_property):
    model, judge = ("fn/benches.evalmi.judged_images:" + name for name in ("sometimes_grey", "unreadable"))
    for place, reply in enumerate(UNREADABLE):
        monkeypatch.setattr(judged_images, "REPLY", [reply])
        done = pixelproof.run("evalmi", model, source="flat", limit=4, judge=judge, out=tmp_path / str(place))
        counts = done.summary["counts"]
        assert (counts["unscored"], counts["model_faults"]) == (2, 2)
        judged = {name: m for name, m in done.summary["metrics"].items() if name.startswith("judge.")}
        assert len(judged) == 4 and all(m["value"] is None and m["n"] == 0 for m in judged.values())
        assert all("judge-unreadable: 2" in m["interval_reason"] for m in judged.values())
        tasks = done.summary["groups"].get("task", {}).values()
        assert not any(name in judged for metrics in tasks for name in metrics)
    record_property("tries", len(UNREADABLE))
