"""From an answer to a result: which scene does it show, how well was the edit carried out, what else has changed?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pixelproof.benches.spatial._metrics import PERCEIVED, answer_kind, operation_counts
from pixelproof.benches.spatial._pairs import IMPOSSIBLE
from pixelproof.benches.spatial._perception import Perceived, Perception, Unclear
from pixelproof.benches.spatial._prompts import is_declined
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, Result
from pixelproof.pixels import answer_image, thumbnail

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair

Pixels = npt.NDArray[np.uint8]
Numbers = Mapping[str, float | Sequence[float]]
LOOKS_LIKE_ITSELF = 0.5
"""Least appearance of the edited things in a joint success."""
_ASPECT_TOLERANCE = 0.02
_IN_WORDS = "in words"
_BY_IMAGE = "the image is unchanged"


@dataclass(frozen=True)
class Scorer:
    """Measures answers."""

    perception: Perception
    renderer: SceneRenderer
    operations: Sequence[str]
    """Names of all operations, in the order of the counts."""
    gallery: bool = True
    """Whether results carry images."""

    def score(self, item: Item, answer: Answer, pair: Pair) -> Result:
        """Measure one answer; never raises on what a model can return."""
        measured = self._measure(answer, pair)
        notes = {"instruction": pair.text, **measured.notes}
        evidence = measured.evidence
        if self.gallery:
            from pixelproof.benches.spatial._evidence import given_images

            evidence = {**given_images(pair, self.renderer), **evidence}
        return Result(
            item.id,
            measured.numbers,
            failure=measured.failure,
            notes=notes,
            evidence=evidence,
            abstained=measured.abstained,
        )

    def _measure(self, answer: Answer, pair: Pair) -> _Measured:
        if answer.failure is not None:
            return _Measured(failure=answer.failure)
        if is_declined(answer.text):
            return self._declined(pair, _IN_WORDS)
        picture = read_picture(answer, (self.renderer.size, self.renderer.size))
        if isinstance(picture, Failure):
            return _Measured(failure=picture)
        if not pair.possible:
            unchanged = is_unchanged(picture, pair, self.renderer)
            return self._declined(pair, _BY_IMAGE) if unchanged else _Measured(self._kind(pair, False))
        perceived = self.perception(pair, answer, picture, self.renderer)
        if not isinstance(perceived, Perceived):
            if not is_unchanged(picture, pair, self.renderer):
                return self._unknown(pair, picture, perceived)
            perceived = Perceived(pair.before, _BY_IMAGE)
        return self._edited(pair, picture, perceived)

    def _unknown(self, pair: Pair, picture: Pixels, perceived: Unclear | Failure) -> _Measured:
        """An answer whose scene is not known: only that it does not decline the edit."""
        numbers = self._kind(pair, False)
        if isinstance(perceived, Failure):
            return _Measured(numbers, failure=perceived)
        evidence = {"read": thumbnail(picture)} if self.gallery else {}
        numbers = numbers if pair.operation == IMPOSSIBLE else {**numbers, PERCEIVED: 0.0}
        return _Measured(numbers, None, {"unclear": "; ".join(perceived.reasons)}, evidence, True)

    def _declined(self, pair: Pair, how: str) -> _Measured:
        """An answer that says that the edit is impossible, or leaves the photograph alone where it is."""
        numbers = self._kind(pair, True)
        numbers = {**numbers, **self._averaged(pair, {"ic": 0.0, "sa": 0.0, "joint": 0.0})}
        return _Measured(numbers, notes={"declined": how})

    def _kind(self, pair: Pair, declined: bool) -> Numbers:
        """Whether the answer takes an impossible edit for possible, or the reverse."""
        return {IMPOSSIBLE: answer_kind(declined, pair.possible)} if pair.operation == IMPOSSIBLE else {}

    def _averaged(self, pair: Pair, values: Mapping[str, float | None]) -> Numbers:
        """The numbers of a result from the scores that are known; none for impossible edits and their twins."""
        if pair.operation == IMPOSSIBLE:
            return {}
        known = {name: value for name, value in values.items() if value is not None}
        place, count = self.operations.index(pair.operation), len(self.operations)
        macro = {name: operation_counts(place, count, value) for name, value in known.items()}
        return {**macro, **{f"micro.{name}": value for name, value in known.items()}}

    def _edited(self, pair: Pair, picture: Pixels, perceived: Perceived) -> _Measured:
        from pixelproof.benches.spatial._evidence import answer_images, describe_changes
        from pixelproof.benches.spatial._published_scene import score_published
        from pixelproof.benches.spatial.pictures import ADDED_PIXELS, LEFT_ALONE, score_picture
        from pixelproof.benches.spatial.scores import keeps_the_rest, score_edits

        edit = score_edits(pair.steps, pair.before, pair.after, perceived.scene)
        look = score_picture(picture, pair.before, pair.after, perceived.scene, self.renderer)
        like_itself = look.appearance is None or look.appearance >= LOOKS_LIKE_ITSELF
        kept = keeps_the_rest(pair.before, pair.after, perceived.scene)
        values = {
            "ic": edit.compliance,
            "sa": edit.accuracy,
            "ac": look.appearance,
            "el": look.locality,
            "joint": float(edit.compliance and look.is_local and like_itself and kept and not perceived.notes),
            "shadow": look.shadow,
        }
        touched = sorted(name for name, share in look.regions.items() if share < LEFT_ALONE)
        notes = {
            "asked": describe_changes(pair, pair.after),
            "done": describe_changes(pair, perceived.scene),
            "scene from": perceived.how,
            **({} if perceived.confidence is None else {"confidence of the reading": f"{perceived.confidence:.2f}"}),
            **({"also changed": ", ".join(touched)} if touched else {}),
            **({"added": f"a group of {look.added} pixels, of 256 × 256"} if look.added >= ADDED_PIXELS else {}),
            **({} if kept else {"not kept": "turn or size of an edited thing, or what stands on it"}),
            **perceived.notes,
        }
        evidence = answer_images(pair, picture, perceived.scene, look, self.renderer) if self.gallery else {}
        declined = perceived.scene is pair.before or perceived.scene == pair.before
        numbers = {**self._kind(pair, declined), **self._averaged(pair, values)}
        if pair.operation != IMPOSSIBLE:
            numbers |= {PERCEIVED: 1.0, **score_published(pair, perceived.scene)}
        return _Measured(numbers, None, notes, evidence)


@dataclass(frozen=True)
class _Measured:
    numbers: Numbers = field(default_factory=dict)
    failure: Failure | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, Artefact] = field(default_factory=dict)
    abstained: bool = False


def read_picture(answer: Answer, shape: tuple[int, ...]) -> Pixels | Failure:
    """The last image of an answer in its own size, or the failure: no image, or another aspect ratio."""
    picture = answer_image(answer)
    if isinstance(picture, Failure):
        return picture
    height, width = picture.shape[:2]
    if abs(width * shape[0] / (height * shape[1]) - 1) > _ASPECT_TOLERANCE:
        detail = (
            f"The answer is {width}×{height}; it must have the aspect ratio of the photograph, {shape[1]}×{shape[0]}."
        )
        return Failure(Fault.MODEL, "wrong-aspect-ratio", detail)
    return picture


def is_unchanged(picture: Pixels, pair: Pair, renderer: SceneRenderer) -> bool:
    """Whether an image shows the photograph without a visible change of any size, but for noise of the channel."""
    from scipy.ndimage import label

    from pixelproof.benches.spatial.pictures import LEAST_PIXELS, score_picture

    different = score_picture(picture, pair.before, pair.before, pair.before, renderer).different
    sizes = np.bincount(label(different)[0].ravel())[1:]
    return int(sizes.max(initial=0)) < LEAST_PIXELS
