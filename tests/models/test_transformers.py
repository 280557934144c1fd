"""`transformers/DIR`: tiny random models of three families, generated with the real library."""

import json
import math

import numpy as np
import pytest

from pixelproof.benches import get_bench
from pixelproof.contract import Call, Item, PixelProofError, Prompt, Tool, Turn
from pixelproof.harness import Run, RunOptions, plan_run, run
from pixelproof.models import Decoding, TransformersModel, open_model
from pixelproof.pixels import encode_png

torch = pytest.importorskip("torch", reason="needs torch: make torch")
transformers = pytest.importorskip("transformers", reason="needs transformers")
pytestmark = pytest.mark.slow

ITEM = Item("toy/world/1/0", {})
BEGIN = "{% if add_generation_prompt %}<assistant>{% endif %}"
PLAIN = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}" + BEGIN
TOOLS = (
    "{% if tools %}{% for t in tools %}[{{ t['function']['name'] }}]{% endfor %}{% endif %}{% for m in messages %}"
    "<{{ m['role'] }}>{{ m['content'] }}{% for c in m.get('tool_calls', []) %}<tool_call>"
    "{{ {'name': c['function']['name'], 'arguments': c['function']['arguments']} | tojson }}</tool_call>{% endfor %}"
    "{% endfor %}" + BEGIN
)
PICTURES = (
    "{% for m in messages %}<{{ m['role'] }}>{% for p in m['content'] %}"
    "{{ '<image>' if p['type'] == 'image' else p['text'] }}{% endfor %}{% endfor %}" + BEGIN
)
ZOOM = Tool("zoom", "Look closer.", {"type": "object", "properties": {"box": {"type": "array"}}})
SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}


