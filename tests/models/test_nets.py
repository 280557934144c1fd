"""Specialists on the arena: real pictures from folders, real answers, real scores."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from pixelproof.benches.arena._bench import Arena
from pixelproof.contract import Fault, PixelProofError, Prompt, Source
from pixelproof.models import open_model
from pixelproof.models._nets import Detected, Regions
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


def test_regions_answer_with_a_label_map_that_depends_on_seed_item_and_sample(folder):
    bench = arena(folder)
    first, second = items(bench)
    model = open_model("nets/kmeans", bench)
    assert model is not None and model.answers_items
    answer = model.answer(Prompt(()), first, 0, 0)
    assert is_label_map(answer.images[-1].data) and answer.usage.cost == 0
    labels = read_labels(answer.images[-1], first.inputs["case"].palette)
    assert labels.shape == (120, 160) and set(np.unique(labels)) == {0, 1, 2}
    assert labels[0, 0] == labels[-1, 0] == 0, "what touches the border is the background"
    assert model.answer(Prompt(("other",)), first, 0, 0).images == answer.images
    samples = {model.answer(Prompt(()), first, sample, 0).images for sample in range(8)}
    assert 2 <= len(samples)
    result = bench.score(first, answer, {})
    assert result.failure is None and result.notes["form"].startswith("label map")
    assert bench.score(second, model.answer(Prompt(()), second, 0, 0), {}).failure is None


def test_what_regions_lack_is_names(folder):
    bench = arena(folder)
    model = open_model("nets/kmeans", bench)
    scores = [
        bench.score(item, model.answer(Prompt(()), item, sample, 0), {}).metrics["robust.f1"]
        for item in items(bench)
        for sample in range(8)
    ]
    assert min(scores) < 0.5 and max(scores) > 0.95  # swapped or right, by chance


def test_the_truth_is_not_looked_at(folder):
    bench = arena(folder)
    model = open_model("nets/kmeans", bench)
    before = [model.answer(Prompt(()), item, 0, 0).images for item in items(bench)]
    for path in (folder / "masks").iterdir():
        Image.new("L", (160, 120)).save(path)
    changed = arena(folder, detail="lean")
    model = open_model("nets/kmeans", changed)
    assert [model.answer(Prompt(()), item, 0, 0).images for item in items(changed)] == before


def test_other_benches_and_tasks_are_refused_in_a_sentence(bench, folder):
    item = next(bench.items(Source("world"), 0, 1))
    with pytest.raises(PixelProofError, match="cannot answer guess/world/1/0: choose the arena"):
        open_model("nets/kmeans", bench).answer(Prompt(()), item, 0, 0)
    depth = arena(folder, task="depth")
    with pytest.raises(PixelProofError, match="leave out --task depth"):
        open_model("nets/kmeans", depth).answer(Prompt(()), items(arena(folder))[0], 0, 0)
    with pytest.raises(PixelProofError, match="choose from nets/kmeans, nets/ssd-sam2"):
        open_model("nets/sam9", bench)


def test_a_photograph_that_is_missing_does_not_stop_a_run(folder):
    bench = arena(folder, photos="")
    answer = open_model("nets/kmeans", bench).answer(Prompt(()), items(bench)[0], 0, 0)
    assert answer.failure is not None and answer.failure.fault is Fault.INFRASTRUCTURE
    assert "give --photos" in answer.failure.detail


def test_a_reference_that_cannot_be_read_does_not_stop_a_run(folder):
    bench = arena(folder)
    item = items(bench)[0]
    (folder / "masks" / "0.png").write_bytes(b"")
    answer = open_model("nets/kmeans", bench).answer(Prompt(()), item, 0, 0)
    assert answer.failure is not None and answer.failure.name == "bad-reference"


def test_cards_are_json_and_closing_twice_does_no_harm(folder):
    model = open_model("nets/kmeans", arena(folder))
    assert json.loads(json.dumps(model.card())) == {"kind": "nets"}
    model.close()
    model.close()


def test_missing_weights_are_told_when_the_model_is_opened(folder, tmp_path, monkeypatch):
    pytest.importorskip("cv2")
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "empty"))
    with pytest.raises(PixelProofError, match="pixelproof assets get kenzy-ssd"):
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
    specialist, rng = Detected(), np.random.default_rng(0)
    cat = specialist.label(data.chelsea(), ["other", "dog", "cat"], rng)
    assert set(np.unique(cat)) == {0, 2} and 0.65 < (cat == 2).mean() < 0.85
    assert not cat[5:40, 420:].any(), "the wall beside the ear"
    mug = specialist.label(data.coffee(), ["background", "mug", "zebra"], rng)
    assert mug[200, 300] == 1 and not mug[-30:, :60].any()
    assert not specialist.label(data.coffee(), ["background", "zebra"], rng).any()
    card = {"kind": "nets", **specialist.card()}
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
        answer = open_model("nets/ssd-sam2", bench).answer(Prompt(()), item, 0, 0)
        labels = read_labels(answer.images[-1], item.inputs["case"].palette)
        shown = item.inputs["names"]
        assert bool(labels.any()) == ("cat" in shown) == seen, shown


def test_regions_are_as_many_as_there_are_names():
    photo = np.random.default_rng(0).integers(0, 255, (40, 40, 3)).astype(np.uint8)
    for count in (1, 2, 5):
        labels = Regions().label(photo, ["x"] * count, np.random.default_rng(1))
        assert len(np.unique(labels)) == count
