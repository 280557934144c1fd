"""Pictures: truth against analytic boxes and spheres, light against known integrals, and the same bytes always."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.solid import (
    COLOURS,
    MATERIALS,
    Camera,
    Environment,
    Light,
    Scene,
    Thing,
    make_scene,
    rotation_matrix,
)
from pixelproof.world.solid._category import Label, Paint, Part, Shape
from pixelproof.world.solid.render import LAYERS, render

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])
FACES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
    [1, 5, 7], [1, 7, 3],
], np.int32)  # fmt: skip


def ball(rings=96):
    """A dense mesh of the ball of radius 0.5 on the ground."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, rings), np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False))
    vertices = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], -1) * 0.5
    index = np.arange(2 * rings * rings).reshape(2 * rings, rings)
    index[:, 0], index[:, -1] = index[0, 0], index[0, -1]
    a, b, c, d = index[:, :-1], np.roll(index, -1, 0)[:, :-1], np.roll(index, -1, 0)[:, 1:], index[:, 1:]
    faces = np.concatenate([np.stack([a, d, c], -1).reshape(-1, 3), np.stack([a, c, b], -1).reshape(-1, 3)])
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    return Part(vertices.reshape(-1, 3) + (0, 0, 0.5), faces.astype(np.int32), crease=60)


SHAPES = {"block": Shape((Part(CORNERS, FACES),)), "ball": Shape((ball(),))}


def shape_of(thing):
    shape = SHAPES[thing.category]
    if thing.category == "ball":
        return shape
    parts = tuple(Part(part.vertices * np.divide(thing.size, thing.scale), part.faces) for part in shape.parts)
    return Shape(parts, labels=(Label((0, -thing.size[1] / 2, thing.size[2] / 2), (0, -1, 0), (0, 0, 1), 0.8, 0.5),))


def block(id, position, size=(1.0, 1.0, 1.0), rotation=(1.0, 0.0, 0.0, 0.0), colour="red", material="plastic", **more):
    return Thing(id, "block", colour, material, size, position, rotation, **more)


LAMP = Light((-2.0, -3.0, 4.0), 0.3, (12.0, 11.0, 10.0))


def scene_of(*things, camera=None, lights=(LAMP,), **more):
    camera = camera or Camera.looking_at((0.0, 0.0, 0.5), (1.0, -4.0, 2.5))
    return Scene("tabletop", 0, 0, tuple(things), camera, lights, **more)


def take(scene, width=64, height=None, quality="draft", **more):
    return render(scene, width, height, quality, shape_of=shape_of, **more)


FLOOR = block("floor", (0.0, 0.0, -0.1), (9.0, 9.0, 0.1), colour="beige", material="wooden", fixed=True)
STILL = scene_of(
    FLOOR, block("a", (0.0, 0.0, 0.0), text="Hi"), block("b", (0.4, -1.4, 0.0), (0.4, 0.3, 0.5), colour="blue")
)

LARGE = pytest.param((1024, 1024), marks=pytest.mark.slow)

unit = st.floats(-1, 1)
spin = (
    st.tuples(unit, unit, unit, unit)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: tuple((np.array(q) / np.linalg.norm(q)).tolist()))
)
blocks = st.lists(
    st.tuples(st.tuples(unit, unit, unit), st.tuples(*[st.floats(0.1, 1.2)] * 3), spin), min_size=1, max_size=4
)


def boxes(text_pyramid):
    return scene_of(*(block(f"box-{i}", *each) for i, each in enumerate(text_pyramid)))


def rays_of(scene, width, height):
    """Rays through pixel centres in the world, with depth one along the optical axis."""
    v, u = np.mgrid[:height, :width] + 0.5
    inverse = np.linalg.inv(scene.camera.intrinsics(width, height))
    return np.stack([u, v, np.ones_like(u)], -1) @ inverse.T @ rotation_matrix(scene.camera.rotation).T


