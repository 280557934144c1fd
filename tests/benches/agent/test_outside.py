"""Questions of others: readers, scores by their own measures, controls, and gains of a suite."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from benches.agent.playing import play
from pixelproof.benches.agent import Agent
from pixelproof.benches.agent._suite import mean_gains, suite_gains
from pixelproof.benches.agent.outside import READERS
from pixelproof.contract import Answer, Artefact, Call, PixelProofError, Result, Source
from pixelproof.world.sets import encode_webp


def picture(path, colour=(200, 30, 30)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((60, 80, 3), colour, np.uint8)).save(path)


def clip(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    frames = [np.full((32, 32, 3), 40 * number, np.uint8) for number in range(4)]
    path.write_bytes(encode_webp(frames, 2.0, lossless=True))


def lines(path, *entries):
    path.write_text("\n".join(map(json.dumps, entries)), "utf-8")


@pytest.fixture
def data(tmp_path):
    """Each data set with one or two questions, in its published layout."""
    picture(tmp_path / "vstar/direct_attributes/a.jpg")
    text = "What colour is it?\n(A) red\n(B) blue\nAnswer with the option's letter from the given choices directly."
    entry = {"image": "direct_attributes/a.jpg", "text": text, "category": "direct_attributes", "label": "A"}
    lines(tmp_path / "vstar/test_questions.jsonl", entry | {"question_id": 7})
    picture(tmp_path / "docs/images/p.png")
    documents = [
        {"questionId": 1, "question": "Total?", "image_local_name": "p.png", "answers": ["12.50", "$12.50"]},
        {"questionId": 2, "question": "Who?", "image": "images/p.png", "answers": ["Ann Lee"]},
    ]
    (tmp_path / "docs/val.json").write_text(json.dumps({"data": documents}), "utf-8")
    clip(tmp_path / "mv/video/x.webp")
    (tmp_path / "mv/json").mkdir()
    moves = [{"video": "x.webp", "question": "Which way?", "candidates": ["left", "right"], "answer": "right"}]
    (tmp_path / "mv/json/moving.json").write_text(json.dumps(moves), "utf-8")
    clip(tmp_path / "vsi/scannet/s1.mp4")  # the content decides, not the name
    common = {"dataset": "scannet", "scene_name": "s1"}
    lines(
        tmp_path / "vsi/test.jsonl",
        common | {"id": 0, "question_type": "count", "question": "How many?", "ground_truth": "4", "options": None},
        common | {"id": 1, "question_type": "near", "question": "Which?", "ground_truth": "B",
                  "options": ["A. sofa", "B. table"]},
    )  # fmt: skip
    picture(tmp_path / "own/cat.png")
    table = "file,question,answer,options\ncat.png,Which animal?,cat,cat|dog\ncat.png,Name?,Tom|Thomas,\n"
    (tmp_path / "own/questions.csv").write_text(table, "utf-8")
    return tmp_path


PLACES = {"folder": "own", "vstar": "vstar", "docvqa": "docs/val.json", "mvbench": "mv", "vsibench": "vsi"}


def items(data, source, **options):
    bench = Agent(**options)
    return bench, list(bench.items(Source(source, data / PLACES[source]), 0, None))


@pytest.mark.parametrize("source", READERS)
def test_every_reader_gives_questions_whose_truth_scores_1(data, source):
    bench, read = items(data, source)
    assert len({item.id for item in read}) == len(read) == {"vstar": 1, "mvbench": 1}.get(source, 2)
    for item in read:
        prompt = bench.prompt(item)
        assert item.truth.text in prompt.text and any(isinstance(part, Artefact) for part in prompt.parts)
        right = bench.score(item, bench.controls()["ceiling-truth"](item, None), {})
        assert right.metrics["accuracy"] == right.metrics["task_score"] == 1
        wrong, _ = play(bench, item, lambda prompt: Answer("unknown"))
        assert wrong.metrics["accuracy"] == 0 and wrong.metrics["selected_errors"] == [0, 0]


def test_own_measures(data):
    bench, (total, _) = items(data, "docvqa")
    assert bench.score(total, Answer("12.5"), {}).metrics["task_score"] == pytest.approx(0.8)
    bench, (count, choice) = items(data, "vsibench")
    assert bench.score(count, Answer("I count 5"), {}).metrics["task_score"] == pytest.approx(0.6)
    assert bench.score(count, Answer("many"), {}).failure.name == "unclear-answer"
    assert bench.score(choice, Answer("B"), {}).metrics["accuracy"] == 1
    assert bench.score(choice, Answer("(A) sofa"), {}).metrics["accuracy"] == 0
    sure = bench.score(total, Answer("12.50 <confidence>0.7</confidence>"), {}).metrics
    assert sure["task_score"] == 1 and sure["confidence"] == 0.7


def test_tools_work_on_files_and_can_be_switched_off(data):
    bench, (item,) = items(data, "vstar")

    def reply(prompt):
        if not prompt.history:
            return Answer(calls=(Call("1", "ZOOM", {"box": [0, 0, 500, 500]}),))
        return Answer("A")

    result, answer = play(bench, item, reply)
    assert result.metrics["accuracy"] == 1 and result.metrics["success"] == [1, 1]
    bench, (item,) = items(data, "vstar", intervention="no-tools")
    assert not bench.prompt(item).tools
    with pytest.raises(PixelProofError, match="choose --source world"):
        items(data, "vstar", intervention="shuffled-evidence")


def test_clips_of_mvbench_in_folders_of_their_own(data):
    (data / "mv/video/ssv2").mkdir()
    for path in [path for path in (data / "mv/video").iterdir() if path.is_file()]:
        path.rename(data / "mv/video/ssv2" / path.name)
    _, (item,) = items(data, "mvbench")
    assert "/ssv2/" in item.truth.file


@pytest.mark.parametrize(
    ("text", "accuracy"),
    [("A", 1), ("The answer is (A).", 1), ("**A**", 1), ("b", 0), ("A or B", None), ("", None), ("A. it, or B", None)],
)
def test_replies_to_choices(data, text, accuracy):
    bench, (item,) = items(data, "vstar")
    result, _ = play(bench, item, lambda prompt: Answer(text))
    assert result.metrics.get("accuracy") == accuracy and (accuracy is None) == (result.failure is not None)


@pytest.mark.parametrize(
    ("source", "break_it", "message"),
    [
        ("vstar", lambda data: (data / "vstar/direct_attributes/a.jpg").unlink(), "line 1: .*is missing"),
        ("folder", lambda data: (data / "own/questions.csv").unlink(), "neither questions.csv"),
        (
            "folder",
            lambda data: (data / "own/questions.csv").write_bytes(b"file,question\xe9"),
            "CSV in UTF-8",
        ),
        ("vstar", lambda data: (data / "vstar/test_questions.jsonl").write_text("[1]"), "line 1 is no JSON object"),
        ("docvqa", lambda data: (data / "docs/val.json").write_text("{}"), "no list of questions"),
        ("mvbench", lambda data: (data / "mv/json/moving.json").write_text("[{}]"), "no 'candidates'"),
        ("vsibench", lambda data: (data / "vsi/test.jsonl").write_text("nonsense"), "cannot be read"),
    ],
)
def test_broken_data_sets_are_a_sentence(data, source, break_it, message):
    break_it(data)
    with pytest.raises(PixelProofError, match=message):
        items(data, source)


def test_files_outside_of_the_data_set_are_refused(data):
    picture(data / "secret.png")
    (data / "own/questions.csv").write_text("file,question,answer\n../secret.png,What?,x\n", "utf-8")
    with pytest.raises(PixelProofError):
        items(data, "folder")


def test_the_source_needs_data():
    with pytest.raises(PixelProofError, match="pass it with --data"):
        list(Agent().items(Source("vstar"), 0, None))


def run_of(model, source, scores, data=None, **options):
    card = SimpleNamespace(model=model, source=source, data=data, options=options)
    return card, [Result(f"{source}/{place}", {"accuracy": value}) for place, value in enumerate(scores)]


def test_gains_of_a_suite_by_hand():
    """0.5 → 0.75 (+50 %) on one set and 0.5 → 0.5 on the other: +0.125 and +25 % on average."""
    runs = [
        run_of("m", "vstar", [1, 1, 0, 0], intervention="no-tools"),
        run_of("m", "vstar", [1, 1, 1, 0], intervention="none"),
        run_of("m", "docvqa", [0.5, 0.5], intervention="no-tools"),
        run_of("m", "docvqa", [0.5, 0.5], intervention="none"),
    ]
    gains = suite_gains(runs)
    assert [(gain.source, gain.base, gain.score, gain.relative) for gain in gains] == [
        ("vstar", 0.5, 0.75, 0.5),
        ("docvqa", 0.5, 0.5, 0.0),
    ]
    assert mean_gains(gains) == {"m": (0.125, 0.25)}
    other = suite_gains([*runs, run_of("better", "vstar", [1, 1, 1, 1])], base="better")
    assert {gain.absolute for gain in other} == {-0.5, -0.25}
    with pytest.raises(PixelProofError, match="No run has a base"):
        suite_gains(runs[1:2])


def test_two_data_sets_of_one_kind_are_two_sets():
    """Questions of two folders have the same item ids; so have degraded pictures."""
    runs = [
        run_of("m", "folder", [0, 0], "a", intervention="no-tools"),
        run_of("m", "folder", [1, 1], "b", intervention="no-tools"),
        run_of("m", "folder", [1, 0], "a", intervention="none"),
        run_of("m", "folder", [1, 1], "b", intervention="none"),
        run_of("m", "folder", [1, 1], "a", intervention="none", shift="blur", strength=0.5),
    ]
    gains = suite_gains(runs)
    assert [(gain.source, gain.absolute) for gain in gains] == [("folder, a", 0.5), ("folder, b", 0.0)]
