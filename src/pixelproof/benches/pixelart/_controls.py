"""Controls: replies of known quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart._floors import prior_drawing, same_kind_drawing, words_drawing
from pixelproof.benches.pixelart._format import Format
from pixelproof.benches.pixelart._prompts import example
from pixelproof.benches.pixelart._sets import subject_from
from pixelproof.benches.pixelart.subjects import Drawing
from pixelproof.contract import Answer, Control, Failure, Fault, Item
from pixelproof.stats import generator

Coordinates = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_SHAPES: Mapping[str, Callable[[Coordinates, Coordinates], Mask]] = {
    "disc": lambda u, v: u**2 + v**2 <= 1,
    "ring": lambda u, v: (u**2 + v**2 <= 1) & (u**2 + v**2 > 0.4),
    "square": lambda u, v: np.maximum(abs(u), abs(v)) <= 1,
    "frame": lambda u, v: abs(np.maximum(abs(u), abs(v)) - 0.9) <= 0.1,
    "triangle": lambda u, v: (abs(u) <= 1) & (abs(v) <= (1 + u) / 2),
    "triangle on its tip": lambda u, v: (abs(u) <= 1) & (abs(v) <= (1 - u) / 2),
    "diamond": lambda u, v: abs(u) + abs(v) <= 1,
    "upper half of a disc": lambda u, v: (u**2 + v**2 <= 1) & (u < 0),
    "lower half of a disc": lambda u, v: (u**2 + v**2 <= 1) & (u > 0),
    "cross": lambda u, v: (np.maximum(abs(u), abs(v)) <= 1) & (np.minimum(abs(u), abs(v)) <= 0.2),
    "saltire": lambda u, v: (np.maximum(abs(u), abs(v)) <= 1) & (abs(abs(u) - abs(v)) <= 0.25),
}
"""Shape → mask function on the square from -1 to 1; u is the row coordinate, v the column coordinate."""


def make_controls(form: Format) -> Mapping[str, Control]:
    """The controls of the bench; all reply in the format of the prompt."""

    def noise(item: Item, rng: np.random.Generator) -> Answer:
        """Random indices in a random palette."""
        palette = [bytes(colour).hex() for colour in rng.integers(0, 256, (form.colours, 3), dtype=np.uint8)]
        return Answer(form.write(palette, rng.integers(0, form.colours, (form.size, form.size)).tolist()))

    def blank(item: Item, rng: np.random.Generator) -> Answer:
        """One colour everywhere."""
        return Answer(form.write(["ffffff", "000000"], [[0] * form.size] * form.size))

    def checkerboard(item: Item, rng: np.random.Generator) -> Answer:
        """A checkerboard of single cells, black and white."""
        return Answer(form.write(["ffffff", "000000"], (np.indices((form.size, form.size)).sum(axis=0) % 2).tolist()))

    def repeated_row(item: Item, rng: np.random.Generator) -> Answer:
        """One random row, repeated."""
        palette = [bytes(colour).hex() for colour in rng.integers(0, 256, (form.colours, 3), dtype=np.uint8)]
        return Answer(form.write(palette, [rng.integers(0, form.colours, form.size).tolist()] * form.size))

    def copied_example(item: Item, rng: np.random.Generator) -> Answer:
        """The example of the prompt, copied."""
        picture = example(form)
        return Answer(form.write(picture.palette, picture.grid))

    def shape(item: Item, rng: np.random.Generator) -> Answer:
        """A random plain shape in two random colours: the least that looks like something."""
        u, v = (np.indices((form.size, form.size)) + 0.5) * 2 / form.size - 1
        forms = list(_SHAPES.values())
        inside = forms[int(rng.integers(len(forms)))](u / 0.8, v / 0.8)
        palette = [bytes(colour).hex() for colour in rng.integers(0, 256, (2, 3), dtype=np.uint8)]
        return Answer(form.write(palette, inside.astype(int).tolist()))

    def stored(item: Item, drawing: Drawing | None) -> Answer:
        return Answer(form.write(drawing.palette, drawing.grid)) if drawing else blank(item, np.random.default_rng(0))

    def prior(item: Item, rng: np.random.Generator) -> Answer:
        """One stored drawing for all subjects that are scored in the same way."""
        return stored(item, prior_drawing(item, form.size, form.colours))

    def same_kind(item: Item, rng: np.random.Generator) -> Answer:
        """One stored drawing for each kind of subject, whatever its parameters; a blank one for unknown subjects."""
        return stored(item, same_kind_drawing(item, form.size, form.colours))

    def words_only(item: Item, rng: np.random.Generator) -> Answer:
        """The things that a composed subject names, in a fixed arrangement; the drawing of its kind for others."""
        return stored(item, words_drawing(item, form.size, form.colours))

    def truth(item: Item, rng: np.random.Generator) -> Answer:
        """The reference drawing of the subject."""
        if item.truth is None:
            detail = "There is no reference drawing of this subject."
            return Answer(failure=Failure(Fault.INSTRUMENT, "no-reference", detail))
        drawing = item.truth
        if "kind" in drawing:
            rng = generator(drawing["seed"], "pixelart/drawing")
            drawing = asdict(subject_from(drawing).draw(rng, form.size, form.colours))
        return Answer(form.write(drawing["palette"], drawing["grid"]))

    return {
        "floor-noise": noise,
        "floor-blank": blank,
        "floor-checkerboard": checkerboard,
        "floor-rows": repeated_row,
        "floor-example": copied_example,
        "floor-shape": shape,
        "floor-prior": prior,
        "floor-same-kind": same_kind,
        "floor-words-only": words_only,
        "ceiling-truth": truth,
    }
