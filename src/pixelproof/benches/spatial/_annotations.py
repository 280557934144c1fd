"""Annotations of the photograph for editing nets, with `--annotations things`.

They answer a part of the question, namely which things are meant, and give the calibration of the camera. Where
anything should be after the edit is not among them. Models that read the prompt's text and images do not get them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pixelproof.benches.spatial._pairs import IMPOSSIBLE
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.pixels import bounding_box, encode_png

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair
    from pixelproof.world.solid import Scene

ANNOTATIONS = ("none", "things")


def annotate(pair: Pair, renderer: SceneRenderer) -> dict[str, Any] | None:
    """Camera, parsed instruction, and the visible mask, box and heights of each thing that a step names.

    None for impossible edits and their possible twins alike: a thing without a mask would give away that it is absent.
    """
    if pair.operation == IMPOSSIBLE:
        return None
    named = dict.fromkeys(id for step in pair.steps for id in (step.target, step.anchor))
    ids = renderer.render(pair.before, keep=True).ids
    things = {id: _annotated(pair.before, id, ids) for id in named if any(t.id == id for t in pair.before.things)}
    camera = pair.before.camera
    return {
        "camera": {"position": camera.position, "rotation": camera.rotation, "focal": camera.focal},
        "steps": [
            {name: getattr(step, name) for name in ("action", "target", "way", "amount", "anchor", "frame")}
            for step in pair.steps
        ],
        "things": {id: thing for id, thing in things.items() if thing},
    }


def _annotated(scene: Scene, id: str, ids: Any) -> Mapping[str, Any] | None:
    """The annotation of a thing; None if it is not visible."""
    from pixelproof.world.edits import load_of
    from pixelproof.world.solid import box_corners

    group = {id, *load_of(scene, id)} if not scene.thing(id).fixed else {id}
    mask = np.isin(ids, [number for number, thing in enumerate(scene.things, 1) if thing.id in group])
    box = bounding_box(mask)
    if box is None:
        return None
    heights = box_corners(scene.thing(id))[:, 2]
    return {
        "mask": encode_png(np.where(mask, np.uint8(255), np.uint8(0))),
        "box_xyxy": box,
        "base_m": float(heights.min()),
        "top_m": float(heights.max()),
        "fixed": scene.thing(id).fixed,
    }
