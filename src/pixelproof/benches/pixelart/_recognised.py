"""Recognition of the subject by the drawing recogniser."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart._ladder import Reading
from pixelproof.benches.pixelart._sets import subject_to_score
from pixelproof.contract import Item
from pixelproof.nets import recognise, recogniser


def recognise_subject(item: Item, reading: Reading) -> tuple[dict[str, float], str]:
    """Metrics of the recogniser, for subjects of its vocabulary, and its prediction as a note.

    A drawing that does not render is not recognised. Probabilities give no partial credit: arbitrary drawings get some.
    """
    subject = subject_to_score(item, exact=False)
    if subject is None or (name := subject.kind.id) not in recogniser().names:
        return {}, ""
    if reading.outcome != "ok" or reading.grid is None:
        return {"recognised": 0.0}, ""
    recognition = recognise(np.array(reading.palette, dtype=np.uint8)[reading.grid])
    metrics = {
        "recognised": float(recognition.best == name and not recognition.abstains),
        "recogniser.abstained": float(recognition.abstains),
    }
    probability = recognition.probability(recognition.best)
    if probability <= recognition.nothing:
        return metrics, "nothing"
    return metrics, f"{recognition.best} ({probability:.0%}{', which is not enough' if recognition.abstains else ''})"
