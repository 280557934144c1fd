"""`diffusers/`: real pipelines with tiny random weights, saved and loaded in diffusers' own format."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pixelproof
from models.servers import picture
from models.sketch import Sketch
from pixelproof.contract import Answer, Artefact, Fault, Item, PixelProofError, Prompt
from pixelproof.models import MASK, DiffusersModel, open_model
from pixelproof.models._batcher import Batcher
from pixelproof.pixels import encode_png

ITEM = Item("draw/world/1/0", {}, truth="SECRET")
DRAW = Prompt(("a red house",), wants="image")


# The batcher needs no torch.


def test_jobs_at_the_same_time_are_done_together_and_come_back_to_their_owners():
    batches: list[Sequence[int]] = []
    all_there = threading.Barrier(4)

    def work(jobs):
        batches.append(jobs)
        return [10 * job for job in jobs]

    def ask(batcher, job):
        all_there.wait()
        return batcher(job)

    batcher = Batcher(work, lambda job: None, 4)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda job: ask(batcher, job), range(32))) == [10 * job for job in range(32)]
    batcher.close()
    assert sorted(job for jobs in batches for job in jobs) == list(range(32))
    assert max(map(len, batches)) > 1 and all(len(jobs) <= 4 for jobs in batches)


def test_jobs_of_different_kinds_are_never_in_one_batch_and_none_is_lost():
    batches: list[Sequence[int]] = []

    def work(jobs):
        batches.append(jobs)
        return jobs

    batcher = Batcher(work, lambda job: job % 3, 5)
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(batcher, range(100))) == list(range(100))
    batcher.close()
    assert sum(map(len, batches)) == 100 and all(len({job % 3 for job in jobs}) == 1 for jobs in batches)


def test_a_failing_batch_fails_for_its_own_jobs_alone():
    def work(jobs):
        if 7 in jobs:
            raise ValueError("seven")
        return jobs

    batcher = Batcher(work, lambda job: job, 4)
    with pytest.raises(ValueError, match="seven"):
        batcher(7)
    assert batcher(8) == 8
    batcher.close()


def test_a_batch_with_too_few_results_raises_for_all_callers():
    batcher = Batcher(lambda jobs: [], lambda job: None, 4)
    with pytest.raises(ValueError):
        batcher(1)
    batcher.close()


def test_closing_finishes_what_was_asked_and_refuses_the_rest():
    begun, go_on = threading.Event(), threading.Event()

    def work(jobs):
        begun.set()
        go_on.wait(30)
        return jobs

    batcher = Batcher(work, lambda job: job, 1)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(batcher, 1), pool.submit(batcher, 2)]
        begun.wait(30)
        while batcher._queue.qsize() < 1:
            pass
        closing = pool.submit(batcher.close)
        go_on.set()
        assert [future.result() for future in asked] == [1, 2]
        closing.result()
    batcher.close()
    with pytest.raises(RuntimeError, match="closed"):
        batcher(3)


# Names and errors need no torch either.


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("nowhere", "is not a diffusers pipeline"),
        ("nowhere?steps=0", "steps cannot be '0'"),
        ("nowhere?size=auto", "size cannot be 'auto'"),
        ("nowhere?colour=red", "There is no diffusers parameter 'colour'"),
    ],
)
def test_wrong_names_are_refused_before_anything_is_loaded(bench, tmp_path, monkeypatch, spelling, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PixelProofError, match=words):
        open_model(f"diffusers/{spelling}", bench)


@pytest.mark.slow
def test_a_missing_library_gets_a_message(bench, tmp_path, monkeypatch):
    (tmp_path / "model_index.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "diffusers", None)
    with pytest.raises(PixelProofError, match=r"run pip install 'pixelproof\[diffusers\]'"):
        open_model(f"diffusers/{tmp_path}", bench)


# Real pipelines.


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The parts of a Stable Diffusion pipeline that draws 16 by 16 pixels, with random weights."""
    torch = pytest.importorskip("torch", reason="needs torch, which is not among the tools for development")
    diffusers = pytest.importorskip("diffusers", reason="needs diffusers, which is not among the tools for development")
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    words = tmp_path_factory.mktemp("words")
    letters = [chr(code) for code in range(97, 123)]
    tokens = ["<|startoftext|>", "<|endoftext|>", *letters, *(letter + "</w>" for letter in letters)]
    (words / "vocab.json").write_text(json.dumps({token: index for index, token in enumerate(tokens)}))
    (words / "merges.txt").write_text("#version: 0.2\n")
    torch.manual_seed(0)
    files = (str(words / "vocab.json"), str(words / "merges.txt"))
    return {
        "tokenizer": transformers.CLIPTokenizer(*files, model_max_length=16),
        "text_encoder": transformers.CLIPTextModel(
            transformers.CLIPTextConfig(
                vocab_size=len(tokens), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
                num_attention_heads=2, max_position_embeddings=16, bos_token_id=0, eos_token_id=1, pad_token_id=1,
            )
        ),
        "unet": diffusers.UNet2DConditionModel(
            sample_size=8, layers_per_block=1, block_out_channels=(8, 16), norm_num_groups=4, cross_attention_dim=16,
            attention_head_dim=2, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        ),
        "vae": diffusers.AutoencoderKL(
            block_out_channels=(8, 8), norm_num_groups=4, latent_channels=4, sample_size=16,
            down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
        ),
        "scheduler": diffusers.DDIMScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", set_alpha_to_one=False,
            clip_sample=False, steps_offset=1,
        ),
        "safety_checker": None,
        "feature_extractor": None,
        "requires_safety_checker": False,
    }  # fmt: skip


