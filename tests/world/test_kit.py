from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("manifold3d")
from pixelproof.world.solid._category import Label, Surface  # noqa: E402
from pixelproof.world.solid.shapes import _kit as kit  # noqa: E402

lengths = st.floats(0.01, 1.0)


def ngon(segments: int) -> float:
    """Area of a regular polygon over that of its circle."""
    return segments * math.sin(2 * math.pi / segments) / (2 * math.pi)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(lengths, lengths)
def test_volumes_against_formulas(radius, height):
    share = ngon(48)
    assert kit.cylinder(radius, height).volume() == pytest.approx(share * math.pi * radius**2 * height)
    assert kit.cone(radius, height).volume() == pytest.approx(share * math.pi * radius**2 * height / 3)
    blunt = share * math.pi * height / 3 * (radius**2 + radius * radius / 2 + radius**2 / 4)
    assert kit.cone(radius, height, radius / 2).volume() == pytest.approx(blunt)
    assert kit.slab(radius, height, 2.0).volume() == pytest.approx(radius * height * 2.0)
    ball = kit.ball(radius, 64).volume()
    assert 0.98 * 4 / 3 * math.pi * radius**3 < ball < 4 / 3 * math.pi * radius**3
    assert kit.ellipsoid(radius, height, 1.0, 64).volume() == pytest.approx(ball * height / radius**2)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.floats(0.1, 0.4))
def test_a_ring_by_lathe_and_by_tube_are_one(radius):
    """Pappus: area of the section times the way of its centre; the polygons of both take off the same shares."""
    angles = 2 * math.pi * np.arange(48) / 48
    path = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(48)])
    turned, swept = kit.torus(1.0, radius, 48, 20), kit.tube(path, radius, closed=True, sides=20)
    exact = 2 * math.pi**2 * radius**2
    assert turned.volume() == pytest.approx(exact * ngon(20) * ngon(48), rel=1e-6)
    assert swept.volume() == pytest.approx(turned.volume(), rel=1e-6)
    assert (turned ^ swept).volume() == pytest.approx(turned.volume(), rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.3, 2.0), st.floats(0.001, 0.05))
def test_bevelled_prism_of_an_angular_outline(height, bevel):
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    prism = kit.extrude(outline, height, bevel)
    # An inset by b takes the perimeter times b off and gives back b² for each corner (4 per full turn).
    small = 3 - 8 * bevel + 4 * bevel**2
    slant = bevel / 3 * (3 + small + 4 * (3 - 4 * bevel + bevel**2)) / 2  # Simpson, exact for a quadratic
    assert prism.volume() == pytest.approx(3 * (height - 2 * bevel) + 2 * slant, rel=1e-9)
    assert kit.extrude(outline[::-1], height, bevel).volume() == pytest.approx(prism.volume())
    assert kit.extrude(outline, height).volume() == pytest.approx(3 * height)
    np.testing.assert_allclose(prism.bounding_box(), (0, 0, 0, 2, 2, height), atol=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)), min_size=4, max_size=7))
def test_curves_pass_through_their_points(points):
    knots = np.array(points)
    if np.linalg.norm(np.diff(np.concatenate([knots, knots[:1]]), axis=0), axis=1).min() < 0.05:
        return
    np.testing.assert_allclose(kit.curve(knots, 4)[::4], knots, atol=1e-9)
    loop = kit.curve(knots, 4, closed=True)
    assert len(loop) == 4 * len(knots)
    np.testing.assert_allclose(loop[::4], knots, atol=1e-9)


