"""Prompts: every fact is said, nothing of the truth is, and profiles give each model what it can take."""

import numpy as np
import pytest

from pixelproof.benches.arena._case import Case
from pixelproof.benches.arena.palettes import FACES, design, renamed
from pixelproof.benches.arena.prompts import (
    PROFILES,
    PROMPTS,
    check_wording,
    find_profile,
    find_wording,
    palette_pictures,
    profile_for,
    write_prompt,
)
from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import Palette, declared_palette, encode_png, fit_size, read_image

PHOTO = encode_png(np.tile(np.arange(100, dtype=np.uint8)[None, :, None], (60, 1, 3)))
TWO = Palette(("everything else", "target"), ((0, 0, 0), (255, 255, 255)))


def case_for(name):
    if PROMPTS[name].task == "referring":
        return Case("world", "1", TWO, "hash", {"secret": "truth"}, expression="the mug {left} of the bowl")
    if PROMPTS[name].task == "edges":
        return Case("world", "1", TWO, "hash", {"secret": "truth"})
    return Case("celeb", "1", FACES, "hash", {"secret": "truth"})


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
@pytest.mark.parametrize("name", PROMPTS)
def test_every_wording_under_every_profile(name, profile):
    prompt = write_prompt(name, case_for(name), PHOTO, (100, 60), profile)
    assert prompt.wants == "image"
    pictures = [part for part in prompt.parts if isinstance(part, Artefact)]
    assert profile.pictures is None or len(pictures) <= profile.pictures
    assert "{" not in prompt.text.replace("{left}", "") and "secret" not in prompt.text and "hash" not in prompt.text
    if PROMPTS[name].task == "semantic":
        for label, colour in FACES.to_json().items():
            assert f"\n{label}: {colour}\n" in prompt.text
        assert ("palette, for convenience" in prompt.text) == (len(pictures) == 2)


@pytest.mark.slow
def test_published_prompts_come_in_the_published_order():
    prompt = write_prompt("published-faces", case_for("published-faces"), PHOTO, (100, 60))
    assert prompt.parts[0] == PHOTO and prompt.parts[1] == palette_pictures(FACES)[0]
    assert "the person's left side is on the right side of the picture" in prompt.text
    for word in ("flat", "outline", "pixels", "legend of"):  # what the published prompts do not ask for
        assert word not in prompt.text
    labels = ("other", *(f"thing {place}" for place in range(133)))
    coco = write_prompt("published-coco", Case("coco", "1", design(labels), "h"), PHOTO, (100, 60))
    assert len(coco.parts) == 9  # a photo, 7 pages of 20 labels, the text
    assert '"other" is only for what no other label fits' in coco.text and "other pictures show" in coco.text


def test_improved_prompt_says_what_matters():
    case = case_for("improved")
    text = write_prompt("improved", case, PHOTO, (100, 60)).text
    for fact in (
        "100 × 60 pixels",
        "Flat colours",
        "no outlines",
        "Same framing",
        "the person's own",
        "write the legend",
    ):
        assert fact in text
    assert "write the legend" not in write_prompt("improved", case, PHOTO, (100, 60), PROFILES["editor"]).text
    plain = Case("world", "1", design(["background", "mug", "leftover"]), "h")
    assert "the person's own" not in write_prompt("improved", plain, PHOTO, (100, 60)).text


@pytest.mark.parametrize(
    "label", ["left_eye", "r_brow", "Right-shoe", "armL", "left upper arm", "LEFT FOOT", "hands l"]
)
def test_sides_of_a_persons_parts_are_the_persons(label):
    offered = design(["other", label])
    for palette in (offered, renamed(offered, 1)):
        assert "the person's own" in write_prompt("improved", Case("folder", "1", palette, "h"), PHOTO, (100, 60)).text


@pytest.mark.slow
@pytest.mark.parametrize(
    "label", ["left lane", "bar_right", "left-hand lane", "right", "hand", "bright eye", "l", "leg"]
)
def test_sides_of_other_things_are_not_a_persons(label):
    labels = [f"thing {place}" for place in range(17)] + [label]  # enough for the codes L and R
    offered = design(labels)
    coded = {palette.labels[-1][0]: palette for palette in (renamed(offered, seed) for seed in range(200))}
    for palette in (offered, coded["L"], coded["R"], coded["A"]):
        case = Case("folder", "1", palette, "h")
        assert "the person's own" not in write_prompt("improved", case, PHOTO, (100, 60)).text