@pytest.fixture(scope="module")
def saved(parts, tmp_path_factory) -> Path:
    import diffusers

    directory = tmp_path_factory.mktemp("pipeline")
    diffusers.StableDiffusionPipeline(**parts).save_pretrained(directory)
    return directory


@pytest.fixture
def opened(saved):
    models = []

    def open_(query: str = "", directory: Path = saved) -> DiffusersModel:
        spelling = f"{directory}?device=cpu&steps=2{query}"
        models.append(DiffusersModel(f"diffusers/{spelling}", spelling))
        return models[-1]

    yield open_
    for model in models:
        model.close()


def pixels(answer: Answer) -> np.ndarray:
    assert answer.failure is None
    (image,) = answer.images
    assert image.media_type == "image/png" and answer.usage.images == 1
    return np.asarray(Image.open(io.BytesIO(image.data))).astype(int)


def words(text: str, *more: Artefact) -> Prompt:
    return Prompt((text, *more), wants="image")


@pytest.mark.slow
def test_images_depend_on_text_and_seed(opened):
    model = opened()
    first = pixels(model.answer(DRAW, ITEM, 0, 0))
    assert first.shape == (16, 16, 3)
    assert (pixels(model.answer(DRAW, ITEM, 0, 0)) == first).all()
    others = [
        model.answer(words("a blue boat"), ITEM, 0, 0),
        model.answer(DRAW, ITEM, 1, 0),
        model.answer(DRAW, ITEM, 0, 1),
        model.answer(DRAW, Item("another", {}), 0, 0),
    ]
    assert all((pixels(other) != first).any() for other in others)


@pytest.mark.slow
def test_it_draws_what_diffusers_itself_draws(opened, saved):
    import diffusers
    import torch

    from pixelproof.stats import derive_seed

    ours = pixels(opened("&guidance=3&size=24x32&negative=dark").answer(DRAW, ITEM, 2, 5))
    pipeline = diffusers.StableDiffusionPipeline.from_pretrained(saved)
    theirs = pipeline(
        "a red house", negative_prompt="dark", num_inference_steps=2, guidance_scale=3.0, width=24, height=32,
        generator=torch.Generator().manual_seed(derive_seed(5, f"diffusers/{ITEM.id}", 2)),
    ).images[0]  # fmt: skip
    assert ours.shape == (32, 24, 3) and (ours == np.asarray(theirs)).all()


