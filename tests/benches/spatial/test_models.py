"""Every kind of model that takes images runs on the bench; others are refused with a sentence."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

import pixelproof
from models.servers import KEY, b64, chat_reply, gemini_reply, images_reply, inline, says, serving
from pixelproof.benches.spatial._prompts import APPEARANCE, JUDGED
from pixelproof.contract import Answer, Artefact, PixelProofError, Source
from pixelproof.pixels import encode_png, read_image
from pixelproof.stats import generator

from .desk_pairs import DeskBench

pytestmark = pytest.mark.slow  # renders
BENCH = DeskBench(perception="oracle", size=128)


@pytest.fixture(autouse=True)
def environment(monkeypatch, shared_cache):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)


@pytest.fixture
def item():
    return next(iter(BENCH.items(Source("world"), 0, 1)))


@pytest.fixture
def photo(item) -> bytes:
    return BENCH.prompt(item).data["photo"].data


def run(model, folder, bench=BENCH, **options):
    return pixelproof.run(bench, model, source="world", limit=1, out=folder / "run", calibrate=0, **options)


def scored_as_a_copy(opened) -> bool:
    counts, metrics = opened.summary["counts"], opened.summary["metrics"]
    return counts["completed"] == 1 and counts["model_faults"] == 0 and metrics["ic"]["value"] == 0


def test_images_endpoints_get_photograph_and_instruction(tmp_path, monkeypatch, item, photo):
    with serving(says(images_reply(photo))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        assert scored_as_a_copy(run("images/gpt-image-9", tmp_path))
    (seen,) = server.seen
    assert seen.path == "/v1/images/edits"
    fields = {name: content for name, _, _, content in seen.form}
    assert fields["image"] == photo and item.inputs["instruction"].encode() in fields["prompt"]


def test_gemini_gets_photograph_and_instruction(tmp_path, monkeypatch, item, photo):
    with serving(says(gemini_reply(inline(photo)))) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert scored_as_a_copy(run("gemini/gemini-9-image", tmp_path))
    (seen,) = server.seen
    assert b64(photo) in seen.body.decode() and item.inputs["instruction"] in seen.body.decode()


def test_chat_endpoints_get_photograph_and_instruction(tmp_path, monkeypatch, item, photo):
    with serving(says(chat_reply("Here you are.", photo))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        assert scored_as_a_copy(run("chat/vendor-model", tmp_path))
    (seen,) = server.seen
    assert b64(photo) in seen.body.decode() and item.inputs["instruction"] in seen.body.decode()


def test_a_chat_model_that_only_talks_is_at_fault(tmp_path, monkeypatch):
    with serving(says(chat_reply("I have moved it."))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        summary = run("chat/vendor-model", tmp_path).summary
    assert summary["counts"]["model_faults"] == 1 and summary["failures"] == {"no-image": 1}


def test_folders_and_functions_answer(tmp_path, item, photo):
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / f"{item.id.replace('/', '__')}.png").write_bytes(photo)
    assert scored_as_a_copy(run(f"folder/{tmp_path / 'answers'}", tmp_path))
    assert scored_as_a_copy(run(lambda prompt: prompt.data["photo"], tmp_path / "function"))


def test_language_models_are_refused_with_a_sentence(tmp_path, monkeypatch):
    pytest.importorskip("xllamacpp")
    monkeypatch.delenv("PIXELPROOF_CACHE")
    with pytest.raises(PixelProofError, match="text only.*choose a model that reads and writes images"):
        run("gguf/smollm2", tmp_path)


def test_nets_for_other_tasks_are_refused_with_a_sentence(tmp_path):
    with pytest.raises(PixelProofError, match="nets/kmeans cannot answer .*'task' in the prompt's data"):
        run("nets/kmeans", tmp_path)


def test_the_target_read_from_the_pixels_of_a_function_complies(tmp_path, item):
    target = BENCH.controls()["ceiling-channel"](item, generator(0, "control")).images[0]
    bench = replace(BENCH, perception="render-and-compare")
    metrics = run(lambda prompt: Artefact(target.data, target.media_type), tmp_path, bench).summary["metrics"]
    assert metrics["ic"]["value"] == 1 and metrics["sa"]["value"] > 0.9


@pytest.mark.parametrize(("reply", "score"), [("Good.", 0.75), ("excellent", 1.0), ("I cannot tell.", None)])
def test_a_judge_reads_both_images_and_the_instruction(tmp_path, item, photo, reply, score):
    asked = []

    def judge(prompt):
        asked.append(prompt)
        return reply

    sys.modules[__name__].judge = judge  # a judge is named, not passed
    opened = run(lambda prompt: prompt.data["photo"], tmp_path, judge=f"fn/{__name__}:judge")
    (prompt,) = asked
    assert prompt.parts[0].data == photo and len(prompt.parts) == 3 and item.inputs["instruction"] in prompt.text
    assert opened.summary["metrics"].get(JUDGED, {}).get("value") == score
    assert opened.summary["metrics"]["ic"]["value"] == 0, "what is measured does not depend on the judge"


def test_what_a_judge_cannot_be_asked_and_replies_that_mean_nothing(item):
    assert not BENCH.questions(item, Answer("IMPOSSIBLE")) and not BENCH.questions(item, Answer("Done!"))
    impossible = list(BENCH.items(Source("world"), 0, None))[-1]
    shown = Answer(images=(encode_png(read_image(BENCH.prompt(item).data["photo"])),))
    assert not BENCH.questions(impossible, shown)
    (question,) = BENCH.questions(item, shown)
    assert question.name == APPEARANCE.key
    result = BENCH.score(item, shown, {APPEARANCE.key: Answer("Forty-two.")})
    assert result.failure.name == "judge-unreadable" and JUDGED not in result.metrics
    assert result.metrics["micro.ic"] == 0, "the other scores stay"
