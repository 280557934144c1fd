"""MuJoCo's OpenGL renderer, to compare ours with: RGB, depth and ids of the same triangles, without textures."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from pixelproof.pixels import linear_to_srgb
from pixelproof.world.solid import Light, Scene, rotation_matrix
from pixelproof.world.solid.render._meshes import Meshes, meshes
from pixelproof.world.solid.shapes import shape_of

Floats = npt.NDArray[np.float64]

_SAMPLES, _SHADOW_SIDE = 8, 4096
"""Samples per pixel, and side of the shadow map."""
_NEAR, _FAR = 0.02, 100.0
_SKY, _LAMP = 0.30, 0.60
"""Factors that match the brightness of our renderer."""


class MujocoView:
    """A scene compiled for MuJoCo, with an offscreen renderer; raises where there is no OpenGL."""

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        mesh = meshes(scene, shape_of)
        self._thing = mesh.thing + 1
        model = _model(scene, mesh, (width, height))
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        self._window = mujoco.Renderer(model, height, width)

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


def _model(scene: Scene, mesh: Meshes, size: tuple[int, int]) -> Any:
    """A model of static geoms, one per surface, in the order of the surfaces; the camera is the origin."""
    spec = mujoco.MjSpec()
    spec.visual.quality.offsamples, spec.visual.quality.shadowsize = _SAMPLES, _SHADOW_SIDE
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    spec.stat.extent = 1.0
    spec.visual.map.znear, spec.visual.map.zfar = _NEAR, _FAR
    _light(spec, scene)
    for number in range(len(mesh.thing)):
        _add_surface(spec, mesh, number)
    turn = rotation_matrix(scene.camera.rotation) @ np.diag([1.0, -1.0, -1.0])  # OpenGL looks along -z
    width, height = size
    fovy = 2 * np.degrees(np.arctan(height / (2 * scene.camera.focal * min(size))))
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn.ravel())
    spec.worldbody.add_camera(name="eye", pos=[0.0, 0.0, 0.0], quat=quat, fovy=fovy)
    return spec.compile()


def _add_surface(spec: Any, mesh: Meshes, number: int) -> None:
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


def _light(spec: Any, scene: Scene) -> None:
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