@pytest.mark.slow
def test_a_batch_gives_the_same_images_as_single_requests(opened):
    prompts = [words(text) for text in ("a sun", "a moon", "a red star", "nothing", "a", "b", "c", "d")]
    alone, together = opened("&batch=1"), opened("&batch=4")
    assert (alone.connections, together.connections, opened().connections) == (1, 4, 4)
    sizes = []
    draw = together._pipelines.draw
    together._pipelines.draw = lambda drawings, settings: sizes.append(len(drawings)) or draw(drawings, settings)
    with ThreadPoolExecutor(4) as pool:
        batched = list(pool.map(lambda prompt: pixels(together.answer(prompt, ITEM, 0, 0)), prompts))
    single = [pixels(alone.answer(prompt, ITEM, 0, 0)) for prompt in prompts]
    assert max(sizes) > 1 and sum(sizes) == 8
    # Sums over a batch may be taken in another order, which changes the last bit of a float.
    assert max(np.abs(a - b).max() for a, b in zip(batched, single, strict=True)) <= 1
    assert len({picture.tobytes() for picture in single}) == 8


@pytest.mark.slow
def test_an_edited_image_keeps_its_size(opened):
    model = opened("&strength=0.5")
    shown = encode_png(np.random.default_rng(0).integers(0, 256, (32, 48, 3), np.uint8))
    changed = pixels(model.answer(words("warmer", shown), ITEM, 0, 0))
    assert changed.shape == (32, 48, 3)
    other = encode_png(np.zeros((32, 48, 3), np.uint8))
    assert (pixels(model.answer(words("warmer", other), ITEM, 0, 0)) != changed).any()
    with pytest.raises(
        PixelProofError, match="StableDiffusionPipeline has no argument strength: leave out that parameter"
    ):
        model.answer(DRAW, ITEM, 0, 0)  # a picture out of nothing has no strength


@pytest.mark.slow
def test_a_mask_says_what_is_filled(opened):
    model = opened("&strength=1.0")
    shown = encode_png(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8))
    nothing, left = np.zeros((2, 64, 64), np.uint8)
    left[:, :32] = 255

    def filled(mask):
        return pixels(model.answer(words("x", shown, Artefact(encode_png(mask).data, MASK)), ITEM, 0, 0))

    for mask in (left, 255 - left):
        change = np.abs(filled(mask) - filled(nothing)).mean(axis=2)
        assert change.shape == (64, 64) and change[mask == 255].mean() > 1.3 * change[mask == 0].mean()


@pytest.mark.slow
def test_a_pipeline_for_filling_also_draws_from_text(parts, tmp_path, opened):
    import diffusers

    diffusers.StableDiffusionInpaintPipeline(**parts).save_pretrained(tmp_path)
    model = opened(directory=tmp_path)
    assert model.card()["pipeline"] == "StableDiffusionInpaintPipeline"
    assert pixels(model.answer(DRAW, ITEM, 0, 0)).shape == (16, 16, 3)


@pytest.mark.slow
def test_unsupported_inputs_get_a_message(opened, tmp_path):
    with pytest.raises(PixelProofError, match="wants text"):
        opened().answer(Prompt(("x",), "text"), ITEM, 0, 0)
    with pytest.raises(PixelProofError, match="accept one image only"):
        opened().answer(words("x", picture(1), picture(2)), ITEM, 0, 0)
    with pytest.raises(PixelProofError, match="cannot be read"):
        opened().answer(words("x", Artefact(b"?")), ITEM, 0, 0)
    (tmp_path / "model_index.json").write_text('{"_class_name": "NoSuchPipeline"}')
    with pytest.raises(PixelProofError, match="diffusers cannot load"):
        opened(directory=tmp_path)


