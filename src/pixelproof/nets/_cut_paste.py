"""`nets/cut-paste` and its variants: edits by moving pixels, as references for what 3-D understanding is worth.

A thing is cut out, the hole is filled, and the cut-out is pasted at the place and in the size that a calibrated camera
gives for a point of a level plane. Nothing is turned, shaded, hidden or lit anew. What that cannot do is declined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Failure, Fault, Prompt
from pixelproof.pixels import bounding_box, encode_png
from pixelproof.store import find_asset, trusted_asset

from ._edit_inputs import AnnotatedThing, EditInputs, Floats, GroundView, Mask
from ._net import onnx_session, runtime
from ._specialists import Sam2

_FIRST_FILL_RADIUS_PX = 3


class Migan:
    """The asset `migan` on the CPU: an ONNX pipeline for images of any size; may be used from several threads.

    Raises:
        PixelProofError: The asset, onnxruntime or OpenCV is missing; the message has the command that gets it.
    """

    asset = "migan"

    def __init__(self) -> None:
        self._cv2 = runtime("cv2")
        onnx = runtime("onnxruntime")
        self._session = onnx_session(onnx, str(trusted_asset(self.asset)))
        self.runtime = f"onnxruntime {onnx.__version__}"

    def fill(self, photo: npt.NDArray[np.uint8], hole: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
        """Return the image with new pixels in the hole; they depend on the pixels outside of it only."""
        if not hole.any():
            return photo.copy()
        # The pipeline blends its output with the input along the edge of the hole. Without the first fill, the edge of
        # what is to be removed would remain.
        first = self._cv2.inpaint(photo, hole.astype(np.uint8), _FIRST_FILL_RADIUS_PX, self._cv2.INPAINT_TELEA)
        keep = np.where(hole, np.uint8(0), np.uint8(255))
        (filled,) = self._session.run(None, {"image": first.transpose(2, 0, 1)[None], "mask": keep[None, None]})
        return np.where(hole[..., None], filled[0].transpose(1, 2, 0), photo)


Pixels = npt.NDArray[np.uint8]
CANNOT_EDIT = "cannot-edit"
_MARGIN = 1 / 170
"""Width of the rim around a cut-out that is filled with it, as a share of the image's side: it has mixed colours."""
_RADIUS = 5
"""Radius in pixels of OpenCV's inpainting."""
_SPOTS: Mapping[str, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "back": (0, 1)}
_RIGHT_AWAY_UP = {
    "left": (-1, 0, 0), "right": (1, 0, 0), "closer": (0, -1, 0), "front": (0, -1, 0), "away": (0, 1, 0),
    "behind": (0, 1, 0), "up": (0, 0, 1), "down": (0, 0, -1),
}  # fmt: skip


class _Declined(Exception):
    """An edit that moving pixels cannot do; the message says why."""


@dataclass
class _Canvas:
    """The image as edited so far, with the masks of the things in it."""

    rgb: Pixels
    view: GroundView
    things: dict[str, AnnotatedThing]

    def thing(self, id: str) -> AnnotatedThing:
        if id not in self.things or not self.things[id].mask.any():
            raise _Declined(f"{id or 'the thing'} is not in the photograph")
        return self.things[id]

    def centre(self, id: str) -> Floats:
        thing = self.thing(id)
        centre = self.view.centre_of(thing.mask, thing.base_m)
        if centre is None:
            raise _Declined(f"the place of {id} does not follow from its mask")
        return centre