def test_rounded_corners_stay_within_and_keep_open_ends():
    square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    line = kit.rounded(square, 0.3)
    assert np.abs(line).max() <= 1.0 and np.abs(line).min(axis=1).max() < 0.95
    way = kit.rounded(square, 0.3, closed=False)
    np.testing.assert_array_equal(way[[0, -1]], square[[0, -1]])


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.floats(0.02, 0.08), st.floats(0.002, 0.006))
def test_vessels_hold_what_their_cavity_says(radius, wall):
    body, cavity = kit.vessel([(0.0, 0.0), (radius, 0.0), (radius, 0.1)], wall)
    inner = ngon(48) * math.pi * (radius - wall) ** 2
    assert cavity.volume() == pytest.approx(inner * 0.1, rel=1e-6)  # from the floor at `wall` to `wall` over the rim
    assert (body ^ cavity).volume() < 1e-12
    box = body.bounding_box()
    assert box[5] > 0.1 and box[5] <= 0.1 + wall / 2


def test_swirl_turns_and_narrows():
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    assert kit.swirl(square, 2.0, 0.0, 0.5).volume() == pytest.approx(2 / 3 * (4 + 2 + 1))
    turned = kit.swirl(square, 2.0, 45.0, 1.0)
    assert turned.bounding_box()[3] == pytest.approx(math.sqrt(2))


def test_rings_of_wrong_winding_are_refused():
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    low, high = ([(x, y, z) for x, y in ring] for z in (0.0, 1.0))
    assert kit.skin([low, high]).volume() == pytest.approx(1)
    with pytest.raises(ValueError, match="order and winding"):
        kit.skin([high, low])


@pytest.mark.slow
def test_pieces_cover_their_solid():
    body, _ = kit.vessel([(0.0, 0.0), (0.05, 0.0), (0.08, 0.06)], 0.004)
    for pieces in (kit.walls(body, [0.005, 0.03], 8), kit.slices(body, 4, 0), kit.cut(body, [0.02])):
        assert (body - kit.join(*pieces)).volume() < 1e-12
        assert all(piece.hull().volume() == pytest.approx(piece.volume()) for piece in pieces)
    assert len(kit.walls(body, [0.005, 0.03], 8)) == 17


def test_mirror_images_and_joins():
    left, right = kit.both(kit.slab(1, 1, 1).translate((2, 0, 0)))
    assert left.bounding_box()[0] == pytest.approx(1.5) and right.bounding_box()[3] == pytest.approx(-1.5)
    assert kit.join(left, right).volume() == pytest.approx(2)
    assert kit.hull(left, right).volume() == pytest.approx(5)


def test_stood_moves_and_scales_everything_alike():
    box = kit.slab(2, 4, 6).translate((5, 6, 7))
    label = Label((6.0, 6.0, 10.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 2.0, 1.0)
    top = Surface("top", (5.0, 6.0, 13.0), 2.0, 4.0)
    made = kit.stood(kit.part(box), labels=[label], surfaces=[top], scale=0.01)
    np.testing.assert_allclose(made.bounds, [(-0.01, -0.02, 0.0), (0.01, 0.02, 0.06)], atol=1e-12)
    np.testing.assert_allclose(made.labels[0].centre, (0.01, 0.0, 0.03), atol=1e-12)
    assert (made.labels[0].width, made.labels[0].height) == pytest.approx((0.02, 0.01))
    np.testing.assert_allclose(made.surfaces[0].centre, (0.0, 0.0, 0.06), atol=1e-12)
    assert (made.surfaces[0].width, made.surfaces[0].depth) == pytest.approx((0.02, 0.04))
    np.testing.assert_allclose([made.pieces[0].min(axis=0), made.pieces[0].max(axis=0)], made.bounds, atol=1e-7)


def test_laid_things_rest_on_a_face_below_their_middle_of_mass():
    cone = kit.cone(1.0, 4.0).rotate((0.0, 80.0, 0.0))
    (lying,) = kit.laid(cone)
    assert lying.volume() == pytest.approx(cone.volume())
    low = lying.bounding_box()[2]
    flank = [z for z in kit.points(lying)[:, 2] if z < low + 1e-6]
    assert len(flank) == 3  # its tip and one side of its foot
    assert kit._middle_of_mass([kit.cone(1.0, 4.0)]) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