def test_the_legend_of_one_thing_names_its_labels_and_can_be_read():
    case = case_for("referring")
    text = write_prompt("referring", case, PHOTO, (100, 60)).text
    assert "`target: [r, g, b]`" in text and "`everything else: [r, g, b]`" in text
    assert "write the two" not in write_prompt("referring", case, PHOTO, (100, 60), PROFILES["editor"]).text
    asked = text[text.index("After the picture") :].replace("[r, g, b]", "[250, 1, 2]", 1)
    reply = asked.replace("[r, g, b]", "[3, 4, 5]")
    assert declared_palette(reply, TWO.labels) == Palette(TWO.labels, ((3, 4, 5), (250, 1, 2)))


def test_renamed_labels_are_asked_for_by_their_new_names():
    palette = renamed(FACES, 3)
    text = write_prompt("improved", Case("celeb", "1", palette, "h"), PHOTO, (100, 60)).text
    assert f'"{palette.labels[0]}" is for whatever no other label fits' in text and "the person's own" in text


@pytest.mark.slow
def test_palette_pictures_show_every_exact_colour():
    pages = palette_pictures(design([f"label {place}" for place in range(45)]))
    assert len(pages) == 3
    for page, colours in zip(pages, np.array_split(design([str(n) for n in range(45)]).array, [20, 40]), strict=True):
        packed, wanted = (pixels.astype(int) @ [65536, 256, 1] for pixels in (read_image(page), colours))
        shown, counts = np.unique(packed, return_counts=True)
        assert set(shown[counts >= 118 * 118]) >= set(wanted)


def test_long_labels_stay_in_their_cells():
    short, long = (read_image(palette_pictures(design(["sky", name]))[0]) for name in ("sea", "a very long label " * 3))
    assert short.shape == long.shape
    assert (long[:, :8] == 255).all() and (long[:, -8:] == 255).all()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(100, 60), (60, 100), (64, 64), (200, 40)])
@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_prepared_photo_leads_back_to_the_photo(profile, size):
    """A model that copies what it is shown is cut back to the photo by the size policy `letterbox`."""
    rows, columns = np.indices(size[::-1])
    pixels = np.stack([columns * 255 // size[0], rows * 255 // size[1], np.full(rows.shape, 40)], -1).astype(np.uint8)
    prompt = write_prompt("normals", case_for("normals"), encode_png(pixels), size, profile)
    shown = read_image(next(part for part in prompt.parts if isinstance(part, Artefact)))
    assert f"{shown.shape[1]} × {shown.shape[0]} pixels" in prompt.text
    if profile.aspects:
        assert min(abs(shown.shape[1] / shown.shape[0] / (w / h) - 1) for w, h in profile.aspects) < 0.02
    assert all(side % profile.multiple == 0 for side in shown.shape[:2])
    back, _ = fit_size(shown, pixels.shape[:2], "letterbox")
    assert np.abs(back.astype(int) - pixels).mean() < 6
    assert ("grey bars" in prompt.text) == bool((shown == 128).all(-1).any())


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("gemini/gemini-3-pro-image-preview?aspect=1:1", "gemini"),
        ("google/gemini-2.5-flash-image", "gemini"),
        ("chat/google/gemini-2.5-flash-image?service=openrouter", "gemini"),
        ("images/gpt-image-1.5?size=1024x1024", "gpt-image"),
        ("diffusers/models/FLUX.1-Kontext-dev", "editor"),
        ("images/Qwen-Image-Edit-2509", "editor"),
        ("folder/answers", "plain"),
        ("control/ceiling-truth", "plain"),
    ],
)
def test_models_get_their_profiles(model, profile):
    assert profile_for(model).name == profile


def test_unknown_names_are_refused_in_a_sentence():
    with pytest.raises(PixelProofError, match="Choose one of: improved"):
        find_wording("best")
    with pytest.raises(PixelProofError, match="Choose one of: gemini"):
        find_profile("best")
    with pytest.raises(PixelProofError, match="an expression and two labels"):
        write_prompt("referring", case_for("improved"), PHOTO, (100, 60))


@pytest.mark.parametrize("task", ["semantic", "referring", "depth", "normals"])
@pytest.mark.parametrize("name", PROMPTS)
def test_a_wording_is_for_its_own_task(name, task):
    if PROMPTS[name].task == task:
        check_wording(name, task)
    else:
        with pytest.raises(PixelProofError, match=f"not {task}: choose .*{task}|not {task}: choose improved"):
            check_wording(name, task)
