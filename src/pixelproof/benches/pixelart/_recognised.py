"""Whether the drawing recogniser sees the subject in a drawing."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart._ladder import Reading
from pixelproof.benches.pixelart._sets import subject_to_score
from pixelproof.contract import Item
from pixelproof.nets import recognise, recogniser


def look(item: Item, reading: Reading) -> tuple[dict[str, float], str]:
    """The metrics of the recogniser, for subjects it knows, and what it says; what does not render shows nothing.

    No partial credit for a probability: a little of it can be had by drawing nothing in particular.
    """
    subject = subject_to_score(item, exact=False)
    if subject is None or (name := subject.kind.id) not in recogniser().names:
        return {}, ""
    if reading.outcome != "ok" or reading.grid is None:
        return {"recognised": 0.0}, ""
    seen = recognise(np.array(reading.palette, dtype=np.uint8)[reading.grid])
    metrics = {
        "recognised": float(seen.best == name and not seen.abstains),
        "recogniser.abstained": float(seen.abstains),
    }
    probability = seen.probability(seen.best)
    if probability <= seen.nothing:
        return metrics, "nothing"
    return metrics, f"{seen.best} ({probability:.0%}{', which is not enough' if seen.abstains else ''})"
