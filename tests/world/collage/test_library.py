"""Where cut-outs come from: folders with captions in several forms, stamps of Tux Paint, things of the solid world."""

import json

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.store import asset_path
from pixelproof.world.collage import Folder, Photographs, SolidCutouts, TuxPaintStamps, make_collage, render_collage


def draw(path, alpha=255, size=(20, 10)):
    """A grey rectangle in a clear margin of four pixels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = np.zeros((size[1] + 8, size[0] + 8, 4), np.uint8)
    picture[4:-4, 4:-4] = (90, 100, 110, alpha)
    Image.fromarray(picture).save(path)


def test_margins_are_left_out_and_names_are_captions(tmp_path):
    draw(tmp_path / "animals" / "tree_frog-2.png")
    library = Folder(tmp_path)
    cutout = library.cutouts["animals/tree_frog-2"]
    assert (cutout.caption, cutout.noun, cutout.group) == ("tree frog 2", "tree frog", "animals")
    assert library.pixels(cutout.id).shape == (10, 20, 4) and (library.pixels(cutout.id)[..., 3] == 255).all()


def test_captions_beside_in_a_table_and_in_json(tmp_path):
    draw(tmp_path / "a.png")
    draw(tmp_path / "b.webp")
    (tmp_path / "a.txt").write_text("An old pear.\nmore\n")
    assert Folder(tmp_path).cutouts["a"].noun == "old pear"
    (tmp_path / "captions.csv").write_text("file,caption,noun,size,mirror\na.png,Something ripe.,pear,0.1,no\n")
    cutout = Folder(tmp_path).cutouts["a"]
    assert (cutout.caption, cutout.noun, cutout.size, cutout.mirror) == ("Something ripe.", "pear", 0.1, False)
    assert Folder(tmp_path).cutouts["b"].caption == "b"
    (tmp_path / "captions.csv").unlink()
    (tmp_path / "captions.json").write_text(
        json.dumps({"a.png": "A plum.", "b.webp": {"caption": "A fig.", "size": 0.05}})
    )
    found = Folder(tmp_path).cutouts
    assert (found["a"].noun, found["b"].noun, found["b"].size) == ("plum", "fig", 0.05)


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("captions.csv", "name,words\na.png,A plum.\n", "lacks the columns file and caption"),
        ("captions.csv", "file,caption\nb.png,A plum.\n", "mention 'b.png', which does not exist"),
        ("captions.csv", "file,caption,size\na.png,A plum.,large\n", "The size of .* is 'large'"),
        ("captions.json", "[1]", "it is not an object"),
        ("captions.json", "{", "captions.json cannot be read"),
    ],
)
def test_bad_captions_are_named(tmp_path, file, text, sentence):
    draw(tmp_path / "a.png")
    (tmp_path / file).write_text(text)
    with pytest.raises(PixelProofError, match=sentence):
        Folder(tmp_path)


def test_bad_pictures_are_named(tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "opaque.png")
    Image.new("RGBA", (8, 8), (1, 2, 3, 255)).save(tmp_path / "full.png")
    Image.new("RGBA", (8, 8), (1, 2, 3, 100)).save(tmp_path / "faint.png")
    draw(tmp_path / "cut.png")
    whole = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "words.png").write_text("hello")
    library = Folder(tmp_path)
    for id, sentence in {
        "opaque": "opaque.png is not cut out",
        "full": "full.png is not cut out",
        "faint": "faint.png is empty",
        "cut": "cut.png is no whole PNG",
        "words": "words.png is no whole PNG",
        "none": "no cut-out 'none' in .*: it holds cut, faint, full and 2 more",
    }.items():
        with pytest.raises(PixelProofError, match=sentence):
            library.pixels(id)


def test_folders_that_are_empty_or_ambiguous_are_named(tmp_path):
    with pytest.raises(PixelProofError, match="There is no folder"):
        Folder(tmp_path / "nowhere")
    with pytest.raises(PixelProofError, match="holds no cut-outs"):
        Folder(tmp_path)
    with pytest.raises(PixelProofError, match="holds no photographs"):
        Photographs(tmp_path)
    with pytest.raises(PixelProofError, match="holds no stamps of Tux Paint"):
        TuxPaintStamps(tmp_path)
    draw(tmp_path / "a.png")
    draw(tmp_path / "a.webp")
    with pytest.raises(PixelProofError, match="same name as another image"):
        Folder(tmp_path)


@pytest.mark.slow
def test_things_that_go_together_are_of_like_size(tmp_path):
    sizes = {"ant": 0.005, "fly": 0.008, "bee": 0.015, "cow": 2.2, "horse": 2.4, "ox": 2.5}
    for name in sizes:
        draw(tmp_path / f"{name}.png")
    told = {f"{name}.png": {"caption": name, "size": size} for name, size in sizes.items()}
    (tmp_path / "captions.json").write_text(json.dumps(told))
    library = Folder(tmp_path)
    for seed in range(8):
        pieces = make_collage(library, seed, pieces=3).pieces
        assert {piece.cutout for piece in pieces} in ({"ant", "fly", "bee"}, {"cow", "horse", "ox"})
    with pytest.raises(PixelProofError, match="ask for 3 pieces"):
        make_collage(library, 1, pieces=4)


@pytest.fixture(scope="module")
def stamps():
    try:
        asset_path("tuxpaint-stamps")
    except PixelProofError as error:
        pytest.skip(str(error))
    return TuxPaintStamps()


def test_stamps_have_nouns_sizes_and_clean_alpha(stamps):
    assert len(stamps.cutouts) > 200
    assert stamps.cutouts["animals/amphibians/frog"].caption == "A frog."
    assert stamps.cutouts["food/fruit/pineapple"].noun == "pineapple"
    assert stamps.cutouts["animals/mammals/elephant"].size > 10 * stamps.cutouts["food/fruit/pineapple"].size
    assert not stamps.cutouts["vehicles/emergency/firetruck"].mirror and stamps.cutouts["food/fruit/pineapple"].mirror
    german = TuxPaintStamps(language="de", folders=("animals",))
    assert german.cutouts["animals/amphibians/frog"].caption.startswith("Ein")
    assert len(TuxPaintStamps(drawings=True).cutouts) > len(stamps.cutouts)
    for id in list(stamps.cutouts)[::9]:
        alpha = stamps.pixels(id)[..., 3]
        assert alpha.min() == 0 and alpha.max() >= 128
        assert alpha[0].any() and alpha[-1].any() and alpha[:, 0].any() and alpha[:, -1].any()


def test_stamps_make_collages(stamps):
    for index in range(4):
        collage = make_collage(stamps, 9, index, aspect=4 / 3)
        layers = render_collage(collage, stamps, 160)
        assert layers.visible.min() > 0.5 and (layers.amodal.sum(axis=(1, 2)) > 15).all()


@pytest.mark.slow
def test_solid_things_are_cut_out_exactly():
    library = SolidCutouts(2, 6, side=64)
    assert SolidCutouts(2, 6, side=64).cutouts == library.cutouts != SolidCutouts(3, 6, side=64).cutouts
    id, cutout = next(iter(library.cutouts.items()))
    pixels = library.pixels(id)
    assert np.array_equal(pixels, SolidCutouts(2, 6, side=64).pixels(id))
    assert 50 <= max(pixels.shape[:2]) <= 64 and cutout.size > 0.01
    assert cutout.caption.startswith(("A ", "An ")) and cutout.noun in cutout.caption
    with pytest.raises(PixelProofError, match="no family 'people'"):
        SolidCutouts(families=("people",))


@pytest.mark.slow
def test_the_rim_of_a_solid_thing_has_no_colour_of_what_was_behind():
    library = SolidCutouts(5, 12, side=96, families=("toys",))
    for id in list(library.cutouts)[:3]:
        pixels = library.pixels(id).astype(int)
        rim = (pixels[..., 3] > 0) & (pixels[..., 3] < 255)
        inside = pixels[..., 3] == 255
        rows, columns = np.nonzero(rim)
        off = []
        for row, column in zip(rows, columns, strict=True):
            near = (slice(max(row - 2, 0), row + 3), slice(max(column - 2, 0), column + 3))
            if inside[near].any():
                off.append(np.abs(pixels[near][inside[near]][:, :3] - pixels[row, column, :3]).sum(axis=1).min())
        assert np.median(off) < 24  # of 765: like the surface right beside


@pytest.mark.parametrize(
    ("use", "sentence"),
    [
        (lambda: make_collage(None, seed=7), "needs a library with cut-outs"),
        (lambda: make_collage(SolidCutouts(0, 1), seed=7, photographs="sea.jpg"), "must be a Photographs, not a str"),
        (lambda: SolidCutouts(-1, 4), "A seed must be a whole number from 0"),
        (lambda: SolidCutouts(0, -1), "number of cut-outs must be a whole number, 1 or more, not -1"),
        (lambda: SolidCutouts(0, 4, side=0), "pixels of a cut-out's side"),
    ],
)
def test_arguments_that_are_none_are_refused(use, sentence):
    with pytest.raises(PixelProofError, match=sentence):
        use()
