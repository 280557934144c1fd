"""Nets as models: real images from folders, real answers, real scores."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from PIL import Image

from pixelproof import plugins
from pixelproof.benches.arena._bench import Arena
from pixelproof.contract import Answer, PixelProofError, Prompt, Source
from pixelproof.models import open_model
from pixelproof.nets import DetectAndSegment, available_nets
from pixelproof.pixels import encode_png, is_label_map, read_labels
from pixelproof.store import asset_path

COLOURS = {"background": [0, 0, 0], "disc": [255, 0, 0], "box": [0, 0, 255]}


@pytest.fixture
def folder(tmp_path):
    """Two photographs of a disc and a box, with their masks."""
    for name in ("masks", "photos"):
        (tmp_path / name).mkdir()
    for index in range(2):
        y, x = np.mgrid[:120, :160]
        labels = np.zeros((120, 160), np.uint8)
        labels[(y - 50) ** 2 + (x - 45 - 9 * index) ** 2 < 900] = 1
        labels[60:110, 100:150] = 2
        photo = np.array([[120, 130, 120], [220, 60, 50], [40, 60, 200]], np.uint8)[labels]
        Image.fromarray(labels).save(tmp_path / "masks" / f"{index}.png")
        Image.fromarray(photo).save(tmp_path / "photos" / f"{index}.png")
    (tmp_path / "palette.json").write_text(json.dumps(COLOURS))
    return tmp_path


def arena(folder, **options) -> Arena:
    given = {"reference": "masks", "photos": "photos", "palette": "palette.json"}
    return Arena(**{name: str(folder / path) for name, path in given.items()} | options)


def items(bench: Arena):
    return list(bench.items(Source("folder"), 0, None))


def ask(bench, model, item, sample=0):
    return model.answer(bench.prompt(item), item, sample, 0)


@pytest.mark.slow
def test_kmeans_answers_with_a_label_map_that_depends_on_seed_item_and_sample(folder):
    bench = arena(folder)
    first, second = items(bench)
    model = open_model("nets/kmeans", bench)
    assert model is not None and not model.answers_items
    answer = ask(bench, model, first)
    assert is_label_map(answer.images[-1].data) and answer.usage.cost == 0
    labels = read_labels(answer.images[-1], first.inputs["case"].palette)
    assert labels.shape == (120, 160) and set(np.unique(labels)) == {0, 1, 2}
    assert labels[0, 0] == labels[-1, 0] == 0, "what touches the border is the background"
    assert ask(bench, model, first).images == answer.images
    assert len({ask(bench, model, first, sample).images for sample in range(8)}) >= 2
    result = bench.score(first, answer, {})
    assert result.failure is None and result.notes["form"].startswith("label map")
    assert bench.score(second, ask(bench, model, second), {}).failure is None


@pytest.mark.slow
def test_kmeans_finds_regions_but_not_their_names(folder):
    bench = arena(folder)
    model = open_model("nets/kmeans", bench)
    scores = [
        bench.score(item, ask(bench, model, item, sample), {}).metrics["robust.f1"]
        for item in items(bench)
        for sample in range(8)
    ]
    assert min(scores) < 0.5 and max(scores) > 0.95  # swapped or right, by chance


class Spy:
    """Returns the prompt's data as text, and what it was called with."""

    def answer(self, prompt, rng):
        data = {name: value for name, value in prompt.data.items() if name != "photo"}
        return Answer(json.dumps([data, float(rng.random())]))

    def card(self):
        return {"weights": "none"}


def test_a_net_of_another_package_is_found_by_entry_point_and_sees_the_prompt_alone(folder, monkeypatch):
    spy = EntryPoint("spy", f"{__name__}:Spy", "pixelproof.nets")
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or type(sys)(__name__))
    monkeypatch.setattr(sys.modules[__name__], "Spy", Spy, raising=False)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [spy] if group == "pixelproof.nets" else [])
    bench = arena(folder)
    item = items(bench)[0]
    assert {"spy", "kmeans", "ssd-sam2"} <= set(available_nets())
    model = open_model("nets/spy", bench)
    data, _ = json.loads(ask(bench, model, item).text)
    assert data == {"task": "semantic", "labels": list(COLOURS), "palette": list(COLOURS.values())}
    assert model.card() == {"kind": "nets", "weights": "none"}
    hidden = replace(item, inputs={}, truth="secret", tags={})
    assert model.answer(bench.prompt(item), hidden, 0, 0).text == ask(bench, model, item).text


