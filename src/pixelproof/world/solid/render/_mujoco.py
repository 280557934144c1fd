"""MuJoCo's OpenGL renderer, for comparison or for rendering on a GPU.

MuJoCo renders RGB, depth and ids. It has no normals and no amodal masks, so these layers come from our renderer; and it
has no procedural textures or text, so things have uniform colours.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.pixels import linear_to_srgb
from pixelproof.world._extra import need
from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Light, Scene
from pixelproof.world.solid.shapes import shape_of

from ._layers import LAYERS, Layers, require_possible
from ._meshes import Meshes, meshes
from ._render import render as render_ours

_SAMPLES = {"draft": (4, 2048), "beauty": (8, 4096)}
"""Samples per pixel, and side of the shadow map."""
_NEAR, _FAR = 0.02, 100.0
_SKY, _LAMP = 0.30, 0.60
"""Factors that match the brightness of our renderer."""


def render(
    scene: Scene,
    width: int = 512,
    height: int | None = None,
    quality: str = "beauty",
    *,
    layers: Collection[str] = LAYERS,
) -> Layers:
    """Render a scene with MuJoCo.

    Raises:
        PixelProofError: The size, the quality or a layer is not possible, there is no OpenGL, or MuJoCo is not
            installed.
    """
    height = width if height is None else height
    require_possible(width, height, quality, layers)
    asked = set(layers) | ({"amodal"} if "visible" in layers else set())
    ours = render_ours(scene, width, height, "draft", layers=asked & {"normals", "amodal"})
    view = MujocoView(scene, width, height, quality)
    try:
        rgb, depth, ids = view.render_passes()
    finally:
        view.close()
    return _layers(scene, rgb, depth, ids, ours, layers)


def _layers(scene: Scene, rgb: Any, depth: Any, ids: Any, ours: Layers, wanted: Collection[str]) -> Layers:
    visible = np.zeros(len(scene.things), np.float32)
    if "visible" in wanted:
        whole = ours.amodal.sum(axis=(1, 2))
        seen = np.bincount(ids.ravel(), minlength=len(scene.things) + 1)[1:]
        np.divide(seen, whole, out=visible, where=whole > 0, casting="unsafe")
    made = Layers(rgb, depth, ours.normals, ids, ours.amodal, visible)
    return replace(made, **{name: np.empty(0, getattr(made, name).dtype) for name in LAYERS if name not in wanted})


class MujocoView:
    """A scene compiled for MuJoCo, with an offscreen renderer."""

    def __init__(self, scene: Scene, width: int, height: int, quality: str = "beauty") -> None:
        self._mujoco = need("mujoco")
        mesh = meshes(scene, shape_of)
        self._model = _model(self._mujoco, scene, mesh, (width, height), quality)
        self._thing = mesh.thing + 1
        self._data = self._mujoco.MjData(self._model)
        self._mujoco.mj_forward(self._model, self._data)
        try:
            self._window = self._mujoco.Renderer(self._model, height, width)
        except Exception as error:  # what is raised depends on the library that is missing
            raise PixelProofError(
                f"MuJoCo's renderer cannot use OpenGL ({error}): install EGL or OSMesa and set MUJOCO_GL to egl or "
                "osmesa, or use the renderer embree, which needs neither."
            ) from error

    def render_passes(self) -> tuple[Any, Any, Any]:
        """Render RGB, depth and ids, one pass each."""
        window = self._window
        window.update_scene(self._data, camera="eye")
        rgb = window.render().copy()
        window.enable_depth_rendering()
        depth = window.render().copy()
        window.disable_depth_rendering()
        window.enable_segmentation_rendering()
        geom = window.render()[..., 0].copy()
        window.disable_segmentation_rendering()
        ids = np.where(geom >= 0, self._thing[geom], 0).astype(np.uint16)
        return rgb, np.where(geom >= 0, depth, np.inf).astype(np.float32), ids

    def close(self) -> None:
        """Release the OpenGL context."""
        self._window.close()


def _model(mujoco: Any, scene: Scene, mesh: Meshes, size: tuple[int, int], quality: str) -> Any:
    """A model of static geoms, one per surface, in the order of the surfaces; the camera is the origin."""
    spec = mujoco.MjSpec()
    samples, shadow = _SAMPLES[quality]
    spec.visual.quality.offsamples, spec.visual.quality.shadowsize = samples, shadow
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    spec.stat.extent = 1.0
    spec.visual.map.znear, spec.visual.map.zfar = _NEAR, _FAR
    _light(spec, mujoco, scene)
    for number in range(len(mesh.thing)):
        _add_surface(spec, mujoco, mesh, number)
    turn = rotation_matrix(scene.camera.rotation) @ np.diag([1.0, -1.0, -1.0])  # OpenGL looks along -z
    width, height = size
    fovy = 2 * np.degrees(np.arctan(height / (2 * scene.camera.focal * min(size))))
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn.ravel())
    spec.worldbody.add_camera(name="eye", pos=[0.0, 0.0, 0.0], quat=quat, fovy=fovy)
    return spec.compile()


def _add_surface(spec: Any, mujoco: Any, mesh: Meshes, number: int) -> None:
    chosen = mesh.surface == number
    corners = mesh.vertices[mesh.faces[chosen]].reshape(-1, 3)  # unshared vertices, each with its own normal
    places = np.arange(len(corners))
    name = f"surface-{number}"
    spec.add_mesh(
        name=name,
        uservert=corners.ravel(),
        userface=places,
        usernormal=mesh.normals[chosen].ravel(),
        userfacenormal=places,
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    material = mesh.materials[number]
    spec.add_material(
        name=name,
        rgba=[*_coded(mesh.colours[number]), 1.0],
        specular=min(1.0, 4 * material.specular + (1 - material.roughness) * 0.5),
        shininess=1 - material.roughness,
    )
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name, contype=0, conaffinity=0, name=name
    )


def _light(spec: Any, mujoco: Any, scene: Scene) -> None:
    sky = scene.environment
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=_coded(np.multiply(sky.zenith, sky.exposure)),
        rgb2=_coded(np.multiply(sky.horizon, sky.exposure)),
        width=64,
        height=64,
    )
    spec.visual.headlight.ambient = _coded(np.add(sky.zenith, sky.ground) * _SKY * sky.exposure)
    spec.visual.headlight.diffuse = spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    for light in scene.lights:
        place = np.subtract(light.position, scene.camera.position) if light.kind == "lamp" else np.zeros(3)
        direction_to = -np.asarray(light.position) if light.kind == "sun" else _aim(scene) - light.position
        spec.worldbody.add_light(
            pos=place,
            dir=direction_to / np.linalg.norm(direction_to),
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL if light.kind == "sun" else mujoco.mjtLightType.mjLIGHT_SPOT,
            cutoff=80.0,
            exponent=1.0,
            diffuse=_coded(_arriving(scene, light) * _LAMP),
            specular=[0.3, 0.3, 0.3],
            castshadow=True,
        )


def _arriving(scene: Scene, light: Light) -> Floats:
    """Irradiance of a light at the centre of the things: OpenGL lights do not follow the inverse square law."""
    far = 1.0 if light.kind == "sun" else float(np.linalg.norm(_aim(scene) - light.position))
    return np.multiply(light.power, scene.environment.exposure / far**2)


def _aim(scene: Scene) -> Floats:
    return np.asarray(np.mean([thing.position for thing in scene.movable or scene.things], axis=0))


def _coded(linear: Floats) -> list[float]:
    """sRGB-encoded values, which this OpenGL pipeline computes with."""
    coded: list[float] = linear_to_srgb(np.clip(linear, 0.0, 1.0)).tolist()
    return coded
