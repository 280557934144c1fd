"""Scenes of the world as MuJoCo renders them: other light, no textures, no lettering.

For measurements on pictures that are not from our renderer. Needs EGL (`MUJOCO_GL=egl`) or OSMesa.
"""

from __future__ import annotations

import math
import os

import numpy as np
import numpy.typing as npt

os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco  # noqa: E402

from pixelproof.world.solid import COLOURS, Scene, Thing, quaternion, rotation_matrix  # noqa: E402
from pixelproof.world.solid.shapes import shape_of  # noqa: E402

_FLIP = np.diag([1.0, -1.0, -1.0])
"""From the axes of MuJoCo's cameras (y up, looking along -z) to OpenCV's."""


def render_mujoco(scene: Scene, size: int) -> npt.NDArray[np.uint8]:
    """RGB of a scene from its camera, (size, size, 3)."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth = spec.visual.global_.offheight = size
    spec.visual.headlight.ambient = [0.5, 0.5, 0.5]
    spec.visual.headlight.diffuse = [0.2, 0.2, 0.2]
    spec.visual.quality.shadowsize = 2048
    spec.visual.map.znear = 0.01
    sky = [0.58, 0.57, 0.55]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=sky,
        rgb2=sky,
        width=16,
        height=16,
    )
    middle = np.mean([thing.centre for thing in scene.movable] or [(0.0, 0.0, 0.0)], axis=0)
    spec.stat.extent, spec.stat.center = 2.0, middle.tolist()
    for number, thing in enumerate(scene.things):
        _add(spec, thing, number)
    for light in scene.lights:
        sun = light.kind == "sun"
        place = np.asarray(light.position, np.float64) + (middle if sun else 0.0)
        aim = (middle - place) / max(1e-9, float(np.linalg.norm(middle - place)))
        spec.worldbody.add_light(
            pos=place.tolist(),
            dir=aim.tolist(),
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL if sun else mujoco.mjtLightType.mjLIGHT_SPOT,
            castshadow=True,
            cutoff=85.0,
            exponent=0.0,
            diffuse=[0.5, 0.5, 0.5],
            specular=[0.1, 0.1, 0.1],
        )
    camera = scene.camera
    spec.worldbody.add_camera(
        name="camera",
        pos=list(camera.position),
        quat=quaternion(rotation_matrix(camera.rotation) @ _FLIP),
        fovy=2 * math.degrees(math.atan(0.5 / camera.focal)),
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, size, size) as renderer:
        renderer.update_scene(data, "camera")
        return np.array(renderer.render())


def _add(spec: mujoco.MjSpec, thing: Thing, number: int) -> None:
    turn, place = rotation_matrix(thing.rotation), np.asarray(thing.position)
    for index, part in enumerate(shape_of(thing).parts):
        vertices = part.vertices @ (turn * thing.scale).T + place
        name = f"mesh{number}-{index}"
        mesh = spec.add_mesh(name=name, uservert=vertices.ravel().tolist(), userface=part.faces.ravel().tolist())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # thin parts have no volume
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            rgba=_rgba(part.paint.colour or thing.colour),
            contype=0,
            conaffinity=0,
        )


def _rgba(colour: str) -> list[float]:
    if colour.startswith("#"):
        rgb = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    else:
        rgb = list(COLOURS.get(colour, (150, 150, 150)))
    return [*(part / 255 for part in rgb), 1.0]
