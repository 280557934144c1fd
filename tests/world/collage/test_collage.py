"""Collages of small cut-outs that the tests draw: exact masks, exact compositing, and sentences for bad input."""

import hashlib
import json
import re
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from pixelproof.contract import PixelProofError
from pixelproof.world.collage import (
    GROUNDS,
    Background,
    Collage,
    Folder,
    Light,
    Photographs,
    Piece,
    collage_sheet,
    entities,
    make_collage,
    read_collage,
    render_collage,
    write_collage,
)

DARK = Light(strength=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Real PNG files, four times as fine as their edges."""
    root = tmp_path_factory.mktemp("cutouts")
    (root / "more").mkdir()
    paints = {
        "red-disc": lambda draw: draw.ellipse((40, 40, 360, 360), fill=(220, 30, 30, 255)),
        "blue_square": lambda draw: draw.rectangle((20, 60, 300, 340), fill=(30, 60, 220, 255)),
        "green-bar": lambda draw: draw.rectangle((180, 10, 240, 390), fill=(30, 160, 60, 255)),
        "soft": lambda draw: draw.ellipse((60, 60, 340, 340), fill=(240, 220, 40, 180)),
        "more/ring": lambda draw: draw.ellipse((40, 40, 360, 360), outline=(120, 60, 160, 255), width=60),
        "more/kite": lambda draw: draw.polygon(
            [(200, 20), (360, 160), (200, 380), (40, 160)], fill=(240, 120, 20, 255)
        ),
    }
    for name, paint in paints.items():
        image = Image.new("RGBA", (400, 400))
        paint(ImageDraw.Draw(image))
        image.reduce(4).save(root / f"{name}.png")
    (root / "red-disc.txt").write_text("A red disc.\nde.utf8=Eine Scheibe.\n")
    return root


@pytest.fixture(scope="module")
def library(folder):
    return Folder(folder)


def stacked(*pieces, **more):
    return Collage(0, 0, tuple(Piece(f"piece-{n}", *piece) for n, piece in enumerate(pieces)), **more)


places = st.tuples(
    st.sampled_from(["red-disc", "blue_square", "green-bar", "soft", "more/ring", "more/kite"]),
    st.floats(-0.1, 1.1),
    st.floats(-0.1, 1.1),
    st.floats(0.05, 0.9),
    st.floats(-180, 180),
    st.booleans(),
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(places, min_size=1, max_size=5), st.sampled_from([(48, 48), (64, 40)]))
def test_what_is_seen_is_a_part_of_the_whole_and_masks_share_out_the_picture(library, drawn, size):
    collage = stacked(*drawn, aspect=size[0] / size[1])
    layers = render_collage(collage, library, *size)
    assert layers.rgb.shape == (size[1], size[0], 3) and layers.alpha.min() >= 0 and layers.alpha.max() <= 1
    masks = np.array([layers.mask(place) for place in range(-1, len(drawn))])
    assert (masks.sum(axis=0) == 1).all()  # each pixel is one piece's or the background's
    for place in range(len(drawn)):
        assert not (layers.mask(place) & ~layers.amodal[place]).any()
        hidden = layers.amodal[place + 1 :].any(axis=0)
        assert np.array_equal(layers.mask(place), layers.amodal[place] & ~hidden)
        alone = render_collage(replace(collage, pieces=(collage.pieces[place],)), library, *size)
        assert np.array_equal(alone.alpha[0], layers.alpha[place])
        whole = layers.amodal[place].sum()
        assert layers.visible[place] == pytest.approx(layers.mask(place).sum() / whole if whole else 0.0)


def test_a_disc_is_where_geometry_says(tmp_path):
    fine = np.hypot(*(np.mgrid[:640, :640] + 0.5 - 320)) < 320
    disc = np.full((80, 80, 4), 200, np.uint8)
    disc[..., 3] = fine.reshape(80, 8, 80, 8).mean(axis=(1, 3)) * 255 + 0.5
    Image.fromarray(disc).save(tmp_path / "disc.png")
    layers = render_collage(stacked(("disc", 0.42, 0.55, 0.6)), Folder(tmp_path), 200)
    rows, columns = np.mgrid[:200, :200] + 0.5
    away = np.hypot(columns - 84, rows - 110) - 60
    sure = abs(away) > 0.5
    assert np.array_equal(layers.amodal[0][sure], (away < 0)[sure])
    assert layers.alpha[0].sum() == pytest.approx(np.pi * 60**2, rel=0.005)
    assert not layers.alpha[0][away > 5].any() and layers.alpha[0][away < -5].min() > 0.9999


@pytest.mark.parametrize("flip", [False, True])
def test_turns_and_flips_are_those_of_geometry(tmp_path, flip):
    picture = np.zeros((60, 60, 4), np.uint8)
    picture[..., 3] = 255
    picture[:30, 30:] = 0  # an L: nothing at the upper right
    Image.fromarray(picture).save(tmp_path / "l.png")
    # Clockwise by a right angle, the gap goes to the lower right; flipped before, to the upper right.
    layers = render_collage(stacked(("l", 0.5, 0.5, 0.6, 90.0, flip)), Folder(tmp_path), 100)
    gap = layers.amodal[0][52:78, 52:78] if not flip else layers.amodal[0][22:48, 52:78]
    assert not gap.any() and layers.amodal[0].sum() == pytest.approx(60 * 60 * 0.75, rel=0.01)


def test_compositing_is_linear_light_over(library):
    """Half of yellow before a plain wall, by the definition of sRGB and of `over`."""
    ground = Background(ground="sweep", colour="#808080", wall="#808080", horizon=0.5)
    bare = render_collage(stacked(background=ground, light=DARK), library, 64).rgb
    layers = render_collage(stacked(("soft", 0.5, 0.5, 0.8), background=ground, light=DARK), library, 64)

    def linear(codes):
        share = np.asarray(codes) / 255
        return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)

    alpha = 180 / 255
    middle = linear(layers.rgb[32, 32]) - (1 - alpha) * linear(bare[32, 32])
    expected = linear([240, 220, 40]) * alpha
    assert np.allclose(middle / expected, middle[0] / expected[0], rtol=0.12)
    assert 0.8 <= middle[0] / expected[0] <= 1.1  # harmonised a little, and no more
    assert np.array_equal(layers.rgb[:6], bare[:6])  # far from it nothing changes


def test_shadows_darken_the_ground_and_only_the_ground(library):
    pieces = (("blue_square", 0.5, 0.55, 0.3),)
    shaded = render_collage(stacked(*pieces, light=Light(60.0, 45.0)), library, 128)
    plain = render_collage(stacked(*pieces, light=DARK), library, 128)
    assert np.array_equal(shaded.ids, plain.ids) and np.array_equal(shaded.alpha, plain.alpha)
    inside, darker = plain.alpha[0] == 1, shaded.rgb.sum(-1).astype(int) < plain.rgb.sum(-1)
    assert not darker[inside].any() and darker.sum() > 300
    assert (shaded.rgb <= plain.rgb).all()
    columns = np.nonzero(darker)[1]
    assert columns.mean() < 60  # light from the right, so the shadow is at the left
    below = np.nonzero((shaded.rgb.sum(-1).astype(int) + 30 < plain.rgb.sum(-1)) & ~inside)[0]
    assert below.max() >= 128 * 0.55 + 128 * 0.15 - 3  # it reaches the foot


@pytest.mark.slow
def test_the_same_bytes_in_this_process_and_another(library, folder, programs):
    collage = make_collage(library, 3, 1)
    code = (
        "import sys, hashlib; from pixelproof.world.collage import *;"
        "library = Folder(sys.argv[1]); collage = make_collage(library, 3, 1);"
        "layers = render_collage(collage, library, 96);"
        "print(collage.to_json()); print(hashlib.sha256(layers.rgb.tobytes()).hexdigest())"
    )
    command = [programs / "python", "-c", code, str(folder)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    text, found = out.splitlines()
    assert text == collage.to_json()
    assert found == hashlib.sha256(render_collage(collage, library, 96).rgb.tobytes()).hexdigest()
    assert make_collage(library, 3, 2) != collage and make_collage(library, 4, 1) != collage


@pytest.mark.slow
@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 10**6), st.integers(1, 5), st.floats(0, 1), st.floats(0, 1), st.sampled_from([1.0, 4 / 3, 0.75]))
def test_what_is_made_keeps_to_its_wish(library, seed, pieces, clutter, occlusion, aspect):
    collage = make_collage(library, seed, pieces=pieces, clutter=clutter, occlusion=occlusion, aspect=aspect)
    assert Collage.from_json(collage.to_json()) == collage and len(collage.pieces) == pieces
    layers = render_collage(collage, library, 192)
    assert layers.visible.min() >= 0.9 - 0.7 * occlusion
    if occlusion == 0:
        assert layers.visible.min() == 1.0
    border = np.ones(layers.ids.shape, bool)
    border[2:-2, 2:-2] = False
    assert not (layers.amodal & border).any()  # nothing is cut off
    feet = [np.flatnonzero(mask.any(axis=1)).max() for mask in layers.amodal]
    assert feet == sorted(feet)  # what is lower is nearer
    assert len({library.cutouts[piece.cutout].noun for piece in collage.pieces}) == pieces


@pytest.mark.slow
def test_masks_hold_at_another_size(library):
    collage = make_collage(library, 8, pieces=4)
    small, large = render_collage(collage, library, 128), render_collage(collage, library, 512)
    for one, other in zip(small.amodal, large.amodal, strict=True):
        coarse = other.reshape(128, 4, 128, 4).mean(axis=(1, 3))
        sure = (coarse < 0.25) | (coarse > 0.75)
        assert (one[sure] == (coarse > 0.5)[sure]).mean() > 0.999


@pytest.mark.parametrize("ground", GROUNDS)
def test_grounds_differ_by_seed_and_are_never_flat_out(library, ground):
    one, other = (
        render_collage(stacked(background=Background(ground=ground, seed=seed)), library, 96).rgb for seed in (1, 2)
    )
    assert (np.array_equal(one, other)) == (ground == "sweep")
    assert 20 < one.mean() < 240 and one[60:].std() > 0


@pytest.mark.slow
def test_photographs_show_their_crop(tmp_path, library):
    picture = np.zeros((80, 120, 3), np.uint8)
    picture[:, 60:] = (255, 128, 0)
    Image.fromarray(picture).save(tmp_path / "halves.png")
    photographs = Photographs(tmp_path)
    background = Background("photo", "halves.png", (0.5, 0.0, 1.0, 0.75))
    layers = render_collage(stacked(background=background), library, 60, photographs=photographs)
    assert np.array_equal(layers.rgb, np.broadcast_to(np.array([255, 128, 0], np.uint8), (60, 60, 3)))
    made = make_collage(library, 1, photographs=photographs, aspect=1.5)
    left, top, right, bottom = made.background.crop
    assert (right - left) * 120 / ((bottom - top) * 80) == pytest.approx(1.5, rel=1e-3)
    with pytest.raises(PixelProofError, match="pass the photographs"):
        render_collage(made, library, 60)


@pytest.mark.slow
def test_entities_have_the_boxes_of_the_masks(library):
    collage = make_collage(library, 5, pieces=5, occlusion=0.8)
    layers = render_collage(collage, library, 160)
    for place, entity in enumerate(entities(collage, library, layers)):
        mask = layers.mask(place)
        assert entity.box == Image.fromarray(mask.astype(np.uint8) * 255).getbbox()
        assert entity.amodal_box == Image.fromarray(layers.amodal[place].astype(np.uint8) * 255).getbbox()
        assert entity.area == mask.sum() and entity.visible == pytest.approx(layers.visible[place])
        assert (
            entity.noun == library.cutouts[collage.pieces[place].cutout].noun and entity.id == collage.pieces[place].id
        )


@pytest.mark.slow
def test_files_come_back(tmp_path, library):
    collage = make_collage(library, 6)
    layers = render_collage(collage, library, 64)
    paths = write_collage(tmp_path / "000001", collage, layers)
    first = [path.read_bytes() for path in paths]
    assert [path.suffix for path in paths] == [".json", ".png", ".npz"]
    assert [path.read_bytes() for path in write_collage(tmp_path / "000001", collage, layers)] == first
    assert read_collage(paths[0]) == collage
    with np.load(paths[2]) as file:
        assert np.array_equal(file["ids"], layers.ids)
        assert np.abs(file["alpha"] / 255 - layers.alpha).max() <= 0.5 / 255 + 1e-6
    assert np.array_equal(np.asarray(Image.open(paths[1])), layers.rgb)
    assert collage_sheet(layers).ndim == 3
    with pytest.raises(PixelProofError, match="name the file of a collage"):
        read_collage(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "version 1 but 2"),
        ({"pieces": [{"id": "a"}]}, r"pieces\[0\] lacks 'cutout'"),
        ({"aspect": "wide"}, "collage.aspect must be a finite number"),
        ({"sky": 1}, "'sky', which is unknown"),
    ],
)
def test_files_that_are_no_collages_are_refused(library, change, sentence):
    data = json.loads(make_collage(library, 1).to_json()) | change
    with pytest.raises(PixelProofError, match=sentence):
        Collage.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"pieces": 0}, "pieces of a collage must be a whole number, 1 to 24, not 0"),
        ({"pieces": "x"}, "pieces of a collage must be a whole number, 1 to 24, not 'x'"),
        ({"pieces": 2.5}, "pieces of a collage must be a whole number, 1 to 24, not 2.5"),
        ({"index": -1}, "An index must be a whole number from 0 to"),
        ({"occlusion": float("nan")}, "occlusion of a collage must be from 0 to 1, not nan"),
        ({"pieces": 9}, "no 9 cut-outs of different nouns"),
        ({"clutter": 2.0}, "clutter of a collage must be from 0 to 1"),
        ({"aspect": 99.0}, "width of a collage over its height must be from 0.1 to 10, not 99.0"),
    ],
)
def test_what_is_not_possible_is_said(library, wish, sentence):
    with pytest.raises(PixelProofError, match=sentence):
        make_collage(library, 1, **wish)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(8, 300), st.integers(8, 300), st.floats(0.1, 10))
def test_a_size_that_is_recommended_is_accepted(library, width, height, aspect):
    collage = stacked(aspect=aspect)
    try:
        render_collage(collage, library, width, height)
    except PixelProofError as error:
        size = re.search(r"choose (\d+) × (\d+)", str(error))
        assert render_collage(collage, library, *map(int, size.groups())).rgb.size


def test_a_size_of_another_shape_is_refused(library):
    with pytest.raises(PixelProofError, match="100 × 80 pixels does not have the aspect ratio .*: choose 100 × 100"):
        render_collage(stacked(), library, 100, 80)
    with pytest.raises(PixelProofError, match="of 4 × 4 pixels cannot be drawn: choose sides from 8 to 8192"):
        render_collage(stacked(), library, 4)
    with pytest.raises(PixelProofError, match="no ground 'ice'"):
        render_collage(stacked(background=Background(ground="ice")), library, 32)
    with pytest.raises(PixelProofError, match="two pieces with one id"):
        Collage(0, 0, (Piece("a", "x", 0, 0, 1), Piece("a", "x", 0, 0, 1)))
