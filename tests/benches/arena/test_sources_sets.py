"""Published data sets in their official layouts, on small files of the same format."""

import json
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from pixelproof.benches.arena.palettes import FACES
from pixelproof.benches.arena.sources import official_colours, open_source
from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID
from pixelproof.store import asset_path

KINDS = [
    {"id": 1, "name": "person", "supercategory": "person", "isthing": 1},
    {"id": 90, "name": "toothbrush", "supercategory": "indoor", "isthing": 1},
    {"id": 92, "name": "banner", "supercategory": "textile", "isthing": 0},
    {"id": 184, "name": "tree-merged", "supercategory": "plant", "isthing": 0},
]
COLOURS = [
    {**kind, "color": colour}
    for kind, colour in zip(KINDS, ([220, 20, 60], [9, 9, 9], [255, 255, 128], [0, 80, 0]), strict=True)
]


def write(path, pixels, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, **how)


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def loaded(source):
    return {case.key: source.load(case) for case in source.cases(0)}


@pytest.fixture(autouse=True)
def no_assets(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def coco(tmp_path):
    """Three pictures with random segments, some pixels in none; numbers of segments fill all three bytes."""
    rng = np.random.default_rng(7)
    images, notes, truth = [], [], {}
    for id, shape in ((139, (30, 40)), (285, (40, 30)), (785, (24, 24))):
        numbers = {int(number): KINDS[place % 4]["id"] for place, number in enumerate(rng.integers(1, 1 << 24, 6))}
        blocks = rng.choice([0, *numbers], (shape[0] // 2, shape[1] // 2))
        ids = blocks.repeat(2, 0).repeat(2, 1)
        coded = np.stack([ids % 256, ids // 256 % 256, ids // 65536], -1).astype(np.uint8)
        write(tmp_path / f"annotations/panoptic_val2017/{id:012}.png", coded)
        write(tmp_path / f"val2017/{id:012}.jpg", rng.integers(0, 255, (*shape, 3), np.uint8))
        images.append({"id": id, "file_name": f"{id:012}.jpg", "height": shape[0], "width": shape[1]})
        segments = [{"id": number, "category_id": kind, "iscrowd": 0} for number, kind in numbers.items()]
        notes.append({"image_id": id, "file_name": f"{id:012}.png", "segments_info": segments})
        sparse = np.zeros(shape, np.uint8)
        for segment in segments:
            sparse[ids == segment["id"]] = segment["category_id"]
        truth[f"{id:012}"] = sparse
    write_json(
        tmp_path / "annotations/panoptic_val2017.json", {"images": images, "annotations": notes, "categories": KINDS}
    )
    return tmp_path, truth


def test_coco_is_flattened_as_its_own_converter_does(coco):
    root, truth = coco
    source = open_source("coco", root)
    assert source.vocabulary == ("other", "person", "toothbrush", "banner", "tree") and source.ignored == {"other"}
    table = np.array([0, 1, 90, 92, 184], np.uint8)
    frames = loaded(source)
    assert frames.keys() == truth.keys()
    for key, frame in frames.items():
        assert np.array_equal(table[frame.labels], truth[key]) and frame.photo.shape[:2] == truth[key].shape


def test_coco_tells_objects_stuff_and_crowds_apart(coco):
    """Things have a number each, stuff has 0 and crowds -1, as the table says and at the same pixels."""
    root, truth = coco
    path = root / "annotations/panoptic_val2017.json"
    table = json.loads(path.read_text())
    things = {"person", "toothbrush"}
    for kind in table["categories"]:
        kind["isthing"] = int(kind["name"] in things)
    for note in table["annotations"]:
        note["segments_info"][0]["iscrowd"] = 1
    write_json(path, table)
    source = open_source("coco", root)
    assert source.has_instances and source.stuff == {"banner", "tree"}
    names = {kind["id"]: kind["name"] for kind in KINDS}
    for key, frame in loaded(source).items():
        note = next(note for note in table["annotations"] if note["file_name"] == f"{key}.png")
        coded = np.asarray(Image.open(root / f"annotations/panoptic_val2017/{key}.png").convert("RGB")).astype(int)
        ids = coded @ [1, 256, 65536]
        numbers = set()
        for segment in note["segments_info"]:
            found = set(frame.instances[ids == segment["id"]].tolist())
            if not found:
                continue
            (number,) = found
            thing = names[segment["category_id"]].removesuffix("-merged") in things
            assert (number > 0) == (thing and not segment["iscrowd"]) and (number < 0) == (thing and segment["iscrowd"])
            assert number <= 0 or number not in numbers
            numbers.add(number)
        assert (frame.instances[truth[key] == 0] == 0).all()


def test_coco_colours_are_its_own_where_they_are_known(coco):
    root, _ = coco
    assert "designed palette is used" in open_source("coco", root).notes[0]
    write_json(root / "annotations/panoptic_coco_categories.json", COLOURS)
    source = open_source("coco", root)
    assert source.notes == ()
    assert source.palette.colours == ((0, 0, 0), (220, 20, 60), (9, 9, 9), (255, 255, 128), (0, 80, 0))
    write_json(root / "annotations/panoptic_coco_categories.json", COLOURS[:2])
    with pytest.raises(PixelProofError, match="lack 'banner'"):
        open_source("coco", root)
    write_json(root / "annotations/panoptic_coco_categories.json", {"a": 1})
    with pytest.raises(PixelProofError, match="not COCO's table of colours"):
        open_source("coco", root)


@pytest.mark.slow
def test_pixelarena_chose_these_positions(coco):
    root, _ = coco
    names = [f"{id:012}" for id in range(3, 580_003, 116)]
    assert len(names) == 5000
    images = [{"id": place, "file_name": f"{name}.jpg"} for place, name in enumerate(reversed(names))]
    notes = [
        {"image_id": place, "file_name": f"{name}.png", "segments_info": []}
        for place, name in enumerate(reversed(names))
    ]
    write_json(
        root / "annotations/panoptic_val2017.json", {"images": images, "annotations": notes, "categories": KINDS}
    )
    source = open_source("coco-pixelarena", root)
    assert len(source.notes) == 1 and "colours" in source.notes[0]
    keys = [case.key for case in source.cases(0)]
    positions = [names.index(key) for key in keys]
    assert positions[:6] == [5, 19, 67, 72, 104, 140] and len(set(keys)) == 150
    assert all(one < other for one, other in pairwise(positions))
    assert keys == [case.key for case in open_source("coco-pixelarena", root).cases(1)], "the seed changes nothing here"


@pytest.mark.slow
def test_pixelarena_crops_the_middle_and_enlarges(coco):
    root, truth = coco
    source = open_source("coco-pixelarena", root)
    assert "3 images and not 5,000" in source.notes[-1]
    for key, frame in loaded(source).items():
        height, width = truth[key].shape
        short = min(height, width)
        box = ((width - short) // 2, (height - short) // 2, (width + short) // 2, (height + short) // 2)
        whole = Image.fromarray(truth[key]).crop(box).resize((1024, 1024), Image.Resampling.NEAREST)
        assert np.array_equal(np.array([0, 1, 90, 92, 184], np.uint8)[frame.labels], np.asarray(whole))
        photo = Image.open(root / "val2017" / f"{key}.jpg").crop(box).resize((1024, 1024), Image.Resampling.NEAREST)
        assert np.array_equal(frame.photo, np.asarray(photo))


@pytest.mark.parametrize("content", ["[]", '{"images": []}', "{", '{"categories": [{"id": 1}]}'])
def test_a_table_that_is_not_cocos(coco, content):
    (coco[0] / "annotations/panoptic_val2017.json").write_text(content)
    with pytest.raises(PixelProofError, match=r"panoptic_val2017\.json (is not COCO|cannot be read)"):
        open_source("coco", coco[0])


def test_the_asset_has_the_colours_whose_distances_were_published(monkeypatch):
    monkeypatch.undo()
    try:
        asset_path("coco-colours")
    except PixelProofError:
        pytest.skip("the asset coco-colours is not here")
    own = official_colours()
    near = {("stairs", "pavement-merged"): 19.4, ("bus", "train"): 20.0, ("refrigerator", "pillow"): 23.1}
    for (one, other), distance in near.items():
        assert np.linalg.norm(np.subtract(own[one], own[other])) == pytest.approx(distance, abs=0.05)
    assert len(own) == len(set(own.values())) == 133


@pytest.fixture
def celeb(tmp_path):
    rng = np.random.default_rng(3)
    truth = {}
    order = ["skin", "nose", "eye_g", "l_eye", "r_eye", "l_brow", "r_brow", "l_ear", "r_ear", "mouth", "u_lip", "l_lip",
             "hair", "hat", "ear_r", "neck_l", "neck", "cloth"]  # fmt: skip
    for face in (0, 1, 2001):
        merged = np.zeros((512, 512), np.uint8)
        for number, part in enumerate(order, 1):
            if rng.random() < 0.7:
                mask = (rng.random((16, 16)) < 0.3).repeat(32, 0).repeat(32, 1)
                merged[mask] = number
                rgb = np.repeat(np.where(mask, 255, 0).astype(np.uint8)[..., None], 3, 2)
                write(tmp_path / f"CelebAMask-HQ-mask-anno/{face // 2000}/{face:05}_{part}.png", rgb)
        write(tmp_path / f"CelebA-HQ-img/{face}.jpg", np.full((1024, 1024, 3), 120, np.uint8))
        truth[str(face)] = merged
    return tmp_path, truth


@pytest.mark.slow
def test_faces_are_merged_as_their_authors_do(celeb):
    root, truth = celeb
    source = open_source("celeb", root)
    frames = loaded(source)
    assert source.vocabulary == FACES.labels and len(FACES) == 19 and frames.keys() == truth.keys()
    for key, frame in frames.items():
        assert np.array_equal(frame.labels, truth[key]) and frame.photo.shape == (512, 512, 3)
    large = loaded(open_source("celeb", root, size=1024))
    assert np.array_equal(large["1"].labels, truth["1"].repeat(2, 0).repeat(2, 1))
    assert large["1"].photo.shape == (1024, 1024, 3)


@pytest.mark.slow
def test_faces_have_three_pairs_by_side(celeb):
    pairs = open_source("celeb", celeb[0]).pairs
    assert pairs == (
        ("left_eye", "right_eye"), ("left_eyebrow", "right_eyebrow"), ("left_ear", "right_ear")
    ) and all(FACES.index(right) == FACES.index(left) + 1 for left, right in pairs)  # fmt: skip


@pytest.mark.slow
def test_a_face_with_a_damaged_part_fails_alone(celeb):
    root, _ = celeb
    part = next((root / "CelebAMask-HQ-mask-anno/1").glob("*.png"))
    part.write_bytes(part.read_bytes()[:60])
    source = open_source("celeb", root)
    for case in source.cases(0):
        if case.key == "2001":
            with pytest.raises(PixelProofError, match=part.name):
                source.load(case)
        else:
            source.load(case)


def test_cityscapes_has_nineteen_classes_and_void(tmp_path):
    ids = np.arange(36, dtype=np.uint8).reshape(6, 6)
    ids[ids > 33] = 255  # a licence plate is -1
    for city, key in (("frankfurt", "frankfurt_000000_000294"), ("lindau", "lindau_000001_000019")):
        write(tmp_path / f"gtFine/val/{city}/{key}_gtFine_labelIds.png", ids)
        write(tmp_path / f"gtFine/val/{city}/{key}_gtFine_instanceIds.png", ids)
        write(tmp_path / f"leftImg8bit/val/{city}/{key}_leftImg8bit.png", np.full((6, 6, 3), 99, np.uint8))
    source = open_source("cityscapes", tmp_path)
    cases = {case.key: case for case in source.cases(0)}
    assert set(cases) == {"frankfurt_000000_000294", "lindau_000001_000019"}
    assert cases["lindau_000001_000019"].tags == {"city": "lindau"}
    labels = source.load(cases["lindau_000001_000019"]).labels.ravel().tolist()
    void = [0, 1, 2, 3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 29, 30, 34, 35]
    assert [place for place, label in enumerate(labels) if label == VOID] == void
    assert [label for label in labels if label != VOID] == list(range(19))
    assert [source.vocabulary[place] for place in (0, 10, 13, 18)] == ["road", "sky", "car", "bicycle"]


@pytest.mark.slow
def test_ade_has_its_classes_from_its_own_table(tmp_path):
    names = ["wall", "building, edifice", "screen, silver screen", "screen, CRT screen", "flag"]
    rows = [f"{place}\t0.1\t10\t5\t1\t{name}" for place, name in enumerate(names, 1)]
    (tmp_path / "objectInfo150.txt").write_text("\n".join(["Idx\tRatio\tTrain\tVal\tStuff\tName", *rows, ""]))
    for key, ids in (("ADE_val_00000001", [[0, 1], [4, 5]]), ("ADE_val_00000002", [[0, 1], [2, 6]])):
        write(tmp_path / f"annotations/validation/{key}.png", np.array(ids, np.uint8))
        write(tmp_path / f"images/validation/{key}.jpg", np.full((2, 2, 3), 9, np.uint8))
    source = open_source("ade20k", tmp_path)
    assert source.vocabulary == ("other", "wall", "building", "screen, silver screen", "screen, CRT screen", "flag")
    cases = {case.key: case for case in source.cases(0)}
    assert source.load(cases["ADE_val_00000001"]).labels.tolist() == [[0, 1], [4, 5]]
    with pytest.raises(PixelProofError, match="has the id 6"):
        source.load(cases["ADE_val_00000002"])
    (tmp_path / "objectInfo150.txt").write_text("Idx\tName\n2\twall\n")
    with pytest.raises(PixelProofError, match="does not count from 1"):
        open_source("ade20k", tmp_path)


def test_the_seed_sets_the_order_and_not_the_cases(coco):
    source = open_source("coco", coco[0])
    orders = [[case.key for case in source.cases(seed)] for seed in range(6)]
    assert len({tuple(order) for order in orders}) > 1 and len({frozenset(order) for order in orders}) == 1
    assert orders[3] == [case.key for case in open_source("coco", coco[0]).cases(3)]


@pytest.mark.parametrize("name", ["coco", "coco-pixelarena", "celeb", "cityscapes", "ade20k"])
@pytest.mark.parametrize("task", ["depth", "normals", "referring", "keypoints"])
def test_sets_of_labels_serve_semantic_and_edges(name, task, tmp_path):
    with pytest.raises(PixelProofError, match=f"serve the tasks 'semantic' and 'edges', not '{task}'"):
        open_source(name, tmp_path, task)
