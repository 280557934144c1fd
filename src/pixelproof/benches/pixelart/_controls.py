"""Floors and ceilings: replies whose quality is known before they are scored."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._prompts import example
from pixelproof.contract import Answer, Control, Failure, Fault, Item


def make_controls(form: Format) -> Mapping[str, Control]:
    """The controls of the bench, all of which answer in the prompt's own format."""

    def noise(item: Item, rng: np.random.Generator) -> Answer:
        palette = [bytes(colour).hex() for colour in rng.integers(0, 256, (form.colours, 3), dtype=np.uint8)]
        return Answer(form.write(palette, rng.integers(0, form.colours, (form.size, form.size)).tolist()))

    def blank(item: Item, rng: np.random.Generator) -> Answer:
        return Answer(form.write(["ffffff", "000000"], [[0] * form.size] * form.size))

    def copied_example(item: Item, rng: np.random.Generator) -> Answer:
        picture = example(form)
        return Answer(form.write(picture.palette, picture.grid))

    def truth(item: Item, rng: np.random.Generator) -> Answer:
        if item.truth is None:
            detail = "There is no reference drawing of this subject."
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-reference", detail))
        return Answer(form.write(item.truth["palette"], item.truth["grid"]))

    return {
        "floor-noise": noise,
        "floor-blank": blank,
        "floor-example": copied_example,
        "ceiling-truth": truth,
    }