def tokenizer(template):
    """Byte-level tokens with the marks of the templates, so that every text can be read and written."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    marks = ["<eos>", "<pad>", "<user>", "<assistant>", "<system>", "<tool>", "<image>"]
    vocabulary = {text: number for number, text in enumerate([*marks, *letters])}
    inner = Tokenizer(models.BPE(vocabulary, []))
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    inner.add_special_tokens(marks)
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<eos>", pad_token="<pad>")
    made.chat_template = template
    return made


def save_text(folder, family, template):
    torch.manual_seed(1)
    words = tokenizer(template)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(words),
        num_key_value_heads=1,
        max_position_embeddings=512,
        eos_token_id=0,
        pad_token_id=1,
        **SIZES,
    )
    model = getattr(transformers, f"{family}ForCausalLM")(config)
    torch.nn.init.normal_(model.lm_head.weight, std=0.5)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return save_text(tmp_path_factory.mktemp("llama"), "Llama", PLAIN)


@pytest.fixture(scope="module")
def qwen(tmp_path_factory):
    return save_text(tmp_path_factory.mktemp("qwen"), "Qwen3", TOOLS)


@pytest.fixture(scope="module")
def llava(tmp_path_factory):
    """A model that reads images: LLaVA, whose processor needs no other library."""
    folder = tmp_path_factory.mktemp("llava")
    torch.manual_seed(1)
    words = tokenizer(PICTURES)
    text = transformers.LlamaConfig(
        vocab_size=len(words), num_key_value_heads=1, max_position_embeddings=512, eos_token_id=0, **SIZES
    )
    vision = transformers.CLIPVisionConfig(image_size=32, patch_size=8, projection_dim=32, **SIZES)
    image_token = words.convert_tokens_to_ids("<image>")
    config = transformers.LlavaConfig(vision_config=vision, text_config=text, image_token_index=image_token)
    model = transformers.LlavaForConditionalGeneration(config)
    torch.nn.init.normal_(model.lm_head.weight, std=0.5)
    model.save_pretrained(folder)
    sizes = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    transformers.LlavaProcessor(
        CLIPImageProcessorPil(**sizes), words, patch_size=8, vision_feature_select_strategy="default",
        chat_template=PICTURES, num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip
    return folder


@pytest.fixture
def opened():
    models = []

    def open_(folder, query="", **decoding) -> TransformersModel:
        name = f"transformers/{folder}?device=cpu{query}"
        models.append(open_model(name, get_bench("pixelart"), Decoding(**{"max_tokens": 12, **decoding})))
        return models[-1]

    yield open_
    for model in models:
        model.close()


def reference(folder, text, count=12):
    """The greedy reply of the library itself."""
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    inputs = words(text, return_tensors="pt", add_special_tokens=False)
    output = model.generate(**inputs, max_new_tokens=count, do_sample=False, pad_token_id=1)[0]
    return words.decode(output[inputs.input_ids.shape[1] :], skip_special_tokens=True)


@pytest.mark.parametrize("family", ["llama", "qwen"])
def test_a_greedy_reply_is_that_of_the_library(family, request, opened):
    folder = request.getfixturevalue(family)
    prompt = Prompt(("Draw a cat.",), system="Be brief.")
    answer = opened(folder).answer(prompt, ITEM, 0, 0)
    assert answer.failure is None and answer.text == reference(folder, "<system>Be brief.<user>Draw a cat.<assistant>")
    assert answer.usage.output_tokens <= 12 and answer.usage.input_tokens == 23 and answer.usage.cost == 0


def test_history_is_rendered_in_order(llama, opened):
    history = (Turn("user", ("a",)), Turn("model", ("b",)))
    answer = opened(llama).answer(Prompt(("c",), history=history), ITEM, 0, 0)
    assert answer.text == reference(llama, "<user>a<assistant>b<user>c<assistant>")


def test_many_prompts_at_once_have_the_replies_that_they_have_alone(llama, opened):
    prompts = [Prompt((text,)) for text in ("a", "a longer prompt", "Draw a cat", "b", "cc")]
    for temperature in (0.0, 1.0):
        model = opened(llama, temperature=temperature)
        alone = [model.answer_many([prompt], [seed])[0].text for seed, prompt in enumerate(prompts)]
        assert [answer.text for answer in model.answer_many(prompts, range(5))] == alone


def test_samples_have_the_probabilities_of_the_model_and_depend_on_seed_item_and_sample(llama, opened):
    model = opened(llama, temperature=0.7, max_tokens=1)
    prompt = Prompt(("a",), logprobs=200)
    answers = model.answer_many([prompt] * 600, range(600))
    tempered = {token: value / 0.7 for token, value in answers[0].logprobs[0].items()}
    total = math.log(sum(map(math.exp, tempered.values())))
    best = max(tempered, key=tempered.__getitem__)
    share = np.mean([answer.text == best for answer in answers])
    expected = math.exp(tempered[best] - total)
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / 600)
    longer = opened(llama, temperature=1.5)
    texts = [
        longer.answer(Prompt(("a",)), *key).text for key in ((ITEM, 0, 0), (ITEM, 0, 0), (ITEM, 1, 0), (ITEM, 0, 1))
    ]
    assert texts[0] == texts[1] and len(set(texts)) == 3


@pytest.mark.parametrize("family", ["llama", "llava"])
def test_log_probs_agree_with_the_candidates_of_a_generated_reply(family, request, opened):
    model = opened(request.getfixturevalue(family))
    image = (encode_png(np.full((20, 30, 3), 90, np.uint8)),) if family == "llava" else ()
    prompt = Prompt(("ab", *image), logprobs=1)
    answer = model.answer(prompt, ITEM, 0, 0)
    assert len(answer.logprobs) == answer.usage.output_tokens > 2
    short, whole = model.log_probs(prompt, [answer.text[:1], answer.text])
    if len(whole) == len(answer.logprobs):  # else the text has letters that its bytes do not spell
        expected = [next(iter(candidates.values())) for candidates in answer.logprobs]
        np.testing.assert_allclose(whole, expected, atol=1e-4)
    assert all(value < 0 for value in [*short, *whole])


def test_an_image_changes_the_reply_and_its_back_end_is_on_the_card(llava, opened):
    model = opened(llava)
    images = [
        encode_png(np.random.default_rng(seed).integers(256, size=(24, 40, 3)).astype(np.uint8)) for seed in (0, 1)
    ]
    prompts = [Prompt(("What is it?", image), logprobs=3) for image in images]
    first, second = model.answer_many(prompts, [0, 0])
    assert first.logprobs != second.logprobs
    assert model.answer_many(prompts[:1], [0])[0].text == first.text
    assert model.card()["images"].endswith("Pil")
    assert model.answer(Prompt(("no image",)), ITEM, 0, 0).failure is None


@pytest.mark.parametrize(("prompt", "message"), [
    (Prompt(("a", encode_png(np.zeros((4, 4, 3), np.uint8)))), "reads text"),
    (Prompt(("a",), wants="image"), "writes text only"),
])  # fmt: skip
def test_prompts_that_the_model_cannot_read_or_answer_are_refused(llama, opened, prompt, message):
    with pytest.raises(PixelProofError, match=message):
        opened(llama).answer(prompt, ITEM, 0, 0)


def test_a_prompt_longer_than_the_context_is_a_fault_of_the_model(llama, opened):
    answer = opened(llama).answer(Prompt(("a" * 600,)), ITEM, 0, 0)
    assert answer.failure is not None and answer.failure.name == "prompt-too-long"


def conversation():
    call = Call("call-0", "zoom", {"box": [0, 0, 500, 500]})
    return Prompt(
        (),
        history=(Turn("user", ("Look.",)), Turn("model", (), (call,)), Turn("tool", ("ok",), call=call)),
        tools=(ZOOM,),
    )


def test_tools_are_in_the_template_where_it_has_them(qwen, opened):
    model = opened(qwen)
    assert model.card()["tools"] == "template"
    call = '<tool_call>{"name": "zoom", "arguments": {"box": [0, 0, 500, 500]}}</tool_call>'
    expected = reference(qwen, f"[zoom]<user>Look.<assistant>{call}<tool>ok<assistant>")
    assert model.answer(conversation(), ITEM, 0, 0).text == expected


def test_tools_are_text_where_the_template_has_none(llama, opened):
    model = opened(llama)
    assert model.card()["tools"] == "text"
    assert model.answer(conversation(), ITEM, 0, 0).failure is None


def test_a_model_that_was_taught_a_call_calls_the_tool(qwen, tmp_path, opened):
    words = transformers.AutoTokenizer.from_pretrained(qwen)
    model = transformers.AutoModelForCausalLM.from_pretrained(qwen)
    prompt = "[zoom]<user>Look.<assistant>"
    text = prompt + '<tool_call>{"name": "zoom", "arguments": {"box": [1, 2]}}</tool_call><eos>'
    tokens = words(text, return_tensors="pt", add_special_tokens=False).input_ids
    labels = tokens.clone()
    labels[:, : len(words(prompt, add_special_tokens=False).input_ids)] = -100
    optimizer = torch.optim.AdamW(model.parameters(), 5e-3)
    for _ in range(60):
        optimizer.zero_grad()
        model(input_ids=tokens, labels=labels).loss.backward()
        optimizer.step()
    model.save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    answer = opened(tmp_path, max_tokens=200).answer(Prompt(("Look.",), tools=(ZOOM,)), ITEM, 0, 0)
    assert [(call.tool, call.arguments) for call in answer.calls] == [("zoom", {"box": [1, 2]})]
    assert answer.stop == "stop" and answer.text == ""


def test_an_adapter_in_a_directory_changes_the_replies(llama, tmp_path, opened):
    peft = pytest.importorskip("peft", reason="needs peft: make torch")
    torch.manual_seed(2)
    base = transformers.AutoModelForCausalLM.from_pretrained(llama)
    adapted = peft.get_peft_model(
        base, peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    )
    adapted.save_pretrained(tmp_path / "adapter")
    prompt = Prompt(("Draw a cat.",))
    model = opened(tmp_path / "adapter")
    inputs = transformers.AutoTokenizer.from_pretrained(llama)(
        "<user>ab<assistant>xyz", return_tensors="pt", add_special_tokens=False
    )
    with torch.no_grad():
        expected = adapted.eval()(**inputs).logits[0].log_softmax(-1)
    tokens = inputs.input_ids[0]
    scores = [float(expected[place - 1, tokens[place]]) for place in range(len(tokens) - 3, len(tokens))]
    np.testing.assert_allclose(model.log_probs(Prompt(("ab",)), ["xyz"])[0], scores, atol=1e-4)
    assert model.log_probs(prompt, ["xyz"]) != opened(llama).log_probs(prompt, ["xyz"])
    assert model.card()["base"] == llama.name and model.card()["sha256"] != opened(llama).card()["sha256"]


def test_a_run_of_a_bench(llama, tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    options = RunOptions(source="published", limit=2, max_tokens=8, out=tmp_path / "run", calibrate=0)
    finished = run(plan_run("pixelart", options, grid=4), f"transformers/{llama}?device=cpu", options, None, options)
    assert isinstance(finished, Run) and finished.summary["counts"]["completed"] == 2
    assert finished.summary["metrics"]["strict.renders"]["value"] == 0


def broken_directories(llama, folder):
    """Directories that are no models, with what is said of them."""
    (folder / "empty").mkdir()
    yield folder / "empty", "is not a model of transformers"
    for name, drop, message in (
        ("weights", "model.safetensors", "cannot be loaded"),
        ("template", "chat_template.jinja", "no chat template"),
    ):
        (folder / name).mkdir()
        for path in llama.iterdir():
            if path.name != drop:
                (folder / name / path.name).write_bytes(path.read_bytes())
        yield folder / name, message
    (folder / "pickle").mkdir()
    for path in (folder / "weights").iterdir():
        (folder / "pickle" / path.name).write_bytes(path.read_bytes())
    torch.save({"x": torch.zeros(1)}, folder / "pickle" / "pytorch_model.bin")
    yield folder / "pickle", "cannot be loaded"
    (folder / "adapter").mkdir()
    (folder / "adapter" / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "someone/model"}))
    yield folder / "adapter", "is not a model of transformers"
    (folder / "adapter2").mkdir()
    (folder / "adapter2" / "adapter_config.json").write_text("[")
    yield folder / "adapter2", "cannot be read"


def test_directories_that_are_no_models_are_refused(llama, tmp_path, opened):
    for folder, message in broken_directories(llama, tmp_path):
        with pytest.raises(PixelProofError, match=message):
            opened(folder)


def test_settings_that_have_no_effect_are_refused(llama):
    with pytest.raises(PixelProofError, match="--decoding"):
        open_model(f"transformers/{llama}", get_bench("pixelart"), Decoding(decoding="grammar"))