@pytest.mark.slow
def test_a_first_error_stops_the_run_and_a_later_one_is_an_infrastructure_fault(opened):
    with pytest.raises(PixelProofError, match=r"failed \(ValueError.*divisible by 8.*check its parameters"):
        opened("&size=15x15").answer(DRAW, ITEM, 0, 0)
    model = opened()
    pixels(model.answer(DRAW, ITEM, 0, 0))

    def exhausted(drawings, settings):
        raise MemoryError("out of memory")

    model._pipelines.draw = exhausted
    failure = model.answer(DRAW, ITEM, 0, 0).failure
    assert failure is not None and (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "runtime-error")
    assert "out of memory" in failure.detail


@pytest.mark.slow
def test_what_the_safety_checker_takes_away_is_a_refusal(parts, tmp_path, opened):
    import diffusers
    import transformers
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker

    vision = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    sizes = {"image_size": 16, "patch_size": 8}
    checker = StableDiffusionSafetyChecker(
        transformers.CLIPConfig(vision_config=vision | sizes, text_config=vision, projection_dim=8)
    )
    checker.concept_embeds_weights.data.fill_(-9.0)  # everything is above such a threshold
    extractor = transformers.CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    more = {"safety_checker": checker, "feature_extractor": extractor, "requires_safety_checker": True}
    diffusers.StableDiffusionPipeline(**(parts | more)).save_pretrained(tmp_path)
    answer = opened(directory=tmp_path).answer(DRAW, ITEM, 0, 0)
    assert answer.failure is not None and (answer.failure.fault, answer.failure.name) == (Fault.MODEL, "refusal")
    assert not answer.images


@pytest.mark.slow
def test_the_card_tells_weights_runtime_and_settings(opened, parts, tmp_path):
    import diffusers

    card = opened("&guidance=3").card()
    assert json.loads(json.dumps(card)) == card
    assert card["parameters"] == {"device": "cpu", "steps": "2", "guidance": "3"} and card["dtype"] == "float32"
    assert card["pipeline"] == "StableDiffusionPipeline" and "torch" in card["runtime"]
    assert opened().card()["sha256"] == card["sha256"]
    diffusers.StableDiffusionPipeline(**parts).save_pretrained(tmp_path)
    index = tmp_path / "scheduler" / "scheduler_config.json"
    index.write_text(index.read_text().replace("0.012", "0.013"))
    assert opened(directory=tmp_path).card()["sha256"] != card["sha256"]


@pytest.mark.slow
def test_a_whole_run_in_batches_can_be_resumed(saved, tmp_path):
    name = f"diffusers/{saved}?device=cpu&steps=2&batch=3"
    part = pixelproof.run(Sketch(), name, out=tmp_path / "run", limit=2, connections=3)
    whole = pixelproof.run(Sketch(), name, out=tmp_path / "run", resume=True, connections=3)
    assert part.complete and whole.complete and whole.summary["counts"]["completed"] == 4
    assert whole.card["ledger"]["images"] == 4 and whole.card["ledger"]["cost"] == 0


@pytest.mark.slow
def test_an_edit_of_a_photograph_runs(saved, tmp_path, monkeypatch):
    """The photograph goes to the image-to-image pipeline; what comes back has its aspect ratio and is scored."""
    from benches.spatial.desk_pairs import DeskBench

    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    bench = DeskBench(size=64, perception="oracle")
    name = f"diffusers/{saved}?device=cpu&steps=2&strength=1"
    run = pixelproof.run(bench, name, source="world", limit=1, out=tmp_path / "run", calibrate=0)
    (_, _, answer, images) = next(iter(run.answers()))
    assert answer.failure is None and len(images) == 1
    picture = np.asarray(Image.open(io.BytesIO(run.blob(images[0]))))
    assert picture.shape == (64, 64, 3) and run.summary["failures"] == {"not-perceived": 1}