def test_the_data_holds_no_truth(folder):
    before = [bench.prompt(item) for bench in [arena(folder)] for item in items(bench)]
    for path in (folder / "masks").iterdir():
        Image.new("L", (160, 120)).save(path)
    assert [bench.prompt(item) for bench in [arena(folder, detail="lean")] for item in items(bench)] == before


def test_prompts_without_the_inputs_are_refused_with_what_is_missing(folder):
    item = items(arena(folder))[0]
    model = open_model("nets/kmeans", arena(folder))
    with pytest.raises(PixelProofError, match="kmeans cannot answer .*'task' in the prompt's data, which has none"):
        model.answer(Prompt(("Draw a cat.",)), item, 0, 0)
    with pytest.raises(PixelProofError, match="not 'depth': choose --task semantic"):
        model.answer(Prompt((), data={"task": "depth"}), item, 0, 0)
    with pytest.raises(PixelProofError, match="needs 'photo' .*has 'task', 'labels'"):
        model.answer(Prompt((), data={"task": "semantic", "labels": ["a"]}), item, 0, 0)
    with pytest.raises(PixelProofError, match="malformed"):
        data = {"task": "semantic", "labels": ["a"], "palette": [[0, 0, 0]], "photo": "a.png"}
        model.answer(Prompt((), data=data), item, 0, 0)
    with pytest.raises(PixelProofError, match="no net 'kmean'; did you mean 'kmeans'"):
        open_model("nets/kmean", arena(folder))


def test_without_a_photograph_no_prompt_is_made(folder):
    bench = arena(folder, photos="")
    with pytest.raises(PixelProofError, match="pass --photos"):
        bench.prompt(items(bench)[0])


def test_cards_are_json_and_closing_twice_does_no_harm(folder):
    model = open_model("nets/kmeans", arena(folder))
    assert json.loads(json.dumps(model.card())) == {"kind": "nets"}
    model.close()
    model.close()


def test_missing_weights_are_told_when_the_model_is_opened(folder, tmp_path, monkeypatch):
    pytest.importorskip("cv2")
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "empty"))
    with pytest.raises(PixelProofError, match="pixelproof data assets get kenzy-ssd"):
        open_model("nets/ssd-sam2", arena(folder))


def needs_networks() -> None:
    pytest.importorskip("cv2")
    pytest.importorskip("onnxruntime")
    try:
        asset_path("kenzy-ssd"), asset_path("sam2-tiny")
    except PixelProofError as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_the_detector_names_and_sam_cuts_out():
    needs_networks()
    data = pytest.importorskip("skimage.data")
    net = DetectAndSegment()
    cat = net.segment(data.chelsea(), ["other", "dog", "cat"])
    assert set(np.unique(cat)) == {0, 2} and 0.65 < (cat == 2).mean() < 0.85
    assert not cat[5:40, 420:].any(), "the wall beside the ear"
    mug = net.segment(data.coffee(), ["background", "mug", "zebra"])
    assert mug[200, 300] == 1 and not mug[-30:, :60].any()
    assert not net.segment(data.coffee(), ["background", "zebra"]).any()
    card = {"kind": "nets", **net.card()}
    assert json.loads(json.dumps(card)) == card and set(card["weights"]) == {"kenzy-ssd", "sam2-tiny"}


@pytest.mark.slow
def test_names_are_read_as_they_are_shown_not_as_the_source_has_them(folder):
    needs_networks()
    data = pytest.importorskip("skimage.data")
    (folder / "photos" / "0.png").write_bytes(encode_png(data.chelsea()).data)
    Image.new("L", (451, 300)).save(folder / "masks" / "0.png")
    (folder / "palette.json").write_text(json.dumps({"background": [0, 0, 0], "cat": [255, 0, 0], "box": [0, 0, 255]}))
    for colours, seen in (("own", True), ("renamed", False)):
        bench = arena(folder, colours=colours)
        item = items(bench)[0]
        answer = ask(bench, open_model("nets/ssd-sam2", bench), item)
        labels = read_labels(answer.images[-1], item.inputs["case"].palette)
        shown = item.inputs["names"]
        assert bool(labels.any()) == ("cat" in shown) == seen, shown
