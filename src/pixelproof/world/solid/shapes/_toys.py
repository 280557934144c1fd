"""Toy animals and figures, and a house. Each is built in units of its own and then scaled to metres."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats, Vector

from . import _kit as kit
from ._common import ANY, BLACK, RED, STEEL, WHITE


def _bead(radius: float, centre: Vector, way: Vector, distance: float) -> kit.Solid:
    """A small ball at a distance from a centre, such as an eye on a head."""
    out = np.asarray(way) / np.linalg.norm(way) * distance
    return kit.ball(radius, 16).translate(tuple(out + centre))


def _button(radius: float, x: float, y: float, z: float, thick: float = 0.5) -> kit.Solid:
    """A round plate that faces the viewer, its back at y."""
    return kit.cylinder(radius, thick, 0.1, 20).rotate((90.0, 0.0, 0.0)).translate((x, y, z))


def _duck(form: Form) -> Shape:
    size = form["head"]

    def tail_up(at: Floats) -> Floats:
        back = np.clip(at[:, 1] / 4.6, 0.0, 1.0)
        narrow = np.column_stack([1 - 0.55 * back**2, np.ones(len(at)), 1 - 0.35 * back**2])
        return np.asarray(at * narrow + np.outer(2.6 * back**3, (0.0, 0.0, 1.0)))

    body = kit.ellipsoid(3.5, 4.7, 2.9, 44).warp_batch(tail_up).translate((0.0, 0.3, 2.6))
    body = body.trim_by_plane((0.0, 0.0, 1.0), 0.25)
    at = (0.0, -2.1, 5.0 + 0.62 * size)
    head = kit.ball(size, 36).translate(at)
    throat = kit.curve([(2.4, 0.0), (0.8 * size, 1.6), (0.75 * size, 3.0)], 5)
    neck = kit.lathe([(0.0, 0.0), *throat, (0.0, 3.0)], 32).translate((0.0, -1.8, 3.2))
    wings = kit.both(kit.ellipsoid(0.7, 2.3, 1.4, 24).rotate((18.0, -8.0, 0.0)).translate((3.25, 0.8, 3.3)))
    beak = [
        kit.ellipsoid(wide, long, 0.3, 24).rotate((tilt, 0.0, 0.0)).translate((0.0, at[1] - 0.98 * size, at[2] + lift))
        for wide, long, tilt, lift in ((1.25, 1.75, -9.0, -0.12), (1.0, 1.35, 10.0, -0.5))
    ]
    gaze = (0.6, -0.74, 0.36)
    eyes, pupils = (
        kit.both(_bead(0.11 * size, at, (0.56, -0.76, 0.45), 1.05 * size)),
        kit.both(_bead(0.2 * size, at, gaze, 0.9 * size)),
    )
    return kit.stood(
        kit.part(kit.join(body, head, neck, *wings), crease=55.0),
        kit.part(kit.join(*beak), Paint("orange", "plastic")),
        kit.part(kit.join(*eyes), WHITE), kit.part(kit.join(*pupils), BLACK),
        pieces=[*kit.slices(body, 3, axis=1), *wings, kit.join(head, *eyes, *pupils).hull(), neck.hull(),
            kit.join(*beak).hull()],
        scale=form["length"] / 10,
    )  # fmt: skip


def _teddy(form: Form) -> Shape:
    fat = form["belly"]

    def lump(x: float, y: float, z: float, width: float, depth: float, height: float) -> kit.Solid:
        return kit.ellipsoid(width, depth, height, 24).translate((x, y, z))

    body = kit.ellipsoid(4.6 * fat, 4.2 * fat, 5.2, 32).translate((0.0, 0.0, 5.2))
    head = kit.ellipsoid(4.2, 3.8, 3.8, 32).translate((0.0, -0.4, 13.6))
    ears, inner = kit.both(lump(3.3, -0.2, 17.2, 1.6, 0.9, 1.6)), kit.both(lump(3.3, -0.8, 17.1, 1.0, 0.6, 1.0))
    arms = kit.both(kit.hull(lump(4.0, -0.4, 9.0, 1.5, 1.5, 1.5), lump(5.6, -3.6, 5.6, 1.6, 1.6, 1.6)))
    legs = kit.both(kit.hull(lump(2.8, -1.4, 2.0, 1.9, 1.9, 1.9), lump(3.7, -6.2, 2.3, 2.1, 1.6, 2.3)))
    soles = kit.both(lump(3.75, -7.35, 2.4, 1.5, 0.7, 1.65))
    muzzle, nose = lump(0.0, -3.7, 12.7, 1.9, 1.5, 1.4), lump(0.0, -5.1, 13.2, 0.75, 0.5, 0.5)
    tummy = lump(0.0, -2.95 * fat, 5.6, 3.1 * fat, 1.6, 3.5)
    eyes = kit.both(kit.ellipsoid(0.5, 0.4, 0.55, 16).translate((1.55, -3.75, 14.7)))
    return kit.stood(
        kit.part(kit.join(body, head, *ears, *arms, *legs)), kit.part(kit.join(nose, *eyes), BLACK),
        kit.part(kit.join(muzzle, tummy, *soles, *inner), Paint("beige", "fabric")),
        pieces=[kit.hull(body, tummy), head, *map(kit.hull, ears, inner), *arms, *map(kit.hull, legs, soles),
                kit.hull(muzzle, nose, *eyes)],
        scale=form["height"] / 18.8,
    )  # fmt: skip


def _robot(form: Form) -> Shape:
    width = 7.0 * form["width"]
    side = width / 2
    legs = kit.both(kit.slab(2.2, 2.6, 4.4, 0.3, 8).translate((0.54 * side, 0.0, 1.0)))
    feet = kit.both(kit.slab(2.8, 4.4, 1.5, 0.5, 8).translate((0.56 * side, -0.6, 0.0)))
    torso = kit.slab(width, 4.6, 6.6, 0.6).translate((0.0, 0.0, 5.0))
    head = kit.slab(0.72 * width, 4.2, 4.2, 0.6).translate((0.0, 0.0, 12.4))
    neck = kit.cylinder(1.0, 1.4, segments=24).translate((0.0, 0.0, 11.4))
    path = kit.curve([(0.96 * side, 0.0, 10.6), (side + 1.6, 0.0, 9.6), (side + 1.7, -1.6, 6.8)], 4)
    arms, hands = (
        kit.both(kit.tube(path, 0.7, sides=12)),
        kit.both(kit.ball(1.15, 16).translate((side + 1.7, -1.8, 6.4))),
    )
    antenna = kit.cylinder(0.22, 2.4, segments=16).translate((0.0, 0.0, 16.4))
    bulb = kit.ball(0.75, 16).translate((0.0, 0.0, 19.25))
    eyes, pupils = (
        kit.both(_button(size, 0.34 * side, -1.95, 14.9, thick)) for size, thick in ((0.85, 0.5), (0.4, 0.7))
    )
    mouth = kit.slab(0.36 * width, 0.6, 0.6, 0.2, 8).translate((0.0, -2.0, 13.1))
    panel = kit.slab(0.66 * width, 0.6, 3.6, 0.25, 8).translate((0.0, -2.25, 6.6))
    lights = {"red": -0.4, "yellow": 0.0, "green": 0.4}
    knobs = {colour: _button(0.5, x * side, -2.5, 9.2, 0.35) for colour, x in lights.items()}
    dial = _button(0.8, 0.0, -2.5, 7.7, 0.35)
    return kit.stood(
        kit.part(torso + head), kit.part(kit.join(neck, antenna, panel, *legs, *arms), STEEL),
        kit.part(kit.join(mouth, *feet, *hands, *pupils), BLACK), kit.part(kit.join(dial, *eyes), WHITE),
        kit.part(bulb, RED),
        *(kit.part(knob, Paint(colour, "plastic")) for colour, knob in knobs.items()),
        pieces=[kit.hull(torso, panel, dial, *knobs.values()), kit.hull(head, mouth, *eyes, *pupils), neck, *legs,
            *feet,
                *hands, *kit.slices(arms[0], 2), *kit.slices(arms[1], 2), antenna, bulb],
        scale=form["height"] / 20,
    )  # fmt: skip


def _snowman(form: Form) -> Shape:
    low, middle, small = 4.9, 4.9 * form["waist"], 2.75
    waist, face = 4.5 + 0.78 * (low + middle), 4.5 + 0.78 * (low + 2 * middle + small)
    balls = [
        kit.ball(radius, 36).translate((0.0, 0.0, z)).trim_by_plane((0.0, 0.0, 1.0), 0.0)
        for radius, z in ((low, 4.5), (middle, waist), (small, face))
    ]
    brim = face + 0.72 * small
    felt = [(0.0, 0.0), (3.3, 0.0), (3.3, 0.4), (2.1, 0.4), (2.0, 3.4), (0.0, 3.4)]
    hat = kit.lathe(kit.rounded(felt, 0.18, 2, closed=False), 40).translate((0.0, 0.0, brim))
    band = kit.cylinder(2.16, 0.9, segments=40).translate((0.0, 0.0, brim + 0.4))
    nose = kit.cone(0.55, 2.6, 0.08, 20).rotate((90.0, 0.0, 0.0)).translate((0.0, -0.92 * small, face))
    eyes = kit.both(_bead(0.36, (0.0, 0.0, face), (0.36, -1.0, 0.36), small))
    buttons = [_bead(0.42, (0.0, 0.0, waist), (0.0, -1.0, up), middle) for up in (-0.25, 0.15, 0.6)]
    throat = (waist + 0.78 * middle + face - 0.78 * small) / 2
    scarf = kit.torus(2.35, 0.75, 36, 14).translate((0.0, 0.0, throat))
    end = kit.slab(1.5, 0.8, 3.6, 0.35, 8).rotate((-14.0, 8.0, 0.0)).translate((1.5, -2.8, throat - 3.4))
    hand = np.array([6.6, -0.5, waist + 2.6])
    arm = kit.tube(kit.curve(np.array([(0.8 * middle, 0.0, waist), (5.0, 0.0, waist + 1.2), hand]), 3), 0.24, sides=8)
    twigs = [
        kit.tube([hand - (0.92, 0.0, 0.55), hand + tip], 0.18, sides=8) for tip in ((0.9, 0, -0.3), (-0.1, 0, 1.2))
    ]
    arms = kit.both(kit.join(arm, *twigs))
    return kit.stood(
        kit.part(kit.join(*balls), Paint("white", "plaster")),
        kit.part(kit.join(scarf, end, band), Paint("red", "fabric")),
        kit.part(hat, Paint("black", "fabric")), kit.part(nose, Paint("orange", "plastic")),
        kit.part(kit.join(*eyes, *buttons), Paint("black", "stone")),
        kit.part(kit.join(*arms), Paint("brown", "wooden")),
        pieces=[*(snow.hull() for snow in balls), *kit.slices(hat + band, 2), nose, kit.hull(scarf, end),
                *(arm.hull() for arm in arms), *eyes, *buttons],
        scale=form["height"] / 20,
    )  # fmt: skip


def _house(form: Form) -> Shape:
    depth, wall, pitch = 10.0 * form["depth"], 10.0 * form["walls"], form["pitch"]
    ridge, front = wall + 5.0 * pitch, -5.0 * form["depth"]

    def along(outline: list[tuple[float, float]], long: float) -> kit.Solid:
        """A prism from the front to the back over an outline (x, z)."""
        return kit.extrude(outline, long).translate((0.0, 0.0, -long / 2)).rotate((90.0, 0.0, 0.0))

    walls = along([(-5.0, 0.0), (5.0, 0.0), (5.0, wall), (0.0, ridge), (-5.0, wall)], depth)
    eave = wall - 0.4 * pitch
    slopes = kit.both(along([(5.4, eave), (5.4, eave + 0.7), (0.0, ridge + 0.7), (0.0, ridge)], depth + 0.8))
    chimney = kit.join(
        kit.slab(1.4, 1.4, ridge + 1.5 - wall).translate((2.4, 0.15 * depth, wall)),
        kit.slab(1.8, 1.8, 0.4).translate((2.4, 0.15 * depth, ridge + 1.4)),
    )
    outline = kit.rounded([(-1.1, -1.0), (1.1, -1.0), (1.1, 4.0), (-1.1, 4.0)], 0.9, 5)
    door = kit.extrude(outline, 0.4).rotate((90.0, 0.0, 0.0)).translate((0.0, front + 0.2, 0.0))
    door = door.trim_by_plane((0.0, 0.0, 1.0), 0.02)
    knob = kit.ball(0.2, 16).translate((0.7, front - 0.25, 2.0))
    frame = kit.slab(2.0, 0.3, 2.2) - kit.join(
        *kit.both(kit.slab(0.74, 1.0, 0.84).translate((0.47, 0.0, 0.18))),
        *kit.both(kit.slab(0.74, 1.0, 0.84).translate((0.47, 0.0, 1.18))),
    )
    pane = kit.slab(1.8, 0.16, 2.0).translate((0.0, 0.0, 0.1))
    frames, panes = (
        [side for y in (front, -front) for side in kit.both(solid.translate((3.0, y, 0.3 * wall)))]
        for solid in (frame, pane)
    )
    return kit.stood(
        kit.part(kit.join(walls, chimney)), kit.part(kit.join(*slopes), Paint("#a8432f", "plastic")),
        kit.part(door, Paint("brown", "wooden")), kit.part(kit.join(*frames), WHITE),
        kit.part(kit.join(*panes), Paint("cyan", "ceramic")),
        kit.part(knob, Paint("yellow", "metal")),
        pieces=[walls, *slopes, chimney.hull(), kit.hull(door, knob), *(frame.hull() for frame in frames)],
        scale=form["width"] / 10,
    )  # fmt: skip


CATEGORIES = (
    Category("rubber duck", "toys", {"length": (0.08, 0.12), "head": (2.2, 2.7)}, _duck, ("rubber", "plastic"),
             ("yellow", "pink", "blue", "green", "purple", "white", "cyan", "lime"), front=True, density=300.0),
    Category("teddy bear", "toys", {"height": (0.16, 0.28), "belly": (0.9, 1.1)}, _teddy, ("fabric",),
             ("brown", "white", "grey", "pink", "blue", "red", "purple", "green"), front=True, density=200.0),
    Category("toy robot", "toys", {"height": (0.13, 0.2), "width": (0.9, 1.15)}, _robot, ("metal", "plastic"), ANY,
             front=True),
    Category("snowman", "toys", {"height": (0.14, 0.22), "waist": (0.7, 0.82)}, _snowman, ("plaster",),
             front=True, density=400.0, plural="snowmen"),
    Category("toy house", "toys", {"width": (0.1, 0.15), "depth": (0.8, 1.1), "walls": (0.55, 0.75),
             "pitch": (0.75, 1.05)}, _house, ("wooden", "plastic"), ANY, front=True, density=400.0),
)  # fmt: skip
"""Of the nursery."""
