"""From an answer to pixels in the reference's size: a painted picture, or a label map of a specialist."""

from __future__ import annotations

from dataclasses import dataclass

from pixelproof.benches.arena._case import Case, Labels, Pixels
from pixelproof.benches.arena._fitting import fit
from pixelproof.contract import Answer, Failure, Fault
from pixelproof.pixels import ImageError, LabelError, is_label_map, read_both, read_labels

FORMS = ("auto", "painted", "labels")


@dataclass(frozen=True)
class Painted:
    """What was answered: colours to be decoded, or labels that need no decoding."""

    picture: Pixels
    """RGB as a viewer shows it; of a label map, its labels painted."""
    stored: Pixels
    """The file's own pixels, without profile, transparency and turn, as the published protocol takes them."""
    labels: Labels | None = None
    """Of a label map."""
    text: str = ""
    """What the model said beside the picture."""
    resized: str = ""
    """What was done to the size, in words."""
    names: tuple[str, ...] = ()
    """What the model was told to call the labels; empty if that is their own names."""


def see(answer: Answer, case: Case, shape: tuple[int, int], form: str, policy: str) -> Painted | Failure:
    """The pixels of an answer, or the model's fault.

    Args:
        answer: Of which the last picture counts.
        case: Whose palette a label map is in.
        shape: Height and width of the reference.
        form: `painted`, `labels`, or `auto`: painted unless the file itself says that it is a label map.
        policy: What to do about another size; see `fit`.
    """
    if not answer.images:
        said = f"There is no picture; the model said: {answer.text[:200]!r}" if answer.text else "There is no picture."
        return Failure(Fault.MODEL, "no-image", said)
    file = answer.images[-1]
    try:
        if form == "labels" or (form == "auto" and is_label_map(file.data)):
            pixels = stored = read_labels(file, case.palette)
        else:
            pixels, stored = read_both(file)
    except LabelError as error:
        return Failure(Fault.MODEL, "bad-labels", str(error))
    except ImageError as error:
        return Failure(Fault.MODEL, error.name, str(error))
    shown = pixels
    fitted = fit(pixels, shape, policy)
    if isinstance(fitted, Failure):
        return fitted
    pixels, resized = fitted
    if pixels.ndim == 2:
        painted = case.palette.paint(pixels)
        return Painted(painted, painted, pixels, answer.text, resized)
    if stored is shown:
        return Painted(pixels, pixels, None, answer.text, resized)
    refitted = fit(stored, shape, policy)  # it may lie on its side
    return Painted(pixels, pixels if isinstance(refitted, Failure) else refitted[0], None, answer.text, resized)
