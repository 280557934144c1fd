"""`nets/draw`: a subject's text to a palette and a grid, always in the format that the prompt's schema states."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Answer, Failure, Fault, PixelProofError, Prompt
from pixelproof.nets._weights import Facts, dequantise, read_weights

from ._decoder import Decoder
from ._tokens import BEGIN, SIDE, Canvas, Grid, Vocabulary

WEIGHTS = Path(__file__).parents[1] / "weights" / "draw.npz"
CANNOT_DRAW = "cannot-draw"
SIDES, COLOURS = (8, 32), (2, 16)
"""Smallest and largest grid side and number of colours."""
_SUBJECT = re.compile(r"^(?:Draw|Subject): (.+)\Z", re.MULTILINE)


@dataclass(frozen=True)
class DrawingForm:
    """The subject of a prompt, and the format of its reply, as the prompt's schema states it."""

    subject: str
    side: int
    colours: int
    """Largest number of palette colours."""
    mark: str
    """What precedes six hexadecimal digits: `#` or nothing."""
    digits: bool
    """Whether a row is a string of digits; else it is a list of integers."""

    @classmethod
    def of(cls, prompt: Prompt) -> DrawingForm:
        """Read the last line of a prompt, `Draw: …` or `Subject: …`, and its schema.

        Raises:
            PixelProofError: The prompt asks for something else.
        """
        subject = _SUBJECT.search(prompt.text)
        try:
            palette, grid = ((prompt.schema or {})["properties"][key] for key in ("palette", "grid"))
            mark = "#" if palette["items"]["pattern"].startswith("^#") else ""
            side, colours, digits = grid["minItems"], palette["maxItems"], grid["items"]["type"] == "string"
        except (KeyError, TypeError, AttributeError):
            subject = None
        if subject is None:
            raise PixelProofError(
                "This net draws: it needs a prompt that ends with 'Draw: SUBJECT' or 'Subject: SUBJECT', and a schema "
                "with a palette and a grid."
            )
        return cls(subject[1], side, colours, mark, digits)

    def write(self, palette: npt.NDArray[np.uint8], grid: Grid) -> str:
        """The reply: a drawing in this format."""
        colours = [self.mark + bytes(colour).hex() for colour in palette]
        rows = ["".join(map(str, row)) if self.digits else row for row in grid.tolist()]
        return json.dumps({"palette": colours, "grid": rows}, separators=(",", ":"))


class DrawNet:
    """Draws on 24 × 24 cells, token by token, and resamples to the side that is asked for.

    Only legal tokens are sampled, so every reply has the format, whatever the weights.

    Args:
        path: Weights that `pixelproof train drawing` wrote.

    Raises:
        PixelProofError: There is no such file, or it holds something else.
    """

    reads_files: ClassVar[bool] = True

    def __init__(self, path: Path = WEIGHTS) -> None:
        if path == WEIGHTS and not path.exists():
            raise PixelProofError(
                "This version comes without weights of nets/draw: train them with pixelproof train drawing --out DIR, "
                "and use --model nets/DIR/net.npz."
            )
        arrays, facts = read_weights(path)
        self._sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        try:
            book = arrays.pop("book")
            self._decoder = Decoder(dequantise(arrays), int(facts["heads"]))
            self._vocabulary = Vocabulary(facts["pieces"])
            self.temperature = float(facts["temperature"])
            if book.shape != (self._decoder.codes, 3) or len(self._vocabulary) != len(arrays["texts.weight"]):
                raise ValueError("its vocabulary or code book does not fit its weights")
        except (KeyError, TypeError, ValueError) as error:
            raise PixelProofError(
                f"{path} is not a drawing model ({error}): train one with pixelproof train drawing."
            ) from error
        self._book = book.astype(np.uint8)

    def answer(self, prompt: Prompt, rng: np.random.Generator) -> Answer:
        """A drawing; a refusal named `cannot-draw` for sides and numbers of colours outside of `SIDES`, `COLOURS`."""
        form = DrawingForm.of(prompt)
        if not (SIDES[0] <= form.side <= SIDES[1] and COLOURS[0] <= form.colours <= COLOURS[1]):
            limits = "{} to {} cells to the side and {} to {} colours".format(*SIDES, *COLOURS)
            reason = f"It draws {limits}, not {form.side} and {form.colours}."
            return Answer(failure=Failure(Fault.MODEL, CANNOT_DRAW, reason))
        palette, grid = self.draw(form.subject, rng, form.colours)
        cells = (2 * np.arange(form.side) + 1) * SIDE // (2 * form.side)
        return Answer(text=form.write(palette, grid[cells][:, cells]))

    def draw(self, subject: str, rng: np.random.Generator, colours: int = 10) -> tuple[npt.NDArray[np.uint8], Grid]:
        """A palette (k, 3) of at most `colours` colours and a 24 × 24 grid of its indices."""
        canvas = Canvas(self._decoder.codes, colours)
        texts = self._vocabulary.encode(subject)
        cache, logits = self._decoder.begin(texts, BEGIN)
        at = len(texts) + 1
        while True:
            token = _sample(np.where(canvas.legal(), logits, -np.inf), self.temperature, rng)
            canvas.push(token)
            if canvas.done:
                return self._book[canvas.palette], canvas.grid
            logits = self._decoder.step(cache, at, token, canvas.place())
            at += 1

    def card(self) -> Facts:
        """Hash of the weights, and the sampling temperature."""
        return {"weights": {"draw": self._sha256}, "temperature": self.temperature}


def _sample(logits: npt.NDArray[np.floating], temperature: float, rng: np.random.Generator) -> int:
    """Index drawn with probability softmax(logits / temperature); the largest at temperature 0."""
    logits = logits - logits.max()
    weights = np.exp(logits / temperature) if temperature > 0 else (logits == 0).astype(float)
    return int(rng.choice(len(weights), p=weights / weights.sum()))