def slab_hit(scene, thing, rays):
    """Depth and normal of each ray's first hit with a block, by the slabs of its three pairs of sides."""
    turn = rotation_matrix(thing.rotation)
    middle = np.array(thing.position) + turn @ (0, 0, thing.size[2] / 2)
    start, ways = (np.array(scene.camera.position) - middle) @ turn, rays @ turn
    with np.errstate(divide="ignore"):
        sides = (np.stack([-np.array(thing.size) / 2, np.array(thing.size) / 2], -1) - start[:, None]) / ways[..., None]
    enter, leave = sides.min(-1), sides.max(-1)
    axis, near, far = enter.argmax(-1), enter.max(-1), leave.min(-1)
    normal = -np.sign(np.take_along_axis(ways, axis[..., None], -1)) * np.eye(3)[axis]
    return np.where((near < far) & (near > 0), near, np.inf), normal @ turn.T


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(blocks)
def test_blocks_are_where_geometry_says(text_pyramid):
    scene = boxes(text_pyramid)
    layers = take(scene, 48, 40, layers=LAYERS[1:])
    rays, camera = rays_of(scene, 48, 40), rotation_matrix(scene.camera.rotation)
    found = [slab_hit(scene, thing, rays) for thing in scene.things]
    depths = np.stack([depth for depth, _ in found])
    ordered = np.sort(np.concatenate([depths, np.full((1, 40, 48), np.inf)]), axis=0)
    expected = np.where(np.isfinite(ordered[0]), depths.argmin(0) + 1, 0)
    # A silhouette through a pixel's very centre, or two sides at one depth, may go either way.
    tied = (ordered[1] < np.inf) & np.isclose(ordered[0], ordered[1], rtol=0, atol=1e-6)
    sure = ~_beside_edges(scene, 48, 40) & ~tied
    assert np.array_equal(layers.ids[sure], expected[sure])
    seen = sure & (expected > 0)
    assert np.allclose(layers.depth[seen], ordered[0][seen], rtol=1e-6, atol=1e-6)
    nearest = np.maximum(expected - 1, 0), *np.indices(expected.shape)
    normals = np.stack([normal for _, normal in found])[nearest] @ camera
    assert np.allclose(layers.normals[seen], normals[seen], atol=1e-5)
    for number, depth in enumerate(depths):
        assert np.array_equal(layers.amodal[number][sure], np.isfinite(depth)[sure])


def _beside_edges(scene, width, height):
    """Pixels whose centre is within a ten-thousandth of a pixel of an edge of a block."""
    v, u = np.mgrid[:height, :width] + 0.5
    near = np.zeros((height, width), bool)
    for thing in scene.things:
        corners = (CORNERS * thing.size) @ rotation_matrix(thing.rotation).T + thing.position
        pixels = scene.camera.project(corners, width, height)
        for one, two in {tuple(sorted(pair)) for face in FACES for pair in zip(face, np.roll(face, 1), strict=True)}:
            a, b = pixels[one, :2], pixels[two, :2]
            way = (b - a) / max(np.hypot(*(b - a)), 1e-12)
            near |= np.abs(way[0] * (v - a[1]) - way[1] * (u - a[0])) < 1e-4
    return near


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(blocks)
def test_masks_hold_what_is_visible_and_lie_in_projected_boxes(text_pyramid):
    scene = boxes(text_pyramid)
    layers = take(scene, 40, 56, layers=LAYERS[1:])
    for number, thing in enumerate(scene.things):
        mine = layers.ids == number + 1
        assert not (mine & ~layers.amodal[number]).any()
        alone = take(scene_of(thing, camera=scene.camera), 40, 56, layers=["ids"]).ids
        assert np.array_equal(alone == 1, layers.amodal[number])
        if mask := layers.amodal[number].sum():
            assert layers.visible[number] == pytest.approx(mine.sum() / mask)
        corners = (CORNERS * thing.size) @ rotation_matrix(thing.rotation).T + thing.position
        pixels = scene.camera.project(corners, 40, 56)[:, :2]
        rows, columns = np.nonzero(layers.amodal[number])
        if len(rows):
            assert pixels[:, 0].min() <= columns.min() + 0.5 and columns.max() + 0.5 <= pixels[:, 0].max()
            assert pixels[:, 1].min() <= rows.min() + 0.5 and rows.max() + 0.5 <= pixels[:, 1].max()