class CutPaste:
    """Cuts out, fills and pastes; masks are those of the annotations, or SAM 2's for their boxes.

    Raises:
        PixelProofError: The weights or the libraries are missing.
    """

    def __init__(self, network: bool = False, segment: bool = False) -> None:
        """Open the networks that are needed.

        Args:
            network: Fill holes with MI-GAN instead of OpenCV's inpainting.
            segment: Replace the masks by those of SAM 2 for their bounding boxes.
        """
        self._cv2 = runtime("cv2")
        self._migan = Migan() if network else None
        self._sam = Sam2() if segment else None

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """The edited photograph; a fault of the model if moving pixels cannot do the edit."""
        inputs = EditInputs.of(prompt)
        try:
            return Answer(images=(encode_png(self.edit(inputs)),))
        except _Declined as reason:
            return Answer(failure=Failure(Fault.MODEL, CANNOT_EDIT, f"Moving pixels cannot do this: {reason}."))

    def card(self) -> Mapping[str, Any]:
        """The weights, and the libraries that run them."""
        nets = [net for net in (self._migan, self._sam) if net is not None]
        weights = {net.asset: find_asset(net.asset).sha256 for net in nets}
        return {"weights": weights, "runtime": [f"opencv {self._cv2.__version__}", *(net.runtime for net in nets)]}

    def edit(self, inputs: EditInputs) -> Pixels:
        """The photograph after all steps."""
        if inputs.camera is None:
            raise _Declined("this edit is not annotated")
        height, width = inputs.photo.shape[:2]
        canvas = _Canvas(inputs.photo, GroundView(inputs.camera, width, height), self._segmented(inputs))
        for step in inputs.steps:
            if step.action not in _ACTIONS:
                raise _Declined(f"the action is {step.action!r}")
            _ACTIONS[step.action](self, canvas, step)
        return canvas.rgb

    def _segmented(self, inputs: EditInputs) -> dict[str, AnnotatedThing]:
        things = dict(inputs.things)
        movable = [id for id, thing in things.items() if not thing.fixed]
        if self._sam is None or not movable:
            return things
        masks = self._sam.masks(self._sam.embed(inputs.photo), [things[id].box_xyxy for id in movable])
        return things | {id: replace(things[id], mask=mask.pixels) for id, mask in zip(movable, masks, strict=True)}

    def _fill(self, rgb: Pixels, hole: Mask) -> Pixels:
        if self._migan is not None:
            return self._migan.fill(rgb, hole)
        return np.asarray(self._cv2.inpaint(rgb, hole.astype(np.uint8), _RADIUS, self._cv2.INPAINT_TELEA))

    def _remove(self, canvas: _Canvas, step: Any) -> None:
        mask = canvas.thing(step.target).mask
        margin = max(1, round(min(mask.shape) * _MARGIN))
        grown = self._cv2.dilate(mask.astype(np.uint8), np.ones((2 * margin + 1, 2 * margin + 1), np.uint8))
        canvas.rgb = self._fill(canvas.rgb, grown.astype(np.bool_))
        del canvas.things[step.target]

    def _paste(self, canvas: _Canvas, source: _Canvas, id: str, start: Floats, end: Floats, factor: float) -> None:
        """Paste a thing of a canvas onto another, so that one image point comes to lie on another."""
        thing, cv2 = source.thing(id), self._cv2
        height, width = canvas.rgb.shape[:2]
        offset = end - 0.5 - factor * (start - 0.5)  # OpenCV has the centre of the first pixel at 0, cameras at 0.5
        matrix = np.array([[factor, 0, offset[0]], [0, factor, offset[1]]])
        soft = cv2.GaussianBlur(thing.mask.astype(np.float32), (0, 0), 0.7)
        alpha = cv2.warpAffine(soft, matrix, (width, height), flags=cv2.INTER_LINEAR)[..., None]
        rgb = cv2.warpAffine(
            source.rgb, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        canvas.rgb = np.asarray(np.rint(canvas.rgb * (1 - alpha) + rgb * alpha), np.uint8)
        canvas.things[id] = replace(thing, mask=alpha[..., 0] > 0.5)

    def _relocate(self, canvas: _Canvas, step: Any, ends: Mapping[str, Floats]) -> None:
        """Bring things to other places in the world, in the size that the distance gives."""
        source = replace(canvas, things=dict(canvas.things))
        starts = {id: source.centre(id) for id in ends}
        for id in ends:
            self._remove(canvas, replace(step, target=id))
        for id, end in ends.items():
            (start_px, near), (end_px, far) = canvas.view.project(starts[id]), canvas.view.project(end)
            if far < 0.05:
                raise _Declined("the place is behind the camera")
            self._paste(canvas, source, id, start_px, end_px, near / far)
            rise = float(end[2]) - canvas.things[id].base_m
            moved = canvas.things[id]
            canvas.things[id] = replace(moved, base_m=moved.base_m + rise, top_m=moved.top_m + rise)

    def _move(self, canvas: _Canvas, step: Any) -> None:
        self._relocate(canvas, step, {step.target: canvas.centre(step.target) + _displacement(canvas, step)})

    def _place(self, canvas: _Canvas, step: Any) -> None:
        end = canvas.centre(step.anchor) + _displacement(canvas, step)
        self._relocate(canvas, step, {step.target: end})

    def _swap(self, canvas: _Canvas, step: Any) -> None:
        one, other = canvas.centre(step.target), canvas.centre(step.anchor)
        self._relocate(canvas, step, {step.target: other, step.anchor: one})

    def _put(self, canvas: _Canvas, step: Any) -> None:
        anchor = canvas.thing(step.anchor)
        if not anchor.fixed:
            if step.way not in ("", "middle"):
                raise _Declined(f"the spot is {step.way!r} of a thing")
            end = canvas.centre(step.anchor)
            end[2] = anchor.top_m
        else:
            end = self._spot(canvas, step, anchor)
        self._relocate(canvas, step, {step.target: end})

    def _spot(self, canvas: _Canvas, step: Any, anchor: AnnotatedThing) -> Floats:
        """A spot of the visible part of a surface, seen by the viewer; half the thing's width from its end."""
        surface = canvas.view.middle_of_surface(anchor.mask, anchor.top_m)
        if surface is None:
            raise _Declined(f"the surface of {step.anchor} is not visible from above")
        end, half = surface
        start = canvas.centre(step.target)
        left, _, right, _ = bounding_box(canvas.thing(step.target).mask) or (0, 0, 0, 0)
        _, depth = canvas.view.project(start)
        reach = (right - left) / 2 * depth / (canvas.view.camera.focal * min(canvas.rgb.shape[:2]))
        axes = canvas.view.camera.level_axes()
        for word in step.way.split() if step.way not in ("", "middle") else ():
            way = np.array(_SPOTS[word])
            end = end + (way * np.maximum(half - reach, 0)) @ axes[:2]
        return np.asarray(end)

    def _scale(self, canvas: _Canvas, step: Any) -> None:
        point, _ = canvas.view.project(canvas.centre(step.target))
        source = replace(canvas, things=dict(canvas.things))
        self._remove(canvas, step)
        self._paste(canvas, source, step.target, point, point, step.amount)
        thing = canvas.things[step.target]
        top = thing.base_m + step.amount * (thing.top_m - thing.base_m)
        canvas.things[step.target] = replace(thing, top_m=top)

    def _turn_camera(self, canvas: _Canvas, step: Any) -> None:
        """Turns and zooms of the camera are homographies, whatever the scene; what comes into view is filled."""
        from pixelproof.world.solid import quaternion, rotation_matrix, yaw

        old, cv2 = canvas.view.camera, self._cv2
        height, width = canvas.rgb.shape[:2]
        looks, focal = rotation_matrix(old.rotation), old.focal
        degrees = step.amount * (1 if step.way in ("left", "up") else -1)
        if step.action == "zoom camera":
            turned, focal = looks, focal * (step.amount if step.way == "in" else 1 / step.amount)
        elif step.way in ("left", "right"):
            turned = rotation_matrix(yaw(degrees)) @ looks
        else:
            half = np.radians(degrees) / 2
            turned = looks @ rotation_matrix((float(np.cos(half)), float(np.sin(half)), 0.0, 0.0))
        new = replace(old, rotation=quaternion(turned), focal=focal)
        matrix = new.intrinsics(width, height) @ turned.T @ looks @ np.linalg.inv(old.intrinsics(width, height))
        centred = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
        matrix = np.linalg.inv(centred) @ matrix @ centred
        rgb = cv2.warpPerspective(
            canvas.rgb, matrix, (width, height), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
        )
        shown = cv2.warpPerspective(
            np.ones((height, width), np.uint8), matrix, (width, height), flags=cv2.INTER_NEAREST
        )
        canvas.rgb = self._fill(rgb, shown == 0) if (shown == 0).any() else rgb
        for id, thing in canvas.things.items():
            mask = cv2.warpPerspective(thing.mask.astype(np.uint8), matrix, (width, height), flags=cv2.INTER_NEAREST)
            canvas.things[id] = replace(thing, mask=mask.astype(np.bool_))
        canvas.view = replace(canvas.view, camera=new)


_ACTIONS: Mapping[str, Callable[[CutPaste, _Canvas, Any], None]] = {
    "move": CutPaste._move,
    "place": CutPaste._place,
    "put": CutPaste._put,
    "swap": CutPaste._swap,
    "scale": CutPaste._scale,
    "remove": CutPaste._remove,
    "turn camera": CutPaste._turn_camera,
    "zoom camera": CutPaste._turn_camera,
}
"""Action → how it is done; turns of things, new things and moves of the camera need more than pixels."""


def _displacement(canvas: _Canvas, step: Any) -> Floats:
    if step.frame != "viewer":
        raise _Declined("the direction is that of a thing, whose front is not annotated")
    return np.asarray(
        step.amount * (np.asarray(_RIGHT_AWAY_UP[step.way], np.float64) @ canvas.view.camera.level_axes())
    )


def cut_paste() -> CutPaste:
    """`nets/cut-paste`: known mask, OpenCV's inpainting."""
    return CutPaste()


def cut_paste_migan() -> CutPaste:
    """`nets/cut-paste-migan`: known mask, holes filled by MI-GAN."""
    return CutPaste(network=True)


def cut_paste_sam2() -> CutPaste:
    """`nets/cut-paste-sam2`: known box, mask by SAM 2, OpenCV's inpainting."""
    return CutPaste(segment=True)


def cut_paste_sam2_migan() -> CutPaste:
    """`nets/cut-paste-sam2-migan`: known box, mask by SAM 2, holes filled by MI-GAN."""
    return CutPaste(network=True, segment=True)
