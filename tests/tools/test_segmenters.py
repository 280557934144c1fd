"""Back ends of SEG on pictures whose masks are known."""

import numpy as np
import pytest

from pixelproof.contract import Call, PixelProofError
from pixelproof.store import asset_path
from pixelproof.tools import (
    Backends,
    Budget,
    Media,
    Toolbox,
    TransformersSamSegmenter,
    available_backends,
    create_backend,
    decode_mask,
)
from pixelproof.world.flat import draw, make_flat, truth

pytest.importorskip("cv2")
UNLIMITED = Budget(None, None, None, None, None, None)


def iou(one, other):
    return (one & other).sum() / (one | other).sum()


@pytest.fixture(scope="module")
def flat():
    scene = make_flat(5)
    return draw(scene), truth(scene), [sprite.id for sprite in scene.sprites if sprite.shape not in ("plate", "noise")]


def segmented(name, picture, **arguments):
    result = Toolbox(Media(picture), Backends(seg=name), UNLIMITED).call(Call("1", "SEG", arguments))
    return decode_mask(result.evidence["mask"]) if result.ok else np.zeros(picture.shape[:2], bool)


def grid(box, side=512):
    return [box[0] * 1000 // side, box[1] * 1000 // side, -(-box[2] * 1000 // side), -(-box[3] * 1000 // side)]


@pytest.mark.parametrize(
    ("name", "least"), [("components", 0.97), ("opencv", 0.97), ("grabcut", 0.85), ("watershed", 0.75)]
)
def test_flat_shapes_are_segmented_from_their_boxes(flat, name, least):
    picture, known, ids = flat
    things = [id for id in ids if not id.startswith("small")][:5]
    scores = [iou(segmented(name, picture, box=grid(known.seen[id].box)), known.visible_mask(id)) for id in things]
    assert np.mean(scores) > least, dict(zip(things, scores, strict=True))


@pytest.mark.parametrize("name", ["components", "opencv"])
def test_flat_shapes_are_segmented_from_a_point(flat, name):
    picture, known, ids = flat
    scores = []
    for id in (id for id in ids if not id.startswith(("small", "ring"))):
        mask = known.visible_mask(id)
        rows, columns = np.nonzero(mask)
        place = int(np.argmin(np.hypot(rows - rows.mean(), columns - columns.mean())))
        point = [int((columns[place] + 0.5) / 0.512), int((rows[place] + 0.5) / 0.512)]
        scores.append(iou(segmented(name, picture, point=point), mask))
    assert np.mean(scores) > 0.97, scores


def textured():
    """A disc with texture before noise of the same mean colour range: a component fails, a cut does not."""
    rng = np.random.default_rng(1)
    picture = rng.normal((90, 110, 90), 14, (120, 160, 3))
    y, x = np.mgrid[:120, :160]
    disc = (y - 60) ** 2 + (x - 80) ** 2 < 35**2
    stripes = 40 * ((x // 6) % 2)
    picture[disc] = np.stack([170 + stripes, 90 - stripes / 2, 60 + stripes / 4], axis=-1)[disc]
    return picture.clip(0, 255).astype(np.uint8), disc


def test_texture_is_left_to_grabcut():
    picture, disc = textured()
    box = [45 * 1000 // 160, 25 * 1000 // 120, 116 * 1000 // 160, 96 * 1000 // 120]
    assert iou(segmented("components", picture, box=box), disc) < 0.6
    assert iou(segmented("opencv", picture, box=box), disc) > 0.85


@pytest.mark.parametrize("name", ["components", "grabcut", "watershed", "opencv"])
@pytest.mark.parametrize("side", [1, 2, 9, 40])
def test_any_picture_and_prompt_is_survived(name, side):
    rng = np.random.default_rng(side)
    segmenter = create_backend("SEG", name)
    for picture in (rng.integers(0, 256, (side, side + 1, 3), np.uint8), np.zeros((side, side + 1, 3), np.uint8)):
        for point, box in ((None, (0, 0, side + 1, side)), ((side // 2, side // 2), None), ((0, 0), (0, 0, 1, 1))):
            segment = segmenter.segment(picture, point, box, 0)
            assert segment is None or (segment.mask.shape == picture.shape[:2] and 0 <= segment.fit <= 1)


def test_the_same_call_gives_the_same_mask_whatever_came_before():
    picture, _ = textured()
    first = create_backend("SEG", "grabcut").segment(picture, None, (45, 25, 116, 96), 0)
    np.random.seed(3)
    segmenter = create_backend("SEG", "grabcut")
    segmenter.segment(np.roll(picture, 7, axis=1), None, (30, 20, 100, 90), 0)
    assert np.array_equal(segmenter.segment(picture, None, (45, 25, 116, 96), 0).mask, first.mask)


def test_every_registered_back_end_is_one_or_says_what_it_needs():
    for tool, names in available_backends().items():
        for name in names:
            try:
                backend = create_backend(tool, name)
            except PixelProofError as error:
                assert "install" in str(error) or "assets get" in str(error)
            else:
                assert backend.name and backend.version
    with pytest.raises(PixelProofError, match="did you mean 'grabcut'"):
        create_backend("SEG", "grabcat")
    with pytest.raises(PixelProofError, match="no tool"):
        create_backend("ZOOM", "opencv")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "module"), [("sam2-tiny", "onnxruntime"), ("mobile-sam", "torch")])
def test_sams_take_points_boxes_and_both(name, module):
    pytest.importorskip(module)
    try:
        asset_path(name)
    except PixelProofError as error:
        pytest.skip(str(error))
    y, x = np.mgrid[:360, :480]
    disc = (y - 180) ** 2 + (x - 240) ** 2 < 105**2
    picture = np.random.default_rng(0).integers(110, 150, (360, 480, 3))
    picture[disc] = (210, 50, 40)
    segmenter = create_backend("SEG", name)
    for point, box in (((240, 180), None), (None, (135, 75, 346, 286)), ((240, 180), (135, 75, 346, 286))):
        segment = segmenter.segment(picture.astype(np.uint8), point, box, 0)
        assert iou(segment.mask, disc) > 0.9 and 0 < segment.fit <= 1


@pytest.mark.slow
def test_a_sam_of_transformers_is_loaded_from_a_folder(tmp_path):
    """A tiny network with random weights: prompts go in, a mask of the picture's size comes out, the same each time."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    vision = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_dim": 64}
    config = transformers.SamConfig(vision_config=vision | {"global_attn_indexes": [1]})
    transformers.SamModel(config).save_pretrained(tmp_path)
    transformers.SamProcessor(transformers.SamImageProcessor()).save_pretrained(tmp_path)
    segmenter = TransformersSamSegmenter(tmp_path)
    picture, _ = textured()
    for point, box in (((80, 60), None), (None, (45, 25, 116, 96)), ((80, 60), (45, 25, 116, 96))):
        segment = segmenter.segment(picture, point, box, 0)
        assert segment.mask.shape == picture.shape[:2] and segment.mask.dtype == bool and 0 <= segment.fit <= 1
    again = TransformersSamSegmenter(tmp_path).segment(picture, point, box, 0)
    assert np.array_equal(again.mask, segment.mask)
    (tmp_path / "config.json").write_text((tmp_path / "config.json").read_text() + "\n")
    assert TransformersSamSegmenter(tmp_path).version != segmenter.version


def test_a_folder_without_weights_is_refused(tmp_path, monkeypatch):
    for module in ("torch", "transformers"):
        monkeypatch.setitem(__import__("sys").modules, module, __import__("types").SimpleNamespace(__version__="0"))
    with pytest.raises(PixelProofError, match="give the folder of a SAM"):
        TransformersSamSegmenter(tmp_path)


def test_settings_of_a_back_end_follow_its_name():
    pytest.importorskip("onnxruntime")
    reader = create_backend("OCR", "rapidocr:345A:never")
    assert (reader.alphabet, reader.detect) == ("345A", "never")
    with pytest.raises(PixelProofError, match="takes no such settings"):
        create_backend("SEG", "components:1:2:3")
