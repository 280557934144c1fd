"""Balls on a table, with layers computed from the equations of spheres and planes: truth without a renderer."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid import Camera, Environment, Light, Scene, Thing, rotation_matrix
from pixelproof.world.solid.render import Layers


def balls(seed: int = 0, n: int = 6) -> Scene:
    """A table, from which balls of several sizes hide each other."""
    rng = np.random.default_rng(seed)
    things = [Thing("table", "tabletop", "brown", "wooden", (1.6, 1.2, 0.04), (0.0, 0.0, -0.04), fixed=True)]
    for number in range(n):
        width = float(rng.uniform(0.06, 0.16))
        x, y = rng.uniform(-0.25, 0.25, 2).tolist()
        ball = Thing(
            f"ball-{number}", "ball", "red", "rubber", (width,) * 3, (x, y, 0.0), symmetry="SO3", support="table"
        )
        things.append(ball)
    camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -1.2, 0.9))
    return Scene("tabletop", seed, 0, tuple(things), camera, (Light((1.0, -1.0, 2.0), 0.1, (3.0,) * 3),), Environment())


def analytic_layers(scene: Scene, width: int, height: int) -> Layers:
    """The layers of such a scene."""
    turn, eye = rotation_matrix(scene.camera.rotation), np.array(scene.camera.position)
    inverse = np.linalg.inv(scene.camera.intrinsics(width, height))
    rows, columns = np.mgrid[:height, :width] + 0.5
    rays = np.stack([columns, rows, np.ones_like(rows)], axis=-1) @ inverse.T @ turn.T  # of depth one
    depth = -eye[2] / rays[..., 2]
    spot = eye + depth[..., None] * rays
    on_table = (depth > 0) & (abs(spot[..., 0]) < 0.8) & (abs(spot[..., 1]) < 0.6)
    depth = np.where(on_table, depth, np.inf)
    ids = on_table.astype(np.uint16)
    normals = np.where(on_table[..., None], turn.T @ (0.0, 0.0, 1.0), 0.0)
    amodal = np.zeros((len(scene.things), height, width), bool)
    for index, ball in enumerate(scene.things[1:], 1):
        radius = ball.size[0] / 2
        away = eye - np.add(ball.position, (0.0, 0.0, radius))
        a, b, c = (rays**2).sum(-1), rays @ away, away @ away - radius**2
        amodal[index] = b**2 > a * c
        reach = (-b - np.sqrt(np.maximum(b**2 - a * c, 0.0))) / a
        nearer = amodal[index] & (reach < depth)
        depth[nearer], ids[nearer] = reach[nearer], index + 1
        normals[nearer] = ((away + reach[nearer][:, None] * rays[nearer]) / radius) @ turn
    whole = amodal.sum(axis=(1, 2))
    visible = np.bincount(ids.ravel(), minlength=len(whole) + 1)[1:] / np.maximum(whole, 1) * (whole > 0)
    light = np.where(ids > 0, -normals[..., 2] * 200, 230).clip(0, 255)
    return Layers(
        np.repeat(light[..., None], 3, axis=-1).astype(np.uint8),
        depth.astype(np.float32),
        normals.astype(np.float32),
        ids,
        amodal,
        visible.astype(np.float32),
    )
