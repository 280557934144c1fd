"""The networks of others at work on pictures whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.nets import Detector, Sam2, match_label
from pixelproof.store import asset_path


def needs(asset: str, module: str) -> None:
    pytest.importorskip(module)
    try:
        asset_path(asset)
    except PixelProofError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def sam() -> Sam2:
    needs("sam2-tiny", "onnxruntime")
    return Sam2()


@pytest.fixture(scope="module")
def detector() -> Detector:
    needs("kenzy-ssd", "cv2")
    return Detector()


def disc_and_box(height: int = 300, width: int = 420) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A red disc and a blue box before grey noise, and the mask of each."""
    y, x = np.mgrid[:height, :width]
    disc = (y - 130) ** 2 + (x - 120) ** 2 < 70**2
    box = (abs(y - 180) < 80) & (abs(x - 320) < 50)
    photo = np.random.default_rng(0).integers(110, 150, (height, width, 3))
    photo[disc], photo[box] = (210, 50, 40), (40, 60, 200)
    return photo.astype(np.uint8), disc, box


@pytest.mark.slow
def test_sam_cuts_out_what_boxes_show_in_pictures_of_any_shape(sam):
    photo, disc, box = disc_and_box()
    seen = sam.embed(photo)
    masks = sam.masks(seen, [(48, 58, 192, 202), (266, 98, 374, 264)])
    for mask, truth in zip(masks, (disc, box), strict=True):
        assert mask.pixels.shape == truth.shape and 0 < mask.score <= 1.01
        assert (mask.pixels & truth).sum() / (mask.pixels | truth).sum() > 0.95
    assert sam.masks(seen, []) == []
    (again,) = sam.masks(sam.embed(photo), [(48, 58, 192, 202)])
    assert np.array_equal(again.pixels, masks[0].pixels)


def test_the_detector_finds_a_cat_and_a_cup_where_they_are(detector):
    data = pytest.importorskip("skimage.data")
    cat, cup = detector.detect(data.chelsea()), detector.detect(data.coffee())
    assert cat[0].name == "cat" and cup[0].name == "cup"
    left, top, right, bottom = cup[0].box
    assert left < 180 and 400 < right < 430 and top < 30 and 280 < bottom < 310  # the cup and its saucer
    assert [found.score for found in cup] == sorted((found.score for found in cup), reverse=True)
    assert min(found.score for found in cat + cup) >= 0.3
    assert len(detector.detect(data.coffee(), 0.6)) < len(cup)


def test_boxes_follow_the_picture_when_it_is_stretched(detector):
    data = pytest.importorskip("skimage.data")
    photo = data.coffee()
    wide = np.repeat(photo, 2, axis=1)
    for one, other in zip(detector.detect(photo)[:2], detector.detect(wide)[:2], strict=True):
        assert one.name == other.name
        assert np.allclose(np.array(one.box) * (2, 1, 2, 1), other.box, atol=12)


def test_words_for_the_same_thing():
    labels = ["background", "Sofa", "television", "table", "mug", "teddy bear", "couch"]
    assert [labels[match_label(word, labels)] for word in ("tv", "dining table", "cup", "teddy bear")] == [
        "television", "table", "mug", "teddy bear"
    ]  # fmt: skip
    assert match_label("couch", labels) == 6, "the very word goes first"
    assert match_label("couch", labels[:6]) == 1
    assert match_label("bear", labels) is None and match_label("zebra", []) is None


def test_names_beside_those_of_coco_are_names_of_the_detector(detector):
    from pixelproof.nets._specialists import _SAME

    assert {name for name, *_ in _SAME} <= set(detector.names)


@pytest.mark.parametrize(("net", "asset"), [(Detector, "kenzy-ssd"), (Sam2, "sam2-tiny")])
def test_missing_weights_are_one_sentence_with_the_command(net, asset, tmp_path, monkeypatch):
    pytest.importorskip("cv2")
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    with pytest.raises(PixelProofError, match=f"pixelproof data assets get {asset}"):
        net()


@pytest.mark.parametrize(("net", "module"), [(Detector, "cv2"), (Sam2, "onnxruntime")])
def test_missing_libraries_are_one_sentence_with_the_command(net, module, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(PixelProofError, match=rf"needs {module}: run pip install 'pixelproof\[nets\]'\.$"):
        net()