def test_a_ball_is_where_geometry_says():
    thing = Thing("ball", "ball", "green", "rubber", (1.4, 1.4, 1.4), (0.2, 0.1, 0.0), scale=1.4)
    scene = scene_of(thing)
    layers = take(scene, 96, layers=LAYERS[1:])
    rays = rays_of(scene, 96, 96)
    start = np.array(scene.camera.position) - (0.2, 0.1, 0.7)
    a, b, c = (rays**2).sum(-1), rays @ start, start @ start - 0.7**2
    inside = b * b - a * c
    depth = np.where(inside > 0, (-b - np.sqrt(np.maximum(inside, 0))) / a, np.inf)
    assert (np.isfinite(depth) != (layers.ids == 1)).mean() < 0.002
    both = np.isfinite(depth) & (layers.ids == 1)
    facing = both & (inside > 0.2)  # where the ball is not seen edge-on
    assert np.abs(depth[facing] - layers.depth[facing]).max() < 0.002
    normals = ((start + rays * depth[..., None]) / 0.7)[facing] @ rotation_matrix(scene.camera.rotation)
    assert (normals * layers.normals[facing]).sum(-1).min() > 0.9999


@pytest.mark.parametrize("rings", [7, 12, 40])
def test_normals_do_not_look_away(rings, monkeypatch):
    """Those of a coarse ball lean over the horizons of its flat triangles."""
    monkeypatch.setitem(SHAPES, "ball", Shape((ball(rings),)))
    scene = scene_of(Thing("a", "ball", "red", "rubber", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), symmetry="SO3"))
    layers = take(scene, 200, layers=["normals", "ids"])
    seen, rays = layers.ids > 0, rays_of(scene, 200, 200) @ rotation_matrix(scene.camera.rotation)
    direction_to = -(layers.normals * rays).sum(-1)[seen] / np.linalg.norm(rays, axis=-1)[seen]
    assert direction_to.min() > -1e-6
    np.testing.assert_allclose(np.linalg.norm(layers.normals[seen], axis=-1), 1, atol=1e-6)


def test_projection_agrees_with_the_camera():
    camera = Camera.looking_at((0.0, 0.0, 0.5), (1.3, -4.0, 2.5), 1.7)
    speck = block("speck", (0.31, -0.2, 0.66), (0.004, 0.004, 0.004))
    layers = take(scene_of(speck, camera=camera), 701, 433, layers=["ids", "depth"])
    x, y, depth = camera.project([[0.31, -0.2, 0.662]], 701, 433)[0]
    rows, columns = np.nonzero(layers.ids)
    assert abs(columns.mean() + 0.5 - x) < 0.5 and abs(rows.mean() + 0.5 - y) < 0.5
    assert abs(layers.depth[rows, columns].mean() - depth) < 0.004


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (33, 18), (64, 64), LARGE])
@pytest.mark.parametrize("quality", ["draft", "beauty"])
def test_any_size(size, quality):
    layers = take(STILL, *size, quality=quality)
    width, height = size
    assert layers.rgb.shape == (height, width, 3) and layers.rgb.dtype == np.uint8
    assert layers.depth.shape == layers.ids.shape == (height, width)
    assert layers.depth.dtype == np.float32 and layers.ids.dtype == np.uint16
    assert layers.normals.shape == (height, width, 3) and layers.amodal.shape == (3, height, width)
    assert not layers.amodal[0].any() and layers.visible[0] == 0


def test_layers_that_are_not_asked_for_are_empty():
    layers = take(STILL, 16, layers=["ids", "visible"])
    assert layers.ids.shape == (16, 16) and layers.visible[1] > 0.5
    assert layers.rgb.size == layers.depth.size == layers.normals.size == layers.amodal.size == 0


def test_truth_does_not_depend_on_quality():
    draft, beauty = take(STILL, 40), take(STILL, 40, quality="beauty")
    for name in LAYERS[1:]:
        assert np.array_equal(getattr(draft, name), getattr(beauty, name))


