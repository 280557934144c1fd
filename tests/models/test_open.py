from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import fields, replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pixelproof.contract import PixelProofError, Prompt, Source
from pixelproof.models import CHOICES, Decoding, GgufModel, open_model


def test_names_that_are_not_ours_are_left_to_inspect(bench):
    for name in (
        "openai/gpt-4o-mini",
        "mockllm/model",
        "hf/a/b",
        "google/gemini-2.5-flash-image",
        "/x",
        "my-own/model",
    ):
        assert open_model(name, bench) is None


@pytest.fixture
def without_inspect(monkeypatch):
    """Another test may have imported it, after which any provider may be registered."""
    monkeypatch.delitem(sys.modules, "inspect_ai", raising=False)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("ggfu/smollm2", "gguf"), ("Control/floor-noise", "control"), ("image/x", "images"), ("diffuser/x", "diffusers")],
)
def test_a_misspelt_kind_gets_a_suggestion(bench, without_inspect, name, kind):
    with pytest.raises(PixelProofError, match=f"There is no kind of model '.*'; did you mean '{kind}'"):
        open_model(name, bench)


def test_a_name_that_a_provider_of_inspect_may_have_is_left_to_it(bench, without_inspect, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", sys)
    assert open_model("ggfu/smollm2", bench) is None
    monkeypatch.delitem(sys.modules, "inspect_ai")
    plugin = EntryPoint("theirs", "their_package.registry", "inspect_ai")
    monkeypatch.setattr("pixelproof.models._open.entry_points", lambda group: [plugin])
    assert open_model("ggfu/smollm2", bench) is None


@pytest.mark.slow
def test_no_provider_of_inspect_is_taken_for_a_misspelt_kind(bench, without_inspect):
    registered = pytest.importorskip("inspect_ai.model._providers.providers")
    names = re.findall(r'@modelapi\(name="([^"]+)"\)', Path(registered.__file__).read_text())
    sys.modules.pop("inspect_ai", None)
    assert len(names) > 20 and all(open_model(f"{name}/m", bench) is None for name in names)


@pytest.mark.parametrize("wrong", ["", None, 7, Path("x"), GgufModel])
def test_what_is_neither_a_name_nor_a_function_is_refused(bench, wrong):
    with pytest.raises(PixelProofError, match="A model is given by its name, such as gguf/smollm2, or as a function"):
        open_model(wrong, bench)


@pytest.mark.parametrize(
    "name", ["control", "control/", "folder", "fn/", "gguf", "recorded/x", "images", "gemini/", "chat", "diffusers"]
)
def test_half_a_name_is_explained_by_an_example(bench, name):
    with pytest.raises(PixelProofError, match="write it like"):
        open_model(name, bench)


def test_every_example_of_the_choices_opens_or_says_what_is_missing(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("answers").mkdir()
    Path("answers/guess__world__1__0.txt").write_text("0")
    Path("my_module.py").write_text("def my_function(prompt): return '0'")
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, "some-key")
    for choice in CHOICES:
        assert choice.about and choice.prefix in ("", choice.example.partition("/")[0])
        if choice.prefix == "control":
            with pytest.raises(PixelProofError, match="floor-noise"):  # the example is another bench's control
                open_model(choice.example, bench)
        elif choice.prefix in ("diffusers", "transformers"):
            with pytest.raises(PixelProofError, match="DIR is not a (diffusers pipeline|model of transformers)"):
                open_model(choice.example, bench)
        elif choice.prefix != "gguf":  # that one has tests of its own
            model = open_model(choice.example, bench)
            assert (model is None) == (choice.prefix == "")
            assert model is None or (model.name == choice.example and model.connections >= 1)


ABOVE = "BLOCK_MEDIUM_AND_ABOVE, BLOCK_LOW_AND_ABOVE"


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("gemini/m?size=9K", "one of 512, 1K, 2K, 4K"),
        ("gemini/m?size=2k", "one of 512, 1K, 2K, 4K"),
        ("gemini/m?aspect=7:3", "one of 1:1, 1:4, 1:8, 2:3, 3:2, 3:4, 4:1, 4:3, 4:5, 5:4, 8:1, 9:16, 16:9, 21:9"),
        ("gemini/m?thinking=deep", "one of minimal, low, medium, high"),
        ("gemini/m?safety=NONE", f"one of OFF, BLOCK_NONE, BLOCK_ONLY_HIGH, {ABOVE}"),
        ("gemini/m?thoughts=true", "one of yes, no"),
        ("images/m?quality=best", "one of auto, low, medium, high, standard, hd"),
        ("images/m?size=0x8", "auto or WIDTHxHEIGHT, such as 1024x1024"),
        ("images/m?size=٨x٨", "auto or WIDTHxHEIGHT, such as 1024x1024"),
        ("images/m?output_compression=101", "a whole number from 0 to 100"),
        ("chat/m?size=9K", "one of 0.5K, 1K, 2K, 4K"),
        ("chat/m?aspect=16:0", "WIDTH:HEIGHT, such as 16:9"),
        ("chat/m?modalities=text", "image or image,text"),
        ("diffusers/d?strength=1.5", "a number above 0 and up to 1, such as 0.8"),
        ("diffusers/d?strength=0.0", "a number above 0 and up to 1, such as 0.8"),
        ("diffusers/d?device=tpu", "one of cpu, cuda, cuda:1, …, mps"),
        ("diffusers/d?dtype=int8", "one of float32, float16, bfloat16"),
    ],
)
def test_impossible_values_are_refused_with_the_possible_ones(bench, monkeypatch, name, legal):
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, "some-key")
    with pytest.raises(PixelProofError) as error:
        open_model(name, bench)
    assert str(error.value).endswith(f"; it must be {legal}.") and repr(name.partition("=")[2]) in str(error.value)


