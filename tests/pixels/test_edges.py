"""The edge rule: compiled, in numpy, and word by word in plain Python, on noise, blobs and blurred paintings."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from pixelproof.benches.arena.palettes import FACES, design, mosaic
from pixelproof.metrics import SegmentationCounts, robust
from pixelproof.pixels import (
    DECODERS,
    VOID,
    Decoder,
    ImageChannel,
    Palette,
    blur,
    nearest,
    nearest_distance,
    numpy_alone,
    read_image,
)
from pixelproof.pixels._edges import REACH, settle_edges

FACE = Palette(
    ("background", "skin", "lip", "hair", "ring", "necklace", "neck", "mouth"),
    ((0, 0, 0), (204, 0, 0), (255, 255, 0), (0, 0, 204), (0, 204, 204), (0, 51, 0), (255, 153, 51), (102, 204, 0)),
)


def by_the_words(rgb, labels, palette, steepest):
    """The five rules as the module states them, pixel by pixel."""
    height, width = labels.shape
    rgb, colours = rgb.astype(int).tolist(), palette.astype(int).tolist()
    places = [(y, x) for y in range(height) for x in range(width)]

    def clamped(y, x):
        return min(max(y, 0), height - 1), min(max(x, 0), width - 1)

    def around(y, x, reach):
        return {clamped(y + dy, x + dx) for dy in range(-reach, reach + 1) for dx in range(-reach, reach + 1)}

    def colour(p):
        return rgb[p[0]][p[1]]

    def square(one, other):
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    def change(one, other):
        return max(abs(a - b) for a, b in zip(colour(one), colour(other), strict=True))

    def is_beside(seen, one, other, limit):
        """Whether the squared distance of a colour from the straight line between two others is within a limit."""
        line, offset = ([b - a for a, b in zip(one, end, strict=True)] for end in (other, seen))
        length, along = sum(v * v for v in line), sum(a * b for a, b in zip(line, offset, strict=True))
        if along <= 0 or along >= length:
            return min(square(seen, one), square(seen, other)) <= limit
        return square(seen, one) * length - along**2 <= limit * length

    alike = {p for p in places if len({labels[q] for q in around(*p, 2)}) == 1}

    def is_level(here, before, after):
        return min(change(here, before), change(here, after), change(before, after)) <= 8

    def is_flat(y, x):
        sides = [(clamped(y, x - 1), clamped(y, x + 1)), (clamped(y - 1, x), clamped(y + 1, x))]
        spans = [max(values) - min(values) for values in zip(*map(colour, around(y, x, 3)), strict=True)]
        if max(change(*pair) for pair in sides) <= max(steepest, max(spans) / 5):
            return True
        return all(is_level((y, x), *pair) for pair in sides)

    flat = alike | {place for place in places if is_flat(*place)}
    support = {p: sum(q in flat and labels[q] == labels[p] for q in around(*p, 2)) for p in flat}
    firm = {p for p in flat if support[p] >= 15 or p in alike}
    thin = {p for p in flat if support[p] >= 5} - firm

    def apart(p):
        return square(colour(p), colours[labels[p]])

    def is_blend(p, group):
        ones = {labels[q] for q in around(*p, 6) if q in firm} - {labels[p]}
        others = {labels[q] for q in around(*p, 6) if q in group} - {labels[p]}
        limit = max(24**2, apart(p))
        return any(is_beside(colour(p), colours[a], colours[b], limit) for a in ones for b in others)

    def is_near(p, group):
        return any(labels[q] == labels[p] for q in around(*p, 6) if q in group)

    kept = firm | {p for p in thin if is_near(p, firm) or not is_blend(p, flat)}
    orphans = {p for p in set(places) - kept if not is_near(p, kept)}

    def is_close(p, label):
        gaps = [square(colours[label], other) for index, other in enumerate(colours) if index != label]
        return labels[p] == label and 16 * square(colour(p), colours[label]) <= min([16 * 16**2, *gaps])

    def is_solid(y, x):
        blocks = [(top, left) for top in range(y - 2, y + 1) for left in range(x - 2, x + 1)]
        blocks = [(t, s) for t, s in blocks if t >= 0 and s >= 0 and t + 3 <= height and s + 3 <= width]
        return any(all(is_close((t + i // 3, s + i % 3), labels[y, x]) for i in range(9)) for t, s in blocks)

    def stands_out(y, x, reach):
        lines = [(0, reach), (reach, 0), (reach, reach), (reach, -reach)]
        for dy, dx in lines:
            one, other = colour(clamped(y - dy, x - dx)), colour(clamped(y + dy, x + dx))
            limit = max(24**2, apart((y, x)), square(one, other) * 9 // 100)
            if is_beside(rgb[y][x], one, other, limit):
                return False
        return True

    def is_spot(y, x):
        if sum(labels[q] == labels[y, x] for q in around(y, x, 1)) < 5:
            return False
        return any(stands_out(y, x, reach) for reach in (1, 2, 3)) and not is_blend((y, x), firm | thin)

    clean = {p for p in orphans if all(apart(q) <= 16 for q in around(*p, 6))}
    kept |= {p for p in orphans if p in clean or is_solid(*p) or is_spot(*p)}
    settled = labels.copy()
    for p in set(places) - kept:
        near = {int(labels[q]) for q in around(*p, 6) if q in kept}
        if near and labels[p] not in near:
            settled[p] = min(near, key=lambda label: (square(colour(p), colours[label]), label))
    return settled, int((settled != labels).sum())


def three_ways(rgb, palette, steepest):
    labels = nearest(rgb, palette)
    compiled = settle_edges(rgb, labels, palette, steepest)
    with numpy_alone():
        alone = settle_edges(rgb, labels, palette, steepest)
    words = by_the_words(rgb, labels, palette.array, steepest)
    assert compiled[1] == alone[1] == words[1]
    np.testing.assert_array_equal(alone[0], words[0])
    np.testing.assert_array_equal(compiled[0], words[0])
    return words[1]


def through_the_channel(rgb, sigma=0.7, quality=90):
    soft = ndimage.gaussian_filter(rgb.astype(float), (sigma, sigma, 0)).round().astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(soft).save(buffer, "JPEG", quality=quality, subsampling="4:2:0")
    return np.array(Image.open(buffer).convert("RGB"))


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 20), st.sampled_from([0.0, 0.5, 1.0, 2.0, 4.0]))
def test_three_ways_agree_on_anything(seed, height, width, blur):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    palette = random_palette(rng, count)
    cells = nearest(rng.integers(0, 256, (height // 3 + 1, width // 3 + 1, 3), dtype=np.uint8), palette)
    painted = palette.paint(cells.repeat(3, 0).repeat(3, 1)[:height, :width]).astype(float)
    mixed = ndimage.gaussian_filter(painted, (blur, blur, 0)) + rng.normal(size=painted.shape) * rng.choice([0, 3, 20])
    three_ways(mixed.round().clip(0, 255).astype(np.uint8), palette, int(rng.choice([5, 20, 60])))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0, 12])
def test_three_ways_agree_on_more_labels_than_a_word_has_bits(noise):
    rng = np.random.default_rng(noise)
    palette = random_palette(rng, 200)
    blocks = rng.permutation(len(palette))[:90].reshape(9, 10).astype(np.uint8)
    painted = palette.paint(blocks.repeat(3, 0).repeat(3, 1)).astype(float)
    mixed = ndimage.gaussian_filter(painted, (0.4, 0.4, 0)) + rng.normal(size=painted.shape) * noise
    assert three_ways(mixed.round().clip(0, 255).astype(np.uint8), palette, 60) > 0


@pytest.mark.slow
@pytest.mark.parametrize("count", [19, 63, 64, 65])
def test_three_ways_agree_on_speckles_wherever_they_are(count):
    """Labels near a pixel, and just not near it, at all offsets from the blocks that have sets of labels."""
    rng = np.random.default_rng(count)
    palette = random_palette(rng, count)
    assert len(palette) == count
    labels = np.zeros((21, 30), palette.dtype)
    labels[:, 15:] = count - 1
    speckles = rng.random(labels.shape) < 0.03
    labels[speckles] = rng.integers(0, count, speckles.sum())
    soft = ndimage.gaussian_filter(palette.paint(labels).astype(float), (0.7, 0.7, 0))
    rgb = (soft + rng.normal(size=soft.shape) * 6).round().clip(0, 255).astype(np.uint8)
    assert three_ways(rgb, palette, 16) > 0


@pytest.mark.parametrize("count", [19, 64])
@pytest.mark.parametrize("shape", [(37, 1023), (5, 1024), (9, 1100), (3, 2100)])
def test_compiled_loops_and_numpy_agree_beyond_the_width_of_a_strip(shape, count):
    """Speckles and plain parts, so that rows without mixed pixels lie between others."""
    rng = np.random.default_rng(shape[1])
    palette = random_palette(rng, count)
    labels = rng.integers(0, count, (shape[0] // 12 + 1, shape[1] // 40 + 1)).repeat(12, 0).repeat(40, 1)
    labels = labels[: shape[0], : shape[1]].astype(palette.dtype)
    speckles = rng.random(shape) < 0.004
    labels[speckles] = rng.integers(0, count, speckles.sum())
    soft = ndimage.gaussian_filter(palette.paint(labels).astype(float), (0.7, 0.7, 0))
    rgb = (soft + rng.normal(size=soft.shape) * 6).round().clip(0, 255).astype(np.uint8)
    first = nearest(rgb, palette)
    settled, changed = settle_edges(rgb, first, palette, 16)
    with numpy_alone():
        expected, number = settle_edges(rgb, first, palette, 16)
    np.testing.assert_array_equal(settled, expected)
    assert changed == number > 0


def test_three_ways_agree_where_nothing_is_kept():
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (9, 14, 3), dtype=np.uint8)
    assert three_ways(rgb, FACE, 5) > 0


def random_palette(rng, count):
    found = np.unique(rng.integers(0, 256, (count, 3)), axis=0)
    return Palette(tuple(map(str, range(len(found)))), tuple(tuple(colour) for colour in found.tolist()))


def scene():
    """A face of 256² with a ring of 12 pixels across, a lip of 8, a necklace of 4, and a mouth between two labels."""
    y, x = np.mgrid[:256, :256]
    labels = np.zeros((256, 256), np.uint8)
    labels[(y - 110) ** 2 / 100**2 + (x - 128) ** 2 / 90**2 < 1] = FACE.index("hair")
    labels[(y > 150) & (abs(x - 128) < 50)] = FACE.index("neck")
    labels[(y - 120) ** 2 / 85**2 + (x - 128) ** 2 / 65**2 < 1] = FACE.index("skin")
    labels[(y - 130) ** 2 + (x - 55) ** 2 < 6**2] = FACE.index("ring")
    labels[(abs(y - 160) < 4) & (abs(x - 128) < 25)] = FACE.index("lip")
    labels[(abs(y - 168) < 4) & (abs(x - 128) < 25)] = FACE.index("mouth")
    labels[abs(y - 225 + (x - 128) ** 2 / 200) < 2.1] = FACE.index("necklace")
    return labels


@pytest.mark.slow
def test_three_ways_agree_on_a_painting_through_the_channel():
    corner = through_the_channel(FACE.paint(scene()))[110:150, 30:90]
    assert 0 < three_ways(corner, FACE, 16) < corner.size / 3 / 4


@pytest.mark.parametrize(("quality", "times", "overlap"), [(90, 1.5, 0.85), (75, 1.0, 0.75)])
def test_edges_go_back_to_their_neighbours_and_small_parts_stay(quality, times, overlap):
    truth = scene()
    rgb = through_the_channel(FACE.paint(truth), quality=quality)
    before, after = nearest(rgb, FACE), DECODERS["robust"].decode(rgb, FACE)
    assert (before != truth).mean() > times * (after.labels != truth).mean()
    for index, label in enumerate(FACE.labels):
        here, found = truth == index, after.labels == index
        assert (here & found).sum() / (here | found).sum() > overlap, label
    assert 0 < after.filled < 0.2


def test_labels_that_only_blends_made_are_dropped():
    palette = Palette(("sea", "sand", "weed"), ((0, 0, 200), (200, 200, 0), (100, 100, 100)))
    truth = ((np.mgrid[:120, :120][1] + np.mgrid[:120, :120][0] // 3) // 40 % 2).astype(np.uint8)
    rgb = through_the_channel(palette.paint(truth))
    assert 2 in nearest(rgb, palette)
    decoded = DECODERS["robust"].decode(rgb, palette)
    assert decoded.dropped == ("weed",)
    assert (decoded.labels == truth).mean() > 0.995


def test_a_picture_in_the_palettes_own_colours_is_left_alone():
    truth = np.random.default_rng(0).integers(0, len(FACE), (40, 50)).astype(np.uint8)
    for name in ("nearest", "robust", "nearest-oklab", "robust-oklab"):
        decoded = DECODERS[name].decode(FACE.paint(truth), FACE)
        np.testing.assert_array_equal(decoded.labels, truth, err_msg=name)
        assert (decoded.filled, decoded.dropped) == (0, ())


def test_robust_in_oklab_is_near_the_truth_too():
    truth = scene()
    decoded = DECODERS["robust-oklab"].decode(through_the_channel(FACE.paint(truth)), FACE)
    assert (decoded.labels == truth).mean() > 0.99


def test_tolerance_fills_from_the_nearest_accepted_pixel():
    rng = np.random.default_rng(5)
    rgb = ndimage.gaussian_filter(FACE.paint(scene())[90:130, 40:90].astype(float), (2, 2, 0)).astype(np.uint8)
    decoded = Decoder(tolerance=30).decode(rgb, FACE)
    first, distance = nearest_distance(rgb, FACE)
    accepted = distance <= 30
    assert 0 < accepted.sum() < accepted.size and decoded.filled == pytest.approx(1 - accepted.mean())
    rows, columns = np.nonzero(accepted)
    for y, x in rng.integers(0, 40, (60, 2)):
        squares = (rows - y) ** 2 + (columns - x) ** 2
        nearest_ones = first[rows, columns][squares == squares.min()]
        assert decoded.labels[y, x] in nearest_ones


def test_nothing_within_the_tolerance_is_void():
    decoded = Decoder(tolerance=5).decode(np.full((4, 4, 3), 128, np.uint8), FACE)
    assert (decoded.labels == VOID).all() and decoded.filled == 1 and len(decoded.dropped) == 1


def test_small_regions_are_filled_and_large_ones_of_the_same_label_stay():
    labels = np.zeros((20, 20), np.uint8)
    labels[2:10, 2:10] = 1
    labels[15, 15:17] = 1
    labels[17, 3] = 2
    decoded = Decoder(smallest=3 / 400).decode(FACE.paint(labels), FACE)
    labels[15, 15:17] = labels[17, 3] = 0
    np.testing.assert_array_equal(decoded.labels, labels)
    assert decoded.dropped == ("lip",) and decoded.filled == pytest.approx(3 / 400)
    assert Decoder(smallest=2 / 400).decode(FACE.paint(labels), FACE).filled == 0


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 6])
def test_one_odd_pixel_costs_no_line_of_any_width(width):
    truth = np.zeros((64, 64), np.uint8)
    truth[20 : 20 + width, 6:58] = 1
    truth[40:48, 30 : 30 + width] = 2
    picture = FACE.paint(truth)
    picture[0, 0] += 9
    np.testing.assert_array_equal(DECODERS["robust"].decode(picture, FACE).labels, truth)


@pytest.mark.parametrize("width", [3, 4, 5, 6])
def test_lines_of_even_width_come_through_the_channel_as_well_as_odd_ones(width):
    truth = np.zeros((96, 96), np.uint8)
    for place, label in enumerate((1, 2, 3, 4)):
        truth[12 + 20 * place : 12 + 20 * place + width, 8:88] = label
    seen = through_the_channel(FACE.paint(truth))
    robust, plain = (DECODERS[name].decode(seen, FACE).labels for name in ("robust", "nearest"))
    assert (robust != truth).sum() <= (plain != truth).sum()
    for label in (1, 2, 3, 4):
        hits, either = ((robust == label) & (truth == label)).sum(), ((robust == label) | (truth == label)).sum()
        assert hits / either > 0.8


def worn(rgb, channel, rng):
    """A painting through one of the channels that answers come through."""
    if channel == "one odd pixel":
        rgb = rgb.copy()
        rgb[0, 0] = np.where(rgb[0, 0] > 128, rgb[0, 0] - 5, rgb[0, 0] + 5)
    if channel == "noise":
        return np.clip(rgb + rng.normal(size=rgb.shape) * 4, 0, 255).round().astype(np.uint8)
    if channel == "blur":
        return blur(rgb, 0.7)
    if channel.startswith("jpeg"):
        return read_image(ImageChannel(0.7 if "blur" in channel else 0, 90, channel[-5:]).send(rgb))
    return rgb


CHANNELS = ["hard", "one odd pixel", "noise", "blur", "jpeg 4:4:4", "jpeg 4:2:0", "jpeg and blur 4:2:0"]


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("palette", [FACES, design([f"label {i}" for i in range(40)])], ids=["faces", "designed 40"])
def test_painted_squares_from_3_pixels_on_are_kept_wherever_nearest_keeps_them(palette, channel):
    rng = np.random.default_rng(0)
    lost, painted = [], 0
    for size in range(3, 9):
        for trial in range(16):
            ground, beside, label = rng.permutation(len(palette))[:3].tolist()
            truth = np.full((56, 56), ground, np.uint8)
            truth[:, 36:] = beside
            y, x = 16 + trial % 8, 12 + int(rng.integers(16))  # every place in a block of the JPEG
            here = slice(y, y + size), slice(x, x + size)
            truth[here] = label
            rgb = worn(palette.paint(truth), channel, rng)
            near, sturdy = (
                (DECODERS[name].decode(rgb, palette).labels[here] == label) for name in ("nearest", "robust")
            )
            if 2 * near.sum() >= near.size:
                painted += 1
                lost += [(size, trial)] if 4 * sturdy.sum() < 3 * near.sum() else []
    assert painted >= 30
    assert len(lost) <= (0 if "4:2:0" not in channel else painted // 50), lost


@pytest.mark.parametrize("size", range(1, 9))
def test_squares_of_any_size_are_kept_in_hard_edged_images_with_an_odd_pixel_elsewhere(size):
    rng = np.random.default_rng(size)
    truth = np.zeros((80, 80), np.uint8)
    for y in range(16, 70, 14):
        for x in range(16, 70, 14):
            truth[y : y + size, x : x + size] = rng.integers(1, len(FACES))
    picture = FACES.paint(truth)
    picture[0, 0] += 5
    np.testing.assert_array_equal(DECODERS["robust"].decode(picture, FACES).labels, truth)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_small_changes_change_labels_only_within_a_stated_radius(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    palette = random_palette(rng, int(rng.integers(2, 60)))
    cell = int(rng.integers(1, 12))
    cells = rng.integers(0, len(palette), (90 // cell + 1, 110 // cell + 1))
    truth = cells.repeat(cell, 0).repeat(cell, 1)[:90, :110].astype(np.uint8)
    rgb = worn(palette.paint(truth), data.draw(st.sampled_from(CHANNELS)), rng)
    changed = rgb.copy()
    places = data.draw(st.lists(st.tuples(st.integers(0, 89), st.integers(0, 109)), min_size=1, max_size=4))
    for y, x in places:
        changed[y, x] = np.clip(changed[y, x].astype(int) + rng.integers(-8, 9, 3), 0, 255)
    before, after = (DECODERS["robust"].decode(picture, palette).labels for picture in (rgb, changed))
    rows, columns = np.mgrid[:90, :110]
    far = np.minimum.reduce([np.maximum(abs(rows - y), abs(columns - x)) for y, x in places]) > REACH
    np.testing.assert_array_equal(before[far], after[far])


@pytest.mark.slow
@pytest.mark.parametrize("colours", [19, 40, 133])
def test_the_ceiling_through_the_channel_is_above_99_percent(colours):
    palette = FACES if colours == 19 else design([f"label {i}" for i in range(colours)])
    scores, strays = [], 0
    for index in range(3):
        truth = mosaic(colours, 10, index, 384)
        seen = DECODERS["robust"].decode(read_image(ImageChannel().send(palette.paint(truth))), palette).labels
        scores.append(robust(SegmentationCounts.of(seen, truth, colours))["f1"])
        strays += int((~np.isin(seen, np.unique(truth))).sum())
    assert min(scores) > 0.99
    assert strays <= 12


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 3), (5, 5)])
@pytest.mark.parametrize("kind", ["one colour", "noise", "gradient", "checkerboard"])
def test_three_ways_agree_on_tiny_and_odd_images(shape, kind):
    rng = np.random.default_rng(1)
    y, x = np.mgrid[: shape[0], : shape[1]]
    rgb = {
        "one colour": np.full((*shape, 3), 77, np.uint8),
        "noise": rng.integers(0, 256, (*shape, 3), dtype=np.uint8),
        "gradient": np.stack([25 * x, 25 * y, 0 * x], axis=-1).astype(np.uint8),
        "checkerboard": np.where(((x + y) % 2)[..., None], 250, 3).astype(np.uint8).repeat(3, 2),
    }[kind]
    three_ways(rgb, FACE, 16)