def test_an_empty_scene_is_sky():
    layers = take(scene_of(), 20)
    assert not layers.ids.any() and np.isinf(layers.depth).all() and not layers.normals.any()
    assert layers.amodal.shape == (0, 20, 20) and layers.rgb.min() > 50


def test_a_thing_behind_the_camera_is_not_seen():
    layers = take(scene_of(block("behind", (2.0, -8.0, 3.0))), 24, quality="beauty")
    assert not layers.ids.any() and layers.visible.tolist() == [0.0]


@pytest.mark.parametrize("quality", ["draft", "beauty"])
def test_a_camera_inside_a_thing_sees_it_from_within(quality):
    layers = take(scene_of(block("room", (0.0, 0.0, -5.0), (20.0, 20.0, 20.0))), 24, quality=quality)
    assert (layers.ids == 1).all() and layers.amodal.all()
    assert (layers.normals[..., 2] < 0).all(), "the sides that are seen face the camera"


def test_a_thing_around_the_camera_plane_is_whole():
    scene = scene_of(block("long", (1.0, -4.0, 1.0), (0.5, 9.0, 0.3)))
    layers = take(scene, 64, layers=LAYERS[1:])
    depth, _ = slab_hit(scene, scene.things[0], rays_of(scene, 64, 64))
    assert np.array_equal(layers.ids == 1, np.isfinite(depth)) and (layers.ids == 1).any()


def test_the_same_scene_from_its_file_gives_the_same_bytes():
    again = Scene.from_json(STILL.to_json())
    one, two = take(STILL, 48, 32, quality="beauty"), take(again, 48, 32, quality="beauty")
    assert all(getattr(one, name).tobytes() == getattr(two, name).tobytes() for name in LAYERS)


@pytest.mark.slow
def test_two_processes_give_identical_bytes(programs):
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]);"
        "from test_render import STILL, LAYERS, take;"
        "layers = take(STILL, 160, 120, quality='beauty');"
        "print(hashlib.sha256(b''.join(getattr(layers, name).tobytes() for name in LAYERS)).hexdigest())"
    )
    here = str(Path(__file__).parent)
    command = [programs / "python", "-c", code, here]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    layers = take(STILL, 160, 120, quality="beauty")
    mine = hashlib.sha256(b"".join(getattr(layers, name).tobytes() for name in LAYERS)).hexdigest()
    assert {run.stdout.strip() for run in runs} == {mine}


def linear_of(rgb):
    share = np.asarray(rgb) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("quality", ["draft", "beauty"])
