"""Recognition of the subject by the drawing recogniser."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart._ladder import Reading
from pixelproof.benches.pixelart._sets import subject_to_score
from pixelproof.benches.pixelart.subjects import Subject
from pixelproof.contract import Item
from pixelproof.nets import Recognition, recognise, recogniser

Pixels = npt.NDArray[np.uint8]


def recognise_subject(item: Item, reading: Reading) -> tuple[dict[str, float], str]:
    """Metrics of the recogniser, for subjects of its vocabulary, and its prediction as a note.

    A drawing that does not render is not recognised. Probabilities give no partial credit: arbitrary drawings get some.
    """
    subject = subject_to_score(item, "thing")
    if subject is None or subject.kind.id not in recogniser().names:
        return {}, ""
    if reading.outcome != "ok" or reading.grid is None:
        return {"recognised": 0.0}, ""
    return recognise_drawing(subject, np.array(reading.palette, dtype=np.uint8)[reading.grid])


def recognise_drawing(subject: Subject, pixels: Pixels) -> tuple[dict[str, float], str]:
    """Metrics of a rendered drawing as an answer to a subject, and the prediction as a note; none if it is unknown."""
    name = subject.kind.id
    if name not in recogniser().names:
        return {}, ""
    recognition = _recognise(pixels.tobytes(), pixels.shape)
    metrics = {
        "recognised": float(recognition.best == name and not recognition.abstains),
        "recogniser.abstained": float(recognition.abstains),
    }
    probability = recognition.probability(recognition.best)
    if probability <= recognition.nothing:
        return metrics, "nothing"
    return metrics, f"{recognition.best} ({probability:.0%}{', which is not enough' if recognition.abstains else ''})"


@lru_cache(maxsize=512)
def _recognise(pixels: bytes, shape: tuple[int, ...]) -> Recognition:
    """Cached: fitting a stored drawing scores the same drawing for many subjects."""
    return recognise(np.frombuffer(pixels, dtype=np.uint8).reshape(shape))