@pytest.mark.parametrize("name", ["images/m", "gemini/m", "chat/m?service=openrouter"])
def test_a_service_without_a_key_gets_a_message(bench, monkeypatch, name):
    for variable in ("OPENAI", "GEMINI", "GOOGLE", "OPENROUTER"):
        monkeypatch.delenv(f"{variable}_API_KEY", raising=False)
        monkeypatch.delenv(f"{variable}_BASE_URL", raising=False)
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    with pytest.raises(PixelProofError, match=r"^Set \w+_API_KEY.* to your key for [\w.]+\.$"):
        open_model(name, bench)


def test_services_support_temperature_and_length_only(bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("GEMINI_API_KEY", "some-key")
    for name in ("chat/m", "gemini/m"):
        model = open_model(name, bench, Decoding(temperature=0.5, max_tokens=9))
        assert model is not None and (model.card()["temperature"], model.card()["max_tokens"]) == (0.5, 9)
        with pytest.raises(PixelProofError, match="decoded by its service: leave out --decoding, --threads"):
            open_model(name, bench, Decoding(decoding="schema", threads=2, max_tokens=9))
    with pytest.raises(PixelProofError, match="token by token"):
        open_model("images/m", bench, Decoding(max_tokens=9))


@pytest.mark.parametrize("name", ["control/ceiling-truth", "recorded"])
def test_settings_that_would_have_no_effect_are_refused(bench, name):
    model = open_model(name, bench, Decoding())
    assert model is not None and model.name == name
    for changed in (
        Decoding(decoding="grammar"),
        Decoding(temperature=0.5),
        Decoding(max_tokens=9),
        Decoding(threads=2),
    ):
        with pytest.raises(PixelProofError, match="token by token"):
            open_model(name, bench, changed)


@pytest.mark.parametrize(
    "wrong",
    [
        {"decoding": "regex"},
        {"temperature": -0.1},
        {"temperature": math.nan},
        {"temperature": math.inf},
        {"max_tokens": 0},
        {"threads": 0},
    ],
)
def test_decoding_out_of_range_is_refused(wrong):
    assert set(wrong) <= {field.name for field in fields(Decoding)}
    with pytest.raises(PixelProofError):
        Decoding(**wrong)


def test_cards_are_json(bench, tmp_path):
    (tmp_path / "x.txt").write_text("x")
    for name in ("control/ceiling-truth", "recorded", f"folder/{tmp_path}", "fn/json:dumps"):
        model = open_model(name, bench)
        assert model is not None
        card = model.card()
        assert json.loads(json.dumps(card)) == card
        model.close()


def test_controls_know_the_truth_and_draw_by_seed_item_and_sample(bench):
    first, second = bench.items(Source("world"), 0, 2)
    truth, noise = open_model("control/ceiling-truth", bench), open_model("control/floor-noise", bench)
    assert truth is not None and noise is not None and truth.answers_items
    prompt = Prompt(())
    assert truth.answer(prompt, second, 0, 0).text == "1"
    draw = noise.answer(prompt, first, 0, 7)
    noise.answer(prompt, second, 3, 9)
    assert noise.answer(Prompt(("another prompt",)), replace(first, tags={"a": "b"}), 0, 7) == draw
    others = {noise.answer(prompt, second, 0, 7), noise.answer(prompt, first, 1, 7), noise.answer(prompt, first, 0, 8)}
    assert len(others | {draw}) == 4


def test_an_unknown_control_is_answered_with_the_known_ones(bench):
    with pytest.raises(PixelProofError, match=r"'floor-nose'.*ceiling-truth, floor-noise"):
        open_model("control/floor-nose", bench)


def test_recorded_answers_come_from_the_source_once(bench):
    model = open_model("recorded", bench)
    assert model is not None
    item = list(bench.items(Source("replies"), 0, None))[3]
    assert model.answer(Prompt(()), item, 0, 0).text == "3"
    with pytest.raises(PixelProofError, match="no sample 1 of .*: ask for fewer"):
        model.answer(Prompt(()), item, 1, 0)
    with pytest.raises(PixelProofError, match="without recorded answers"):
        model.answer(Prompt(()), next(bench.items(Source("world"), 0, 1)), 0, 0)
