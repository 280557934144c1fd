"""Pixel art: can a language model draw in a palette and a grid of indices?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, ClassVar

from pixelproof.benches.pixelart import _dataset
from pixelproof.benches.pixelart._controls import make_controls
from pixelproof.benches.pixelart._format import FAMILIES, Format
from pixelproof.benches.pixelart._metrics import METRICS
from pixelproof.benches.pixelart._prompts import write_prompt
from pixelproof.benches.pixelart._references import reference
from pixelproof.benches.pixelart._score import score_answer
from pixelproof.benches.pixelart._subjects import SUBJECTS, Subject, recognise
from pixelproof.contract import (
    Answer,
    Bench,
    Control,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Result,
    Source,
    Usage,
    option,
)

_SOURCE_VERSION = 1  # of the items of both sources; counts in their ids


@dataclass(frozen=True)
class PixelArt(Bench):
    """Ask for a subject as JSON; score how far the reply gets towards a picture, and describe the picture."""

    name: ClassVar[str] = "pixelart"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Pixel art as a palette and a grid of indices"
    sources: ClassVar[Mapping[str, str]] = {
        "published": "the seven published subjects",
        _dataset.NAME: "the published replies of some 240 models; needs --data with the file or folder",
    }
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    headline: ClassVar[tuple[str, ...]] = ("lenient.renders", "strict.renders")
    tables: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Structural ladder (share of replies that reach a rung)": ("strict", "lenient"),
        "Published scores": ("published.coded", "published.described"),
        "Description of the drawings": ("describe",),
    }

    family: str = option("original", "which published prompt: digit strings or integer lists", choices=tuple(FAMILIES))
    grid: int = option(24, "rows, and cells per row, from 4 to 128")
    colours: int = option(10, "most colours of a palette, from 2 to 10 (with the lite prompt to 256)")

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise PixelProofError(f"family is {self.family!r}; choose one of: {', '.join(FAMILIES)}.")
        if not 4 <= self.grid <= 128:
            raise PixelProofError(f"grid is {self.grid}; choose 4 to 128.")
        most = 10 if self.family == "original" else 256  # one digit per cell cannot say more than ten
        if not 2 <= self.colours <= most:
            raise PixelProofError(f"colours is {self.colours}; with the {self.family} prompt choose 2 to {most}.")

    @property
    def form(self) -> Format:
        """The form of a reply under these options."""
        return Format(self.family, self.grid, self.colours)

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """The published subjects, or one item per row of the data set; both in their own order, whatever the seed."""
        if source.name == "published":
            items = (self._item(source, index, subject, {}) for index, subject in enumerate(SUBJECTS))
        elif source.name == _dataset.NAME:
            items = (self._recorded_item(source, *row) for row in enumerate(_dataset.read_rows(source.data)))
        else:
            raise PixelProofError(f"pixelart has no source {source.name!r}; it has: {', '.join(self.sources)}.")
        return islice(items, n)

    def _item(self, source: Source, index: int, subject: Subject, more: Mapping[str, Any]) -> Item:
        known = recognise(subject.text)
        return Item(
            id=f"{self.name}/{source.name}/{_SOURCE_VERSION}/{index:04d}",
            inputs={
                "subject": subject.text,
                "prompt": f"{self.family}-{FAMILIES[self.family]}",
                "grid": self.grid,
                "colours": self.colours,
                **more,
            },
            truth=asdict(reference(known.id, self.grid, self.colours)) if known else None,
            cluster=subject.id,
            tags={"subject": subject.id, "category": subject.category},
        )

    def _recorded_item(self, source: Source, index: int, row: _dataset.Row) -> Item:
        text = str(row["example_name"])
        subject = recognise(text) or Subject(text, text, "other")
        reply = json.dumps({"palette": row["palette"], "grid": row["grid"]}, separators=(",", ":"))
        recorded = {"text": reply, **{name: row[name] for name in _dataset.NUMBERS}}
        item = self._item(source, index, Subject(subject.id, text, subject.category), {"recorded": recorded})
        return Item(item.id, item.inputs, item.truth, item.cluster, {"model": str(row["model_slug"]), **item.tags})

    def prompt(self, item: Item) -> Prompt:
        """The published prompt, by its facts, with the schema and the grammar of a legal reply."""
        return write_prompt(item.inputs["subject"], self.form)

    def recorded(self, item: Item) -> Answer | None:
        """The reply of a row of the data set; of the original text only the two lists were kept."""
        recorded = item.inputs.get("recorded")
        if recorded is None:
            return None
        usage = Usage(
            input_tokens=int(recorded["input_tokens"] or 0),
            output_tokens=int(recorded["output_tokens"] or 0),
            cost=recorded["cost"],
            seconds=recorded["generation_time"] or 0.0,
        )
        return Answer(text=recorded["text"], usage=usage)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Climb the ladder, strictly and leniently; describe what can be drawn; add the published scores."""
        return score_answer(item.id, answer, self.form)

    def controls(self) -> Mapping[str, Control]:
        """Noise, a blank canvas and the copied example as floors; our own drawings as the ceiling."""
        return make_controls(self.form)
