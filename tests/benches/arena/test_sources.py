"""Sources in general: opening, keeping, labels, and any folder of masks."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pixelproof.benches.arena.sources import SOURCES, open_source
from pixelproof.benches.arena.sources._labels import offered
from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID, Palette, encode_labels

PALETTE = Palette(("ground", "cat", "dog"), ((0, 0, 0), (255, 0, 0), (0, 0, 255)))
LABELS = np.array([[0, 1, 1, 2], [0, 0, 2, VOID], [1, 1, 1, 1]], np.uint8)


def write(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "palette.json").write_text(json.dumps(PALETTE.to_json()))
    return tmp_path


def opened(folder, **options):
    source = open_source("folder", folder, **options)
    return source, {case.key: case for case in source.cases(0)}


@pytest.mark.parametrize(
    ("name", "task", "options", "words"),
    [
        ("coc", "semantic", {}, "no source 'coc'; did you mean 'coco'. Choose one of: world"),
        ("world", "flow", {}, "no task 'flow'"),
        ("world", "semantic", {"colour": 1}, "no world option 'colour'. Choose one of: size, split"),
        ("folder", "depth", {}, "serve the tasks 'semantic' and 'edges', not 'depth'"),
        ("folder", "semantic", {}, "There is no folder of masks: .* --reference DIR or --data DIR"),
    ],
)
def test_what_cannot_be_opened_is_said_in_a_sentence(name, task, options, words):
    with pytest.raises(PixelProofError, match=words):
        open_source(name, None, task, **options)


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - {"world", "arena-v1", "flat", "collage", "folder"}))
def test_missing_data_gives_the_steps_to_get_it(name, tmp_path):
    for data, start in ((None, "needs its files"), (tmp_path, "There is no")):
        with pytest.raises(PixelProofError, match=start) as caught:
            open_source(name, data)
        assert "http" in str(caught.value) and "holds" in str(caught.value) and "\n" not in str(caught.value)
        assert f"{name!r}" in str(caught.value)


@given(st.sets(st.sampled_from(["apple", "mug", "die", "sofa", "saw", "hat"])), st.integers(0, 99))
def test_labels_offered(present, seed):
    words = [
        "apple",
        "tomato",
        "mug",
        "bowl",
        "die",
        "sofa",
        "saw",
        "hat",
        "drum",
        "key",
        "bell",
        "jar",
        "torch",
        "trophy",
    ]
    labels = offered(frozenset(present), words, np.random.default_rng(seed), never=("key",))
    assert labels[0] == "background" and list(labels[1:]) == sorted(set(labels[1:]))
    assert present <= set(labels) <= {"background", *words} - {"key"}
    assert not ("apple" in present and "tomato" in labels) and not ("mug" in present and "bowl" in labels)
    assert len(labels) - 1 - len(present) >= 2


def test_words_that_also_mean_what_is_there_are_not_offered():
    words = ["pear", "yellow pear", "pearl", "yellow", "pig"]
    assert set(offered({"yellow pear"}, words, np.random.default_rng(0))) == {
        "background", "yellow pear", "pearl", "pig"
    }  # fmt: skip


def test_masks_and_photographs_in_folders(folder):
    write(folder / "masks" / "a.png", LABELS)
    write(folder / "masks" / "deep" / "b_mask.png", PALETTE.paint(np.minimum(LABELS, 2)))
    write(folder / "photos" / "a.jpg", np.full((3, 4, 3), 90, np.uint8))
    write(folder / "photos" / "deep" / "c.jpg", np.full((3, 4, 3), 90, np.uint8))
    source, cases = opened(folder, ignored=("ground",), pairs=(("cat", "dog"),))
    assert list(cases) == ["a", "deep/b_mask"] and source.keys == set(cases) and source.vocabulary == PALETTE.labels
    assert source.ignored == {"ground"} and source.pairs == (("cat", "dog"),)
    first, second = (source.load(cases[key]) for key in cases)
    assert np.array_equal(first.labels, LABELS) and first.photo.shape == (3, 4, 3)
    assert np.array_equal(second.labels, np.minimum(LABELS, 2)) and second.photo is None
    assert source.notes == (
        "1 photographs have no mask, such as deep/c.", "1 masks have no photograph, such as deep/b_mask."
    )  # fmt: skip


@pytest.mark.parametrize("mask", ["a_mask.png", "a.mask.png", "a-labels.png", "a_gt.png", "a_SEG.png", "a.png"])
def test_masks_beside_photographs(folder, mask):
    write(folder / mask, LABELS)
    write(folder / "a.jpg", np.full((6, 8, 3), 90, np.uint8))
    source, cases = opened(folder)
    (key, case), frame = *cases.items(), source.load(*cases.values())
    assert f"{key}.png" == mask and case.key == key and frame.photo.shape == (3, 4, 3), (
        "the photograph takes the size of the mask"
    )
    assert np.array_equal(frame.labels, LABELS)


def test_masks_alone_and_photographs_elsewhere(folder, tmp_path_factory):
    write(folder / "a.png", LABELS)
    (folder / "b.png").write_bytes(encode_labels(LABELS, PALETTE).data)
    write(folder / ".hidden" / "c.png", LABELS)
    (folder / "notes.txt").write_text("not an image")
    source, cases = opened(folder)
    assert list(cases) == ["a", "b"] and source.notes == ()
    assert all(np.array_equal(source.load(case).labels, LABELS) for case in cases.values())
    elsewhere = tmp_path_factory.mktemp("photos")
    write(elsewhere / "b.jpg", np.full((3, 4, 3), 90, np.uint8))
    source, cases = opened(folder, photos=elsewhere)
    assert source.load(cases["a"]).photo is None and source.load(cases["b"]).photo is not None


def test_masks_are_read_by_their_own_colours_whatever_the_case_is_painted_in(folder):
    write(folder / "a.png", PALETTE.paint(np.minimum(LABELS, 2)))
    source, cases = opened(folder)
    other = replace(cases["a"], palette=Palette(PALETTE.labels, PALETTE.colours[::-1]))
    assert np.array_equal(source.load(other).labels, np.minimum(LABELS, 2))


def test_content_is_that_of_the_files(folder, tmp_path_factory):
    write(folder / "a.png", LABELS)
    before = opened(folder)[1]["a"]
    moved = tmp_path_factory.mktemp("moved")
    write(moved / "a.png", LABELS)
    assert opened(moved, palette=folder / "palette.json")[1]["a"] == before
    write(folder / "a.png", LABELS[:, :2])
    assert opened(folder)[1]["a"].content != before.content


def test_one_bad_file_is_the_fault_of_its_case_alone(folder):
    write(folder / "masks" / "a.png", LABELS)
    write(folder / "masks" / "b.png", np.full((3, 4), 9, np.uint8))
    (folder / "masks" / "c.png").write_bytes(b"")
    (folder / "masks" / "d.png").write_bytes((folder / "masks" / "a.png").read_bytes()[:40])
    write(folder / "masks" / "e.png", LABELS)
    write(folder / "photos" / "e.png", np.zeros((4, 3, 3), np.uint8))
    write(folder / "masks" / "f.jpg", LABELS)
    write(folder / "masks" / "g.png", LABELS)
    (folder / "photos" / "g.png").write_bytes(b"not an image")
    write(folder / "masks" / "h.png", LABELS)
    source = open_source("folder", folder)
    cases = list(source.cases(0))
    (folder / "masks" / "h.png").unlink()
    assert [case.key for case in cases] == list("abcdefgh")
    words = {
        "b": "ids 9",
        "c": "no bytes",
        "d": "ends early",
        "e": "same frame",
        "f": "JPEG",
        "g": "not an image",
        "h": "Cannot read",
    }
    for case in cases:
        if case.key == "a":
            assert source.load(case).labels is not None
            continue
        with pytest.raises(PixelProofError, match=words[case.key]) as caught:
            source.load(case)
        assert f"folder {case.key}: " in str(caught.value) and f"{case.key}." in str(caught.value)


def test_a_vanished_file_does_not_stop_the_listing(folder):
    write(folder / "a.png", LABELS)
    write(folder / "b.png", LABELS)
    source = open_source("folder", folder)
    (folder / "a.png").unlink()
    assert [case.key for case in source.cases(0)] == ["a", "b"]


@pytest.mark.parametrize(
    ("files", "masks"),
    [
        ("a.png b.png house_ref.png", "a b house_ref"),
        ("x_gt.png y_gt.png", "x_gt y_gt"),
        ("a.png a_mask.png b.png b_mask.png c.png", "a_mask b_mask"),
        ("a.jpg a_mask.png b_mask.png", "a_mask b_mask"),
        ("a.jpg b_mask.png", "a b_mask"),
        ("a_gt.png a_mask.png", "a_gt a_mask"),
        ("a.jpg a.png b.jpg b.png c.jpg", "a b"),
        ("a.png b.jpg c.webp d.bmp e.gif f.tif", "a b c d e f"),
        ("s/a.png s/b.png a.png", "a s/a s/b"),
        ("a.jpg b.jpg", "a b"),
    ],
)
def test_every_picture_is_a_mask_unless_names_show_that_it_is_a_photograph(folder, files, masks):
    for file in files.split():
        write(folder / file, LABELS)
    source, cases = opened(folder)
    assert sorted(cases) == masks.split()
    photos = {case.details["files"].get("photo") for case in cases.values()} - {None}
    used = photos | {case.details["files"]["mask"] for case in cases.values()}
    left = sorted(set(files.split()) - used)
    assert bool(left) == any("have no mask" in note for note in source.notes), "nothing is dropped in silence"


def test_masks_in_other_formats_are_read_if_nothing_was_lost(folder):
    painted, plain = PALETTE.paint(np.minimum(LABELS, 2)), np.minimum(LABELS, 2)
    for name, settings in {"a.bmp": {}, "b.gif": {}, "c.webp": {"lossless": True}, "d.png": {}}.items():
        Image.fromarray(painted).save(folder / name, **settings)
    noisy = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    Image.fromarray(noisy).save(folder / "e.webp", quality=10)
    write(folder / "f.jpg", painted)
    write(folder / "g.tiff", painted)
    source, cases = opened(folder)
    assert list(cases) == list("abcdefg")
    for key in "abcd":
        np.testing.assert_array_equal(source.load(cases[key]).labels, plain, err_msg=key)
    for key, words in {
        "e": "no colour of the palette",
        "f": "JPEG, which changes colours",
        "g": "not supported",
    }.items():
        with pytest.raises(PixelProofError, match=words):
            source.load(cases[key])


def test_photographs_elsewhere_by_the_name_as_it_is_then_without_the_mark(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("photos")
    for name in ("a", "a_gt", "b_gt", "s/c_mask"):
        write(folder / f"{name}.png", LABELS)
    for name in ("a", "b", "s/c"):
        write(elsewhere / f"{name}.jpg", np.full((3, 4, 3), 90, np.uint8))
    source, cases = opened(folder, photos=elsewhere)
    paired = {key: case.details["files"].get("photo", "").rpartition("/")[2] for key, case in cases.items()}
    assert paired == {"a": "a.jpg", "a_gt": "", "b_gt": "b.jpg", "s/c_mask": "c.jpg"}
    assert source.notes == ("1 masks have no photograph, such as a_gt.",)


def test_ids_are_told_from_white_for_the_whole_folder(folder):
    palette = Palette(("road", "car", "snow"), ((0, 0, 0), (255, 0, 0), (255, 255, 255)))
    maps = {"a": [[0, 1, VOID]], "b": [[0, VOID, VOID]]}
    for key, labels in maps.items():
        write(folder / f"{key}.png", np.array(labels, np.uint8))
    source, cases = opened(folder, palette=palette)
    assert {key: source.load(case).labels.tolist() for key, case in cases.items()} == maps
    assert len(source.notes) == 1 and "255 is void and not 'snow'" in source.notes[0]
    for key in maps:
        write(folder / f"{key}.png", palette.paint(np.array([[0, 1, 2]], np.uint8)))
    source, cases = opened(folder, palette=palette)
    assert source.notes == () and source.load(cases["b"]).labels.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("labels", "pairs"),
    [
        ("left_eye right_eye nose", [("left_eye", "right_eye")]),
        ("r_ear l_ear", [("l_ear", "r_ear")]),
        ("ear-L ear-R Ear.l", [("ear-L", "ear-R")]),
        ("LEFT RIGHT", [("LEFT", "RIGHT")]),
        ("left_eye r_eye", []),
        ("lamp ramp leftover rightover bleft bright", []),
        ("upper_left_arm upper_right_arm lower_left_arm", [("upper_left_arm", "upper_right_arm")]),
        ("left-right right-left", [("left-right", "right-left")]),
    ],
)
def test_left_and_right_are_found_by_name(folder, labels, pairs):
    names = tuple(labels.split())
    palette = Palette(names, tuple((place, 0, 0) for place in range(len(names))))
    write(folder / "a.png", np.zeros((2, 2), np.uint8))
    assert list(opened(folder, palette=palette)[0].pairs) == pairs
    assert opened(folder, palette=palette, pairs=())[0].pairs == ()
    spaced = Palette(tuple(name.replace("_", " ") for name in names), palette.colours)
    assert len(opened(folder, palette=spaced)[0].pairs) == len(pairs)


def test_a_missing_palette_and_a_missing_folder_name_their_options(tmp_path):
    write(tmp_path / "a.png", LABELS)
    with pytest.raises(PixelProofError, match="no palette for .*--palette FILE"):
        open_source("folder", tmp_path)
    with pytest.raises(PixelProofError, match="nowhere is no folder: .*--reference DIR or --data DIR"):
        open_source("folder", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("files", "options", "words"),
    [
        ([], {}, "holds no masks"),
        (["a.bmp", "a.gif"], {}, "would both be 'a'"),
        (["masks/a.png", "masks/a.bmp"], {}, "would both be 'a'"),
        (["a.png"], {"ignored": ("sky",)}, "no label 'sky'"),
        (["a.png"], {"pairs": (("cat", "sky"),)}, "no label 'sky'"),
        (["a.png"], {"photos": "nowhere"}, "no folder nowhere"),
        (["a.png"], {"palette": "nowhere.json"}, "Cannot read the palette nowhere.json"),
    ],
)
def test_folders_that_cannot_be_used(folder, files, options, words):
    for file in files:
        write(folder / file, LABELS)
    with pytest.raises(PixelProofError, match=words):
        open_source("folder", folder, **options)