def test_a_convex_thing_in_even_light_has_its_own_colour(quality):
    """The white furnace: with the same light from everywhere, a matt surface shows its colour on all sides."""
    even = Environment((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
    thing = Thing("ball", "ball", "green", "paper", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    layers = take(scene_of(thing, lights=(), environment=even), 64, quality=quality)
    inside = (layers.ids == 1) & (layers.normals[..., 2] < -0.6)
    shown = linear_of(layers.rgb[inside])
    assert np.abs(shown - 0.5 * linear_of(COLOURS["green"])).max() < 0.02


def test_half_shadow_is_the_share_of_the_lamp_that_is_seen():
    """Beside the shadow of a long edge, the seen share of a round lamp is that of a disc cut by a straight line."""
    from pixelproof.world.solid.render._hits import Hits, Lens
    from pixelproof.world.solid.render._meshes import meshes
    from pixelproof.world.solid.render._shading import lamps
    from pixelproof.world.solid.render._shadows import shadows
    from pixelproof.world.solid.render._smooth import tile_places
    from pixelproof.world.solid.render._structure import Caster

    camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -0.5, 3.0))
    screen = block("screen", (-2.0, 0.0, 1.0), (4.0, 8.0, 0.001))  # its edge is at x = 0, one metre up
    floor = block("floor", (0.0, 0.0, -0.1), (8.0, 8.0, 0.1))
    scene = scene_of(floor, screen, camera=camera, lights=(Light((0.0, 0.0, 3.0), 0.2, (1.0, 1.0, 1.0)),))
    mesh, lens = meshes(scene, shape_of), Lens.of(camera, 320, 320)
    caster, rays = Caster(mesh.vertices, mesh.faces), lens.centres()
    hits = Hits.of(mesh, rays, caster.intersect(np.zeros_like(rays), rays))
    seen = shadows(caster, lamps(scene), hits, lens, tile_places(320, 320, 1), 4, 16)[:, 0]
    x, y, z = (hits.points + np.array(camera.position)).T
    floor_seen = (hits.surface == 0) & (np.abs(y) < 0.3)
    # The plane through a point of the floor and the edge meets the lamp's disc where x is minus twice the point's.
    cut = np.clip(-2 * x / 0.2, -1, 1)
    share = (np.arccos(cut) - cut * np.sqrt(1 - cut**2)) / np.pi
    wrong = np.abs(seen - share)[floor_seen]
    assert (share[floor_seen] > 0.02).any() and (share[floor_seen] < 0.98).any()
    assert wrong.max() < 0.1 and wrong.mean() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("material", sorted(MATERIALS))
@pytest.mark.parametrize("colour", ["red", "white", "navy", "beige"])
def test_textures_keep_the_colour_of_the_word(material, colour):
    from pixelproof.world.solid.render._labels import labels
    from pixelproof.world.solid.render._meshes import meshes
    from pixelproof.world.solid.render._painting import paints, surface_colours

    scene = scene_of(block("wall", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), colour=colour, material=material))
    mesh = meshes(scene, shape_of)
    v, u = np.mgrid[:160, :160] / 160.0
    front = np.stack([u.ravel() - 0.5, np.full(u.size, -0.5), v.ravel()], -1) - scene.camera.position
    normals = np.tile(np.float32([0, -1, 0]), (u.size, 1))
    rays = np.tile(np.float32([0, 1, 0]), (u.size, 1))
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    surface = np.zeros(u.size, np.int32)
    args = surface, front.astype(np.float32), normals, rays, turn, 0.001, 4
    colours, tilted = surface_colours(paints(scene, mesh), labels(scene, shape_of), *args)
    assert np.allclose(np.linalg.norm(tilted, axis=1), 1, atol=1e-5)
    mean = colours.mean(axis=0)
    shown = np.where(mean <= 0.0031308, 12.92 * mean, 1.055 * np.maximum(mean, 0) ** (1 / 2.4) - 0.055) * 255
    assert np.abs(shown - COLOURS[colour]).max() < 48
    others = {word: np.abs(shown - code).sum() for word, code in COLOURS.items()}
    assert min(others, key=others.get) == colour


def test_letters_are_ink_on_the_thing():
    camera = Camera.looking_at((0.0, 0.0, 0.5), (0.0, -4.0, 0.9), 2.4)
    plain, written = (
        take(scene_of(block("a", (0.0, 0.0, 0.0), colour="white", text=text), camera=camera), 128, quality="beauty").rgb
        for text in ("", "HELLO")
    )
    ink = (plain.astype(int) - written).mean(-1) > 60
    rows, columns = np.nonzero(ink)
    assert 0.005 < ink.mean() < 0.2
    assert abs(columns.mean() - 64) < 4 and columns.max() - columns.min() > 50, "the word fills its label"


def test_text_is_filtered_not_sampled():
    from pixelproof.world.solid.render._labels import SIDE, text_pyramid

    pyramid = text_pyramid("PIXELS", 2.0)
    top, size, means = 0, SIDE, []
    while size:
        means.append(float(pyramid[top : top + size, :size].mean()))
        top, size = top + size, size // 2
    assert np.allclose(means, means[0], atol=1e-4) and 0.05 < means[0] < 0.6


def test_creases_stay_sharp_and_curves_smooth():
    from pixelproof.world.solid.render._meshes import corner_normals

    cube = corner_normals(CORNERS, FACES, np.cos(np.radians(40)))
    assert np.allclose(np.abs(cube).max(-1), 1)
    part = ball(24)
    normals = corner_normals(part.vertices, part.faces, np.cos(np.radians(60)))
    exact = (part.vertices - (0, 0, 0.5))[part.faces] / 0.5
    assert (normals * exact).sum(-1).min() > 0.995


