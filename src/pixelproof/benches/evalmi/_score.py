"""The score of an image: what the judge says, what detector and OCR find, and measures of its pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pixelproof.benches.evalmi._anchors import ANCHORS, read_anchors
from pixelproof.benches.evalmi._checks import check_facts
from pixelproof.benches.evalmi._judge import read_judgements
from pixelproof.benches.evalmi._scenes import Pixels, SceneRef, render_scene
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Result
from pixelproof.metrics import (
    blockiness,
    colourfulness,
    laplacian_variance,
    mscn_shape,
    noise_sigma,
    rms_contrast,
)
from pixelproof.pixels import answer_image, thumbnail

_MEASURES = {
    "pixels.sharpness": laplacian_variance,
    "pixels.contrast": rms_contrast,
    "pixels.colourfulness": colourfulness,
    "pixels.noise": noise_sigma,
    "pixels.blockiness": blockiness,
    "pixels.mscn_shape": mscn_shape,
}


def score_answer(item: Item, answer: Answer, judgements: Mapping[str, Answer], checks: Sequence[str] = ()) -> Result:
    """Measure the answer's last image."""
    anchors = read_anchors(judgements)
    rgb = answer_image(answer)
    if isinstance(rgb, Failure):
        return Result(item.id, anchors, failure=rgb)
    verdict = read_judgements(judgements, item.inputs["facts"], item.inputs["main"])
    checked, found = check_facts(rgb, item.inputs["facts"], checks)
    notes = {"prompt": item.inputs["prompt"], **verdict.notes, **found}
    if anchors:
        notes["anchor"] = ANCHORS[item.inputs["index"]].name
    if verdict.abstained:
        notes["judge_cannot_tell"] = " ".join(verdict.abstained)
    failure = None
    if verdict.unreadable:
        failure = Failure(Fault.INSTRUMENT, "judge-unreadable", "; ".join(verdict.unreadable))
    return Result(
        item.id,
        {**verdict.metrics, **checked, **measure_pixels(rgb), **anchors},
        failure=failure,
        notes=notes,
        evidence=_evidence(item),
        abstained=bool(verdict.abstained) and failure is None,
    )


def measure_pixels(rgb: Pixels) -> dict[str, float]:
    """Measures of an image that need neither weights nor a prompt."""
    return {name: measure(rgb) for name, measure in _MEASURES.items()}


def _evidence(item: Item) -> dict[str, Artefact]:
    return {} if item.truth is None else {"truth": _true_image(item.truth)}


@lru_cache(maxsize=64)
def _true_image(scene: SceneRef) -> Artefact:
    return thumbnail(render_scene(scene))