def test_paint_of_a_part_overrides_that_of_its_thing():
    halves = Shape((Part(CORNERS, FACES, Paint("#00ff00", "paper")), Part(CORNERS + (1.0, 0, 0), FACES)))
    scene = scene_of(block("a", (0.0, 0.0, 0.0), colour="red"), lights=())
    layers = render(scene, 48, quality="draft", shape_of=lambda thing: halves)
    seen = layers.rgb[layers.ids == 1].astype(int)
    assert (seen[:, 1] > 2 * seen[:, 0]).any() and (seen[:, 0] > 2 * seen[:, 1]).any()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": 0}, "0 × 0"),
        ({"quality": "best"}, "quality 'best'"),
        ({"layers": ["rgb", "flow"]}, "layer 'flow'"),
    ],
)
def test_wrong_wishes_are_answered_in_a_sentence(change, words):
    with pytest.raises(PixelProofError, match=words):
        render(STILL, **{"shape_of": shape_of, **change})


def test_unknown_words_are_answered_in_a_sentence():
    for wrong in ({"colour": "mauve"}, {"colour": "#12"}, {"material": "jelly"}):
        with pytest.raises(PixelProofError, match="mauve|#12|jelly"):
            take(scene_of(block("a", (0.0, 0.0, 0.0), **wrong)), 8)


def test_a_missing_library_is_named(monkeypatch):
    from pixelproof.world._extra import need

    monkeypatch.setitem(sys.modules, "embreex", None)
    with pytest.raises(PixelProofError, match=r"The solid world needs embreex: run pip install 'pixelproof\[world\]'"):
        need("embreex")


@pytest.mark.slow
def test_it_tells_whether_it_has_yet_to_be_compiled(tmp_path):
    code = (
        "from pixelproof.world.solid import Camera, Scene\n"
        "from pixelproof.world.solid.render import compiles, render\n"
        "print(compiles(['ids']), compiles())\n"
        "render(Scene('tabletop', 0, 0, (), Camera.looking_at((0, 0, 0), (0, -1, 1)), ()), 8, layers=['ids'])\n"
        "print(compiles(['ids']), compiles())"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["True", "True", "False", "True"], done.stderr


@pytest.mark.slow
def test_importing_the_solid_world_is_light():
    code = "import pixelproof.world.solid, pixelproof.world.solid.render, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "embreex", "mujoco", "manifold3d"} & set(loaded)


@pytest.mark.soak
def test_memory_stays_flat():
    import os

    resident = []
    for index in range(40 * int(os.environ.get("PIXELPROOF_SOAK", "2"))):
        take(boxes([((0.01 * index % 1, 0.0, 0.0), (0.5, 0.5, 0.5), (0.8, 0.0, 0.0, 0.6))]), 64)
        with open("/proc/self/statm") as file:
            resident.append(int(file.read().split()[1]) * 4096)
    assert resident[-1] - resident[len(resident) // 2] < 4 << 20


@pytest.mark.slow
def test_the_light_of_a_draft_does_not_depend_on_the_size():
    """Indirect light is gathered on a grid that is a share of the picture: corners are as dark in small pictures."""
    room = make_scene("room", 7, 1)
    small, large = (_draft(room, side) / 255 for side in (256, 512))
    shrunk = large.reshape(256, 2, 256, 2, 3).mean(axis=(1, 3))
    halves = [picture.reshape(128, 2, 128, 2, 3).mean(axis=(1, 3)) for picture in (small, shrunk)]
    apart = np.sqrt(np.mean((halves[0] - halves[1]) ** 2, axis=-1))
    assert (apart > 0.05).mean() < 0.01, "with a grid of 4 pixels in both, it is 0.015"


def _draft(scene, side):
    return render(scene, side, quality="draft", layers=("rgb",), steady=True).rgb
