"""Pixel art: drawings as a palette and a grid of indices, by language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, ClassVar

from pixelproof.benches.pixelart import _dataset, _judge, _sets
from pixelproof.benches.pixelart._controls import make_controls
from pixelproof.benches.pixelart._format import FAMILIES, Format
from pixelproof.benches.pixelart._metrics import METRICS
from pixelproof.benches.pixelart._prompts import prompt_name, write_prompt
from pixelproof.benches.pixelart._score import score_answer
from pixelproof.benches.pixelart.subjects import CATEGORIES, published, reference, subject_named
from pixelproof.contract import (
    Answer,
    Bench,
    Control,
    Display,
    Failure,
    Fault,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Question,
    Result,
    Source,
    Usage,
    option,
    unknown_name,
)

_REWARDS = {"exactly": "exact.solved", "in parts": "composed.solved"}
"""How a subject is checked, as its tag says → the metric that rewards it."""


@dataclass(frozen=True)
class PixelArt(Bench):
    """Ask for a drawing of a subject as JSON; score its format, check or recognise the subject, and describe it."""

    name: ClassVar[str] = "pixelart"
    version: ClassVar[str] = "2.0"
    title: ClassVar[str] = "Pixel art as a palette and a grid of indices"
    sources: ClassVar[Mapping[str, str]] = {
        _sets.FROZEN: "the frozen set: subjects that are checked exactly, and composed ones, checked in parts",
        _sets.FRESH: "the same kinds of subjects, generated from --seed, as many as --limit",
        "published": "the seven published subjects",
        _dataset.NAME: "the published replies of some 240 models; needs --data with the file or folder",
    }
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(
        headline=("exact.solved", "composed.solved", "recognised", "lenient.renders", "strict.renders"),
        tables={
            "Structural ladder (share of replies that reach a rung)": ("strict", "lenient"),
            "Exact subjects": ("exact",),
            "Composed subjects": ("composed",),
            "Recognition (share of drawings)": ("recogniser",),
            "Published scores": ("published.coded", "published.described"),
            "Description of the drawings": ("describe",),
            "Judged": ("judge",),
        },
    )
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.nets",)
    reserved: ClassVar[tuple[str, ...]] = (_sets.FROZEN, "published")

    family: str = option("original", "which published prompt: digit strings or integer lists", choices=tuple(FAMILIES))
    grid: int = option(24, "rows, and cells per row, from 4 to 128")
    colours: int = option(10, "most colours of a palette, from 2 to 10 (with the lite prompt to 256)")

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise unknown_name("family", self.family, FAMILIES)
        if not 4 <= self.grid <= 128:
            raise PixelProofError(f"grid is {self.grid}; choose 4 to 128.")
        most = 10 if self.family == "original" else 256  # one digit per cell encodes ten colours
        if not 2 <= self.colours <= most:
            raise PixelProofError(f"colours is {self.colours}; with the {self.family} prompt choose 2 to {most}.")

    @property
    def form(self) -> Format:
        """The format of a reply under these options."""
        return Format(self.family, self.grid, self.colours)

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """The published subjects, a set of subjects, or one item per row of the data set. Only `fresh` has a seed."""
        if source.name == "published":
            items = (self._published(source, index, id, published(id).text) for index, id in enumerate(CATEGORIES))
        elif source.name == _dataset.NAME:
            items = (self._recorded_item(source, *row) for row in enumerate(_dataset.read_rows(source.data)))
        elif source.name in (_sets.FRESH, _sets.FROZEN):
            _sets.check_space(self.grid, self.colours, source.name)
            choices = _sets.fresh(seed, n, self.grid) if source.name == _sets.FRESH else _sets.frozen(n)
            items = (self._chosen(source, *choice) for choice in enumerate(choices))
        else:
            raise unknown_name("source", source.name, self.sources)
        return islice(items, n)

    def _inputs(self, text: str, scoring: str = "thing") -> dict[str, Any]:
        prompt = prompt_name(self.form, scoring)
        return {"subject": text, "prompt": prompt, "grid": self.grid, "colours": self.colours}

    def _published(self, source: Source, index: int, id: str, text: str) -> Item:
        known = id in CATEGORIES
        return Item(
            id=_sets.id_of(source.name, index),
            inputs=self._inputs(text),
            truth=asdict(reference(id, self.grid, self.colours)) if known else None,
            cluster=id,
            tags={"subject": id, "category": CATEGORIES.get(id, "other")},
        )

    def _chosen(self, source: Source, index: int, choice: _sets.Choice) -> Item:
        return Item(
            id=_sets.id_of(source.name, index),
            inputs=self._inputs(choice.subject.text, choice.subject.kind.scoring),
            truth=choice.truth,
            cluster=choice.subject.kind.id,
            tags=choice.tags,
        )

    def _recorded_item(self, source: Source, index: int, row: _dataset.Row) -> Item:
        item = self._published(source, index, subject_named(row.subject) or row.subject, row.subject)
        recorded = {"problem": row.problem} if row.problem else {"text": row.reply, **row.numbers}
        tags = {"model": row.model, **item.tags}
        return Item(item.id, {**item.inputs, "recorded": recorded}, item.truth, item.cluster, tags)

    def prompt(self, item: Item) -> Prompt:
        """The prompt, with the facts of the published one, and the schema and grammar of a legal reply."""
        return write_prompt(self.content(item), self.form, item.inputs["prompt"])

    def content(self, item: Item) -> str:
        """The subject, in the same words for every grid and prompt."""
        return str(item.inputs["subject"])

    def reward(self, item: Item) -> str:
        """Whether every condition of the subject is met; or whether it is recognised, for subjects without any."""
        return _REWARDS.get(item.tags.get("checked", ""), "recognised")

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        """The reply in a row of the data set, of which only the two lists were published.

        A row that cannot be read is an infrastructure failure.
        """
        recorded = item.inputs.get("recorded")
        if recorded is None or sample > 0:
            return None
        if "problem" in recorded:
            return Answer(failure=Failure(Fault.INFRASTRUCTURE, "bad-row", recorded["problem"]))
        usage = Usage(
            input_tokens=int(recorded["input_tokens"] or 0),
            output_tokens=int(recorded["output_tokens"] or 0),
            cost=recorded["cost"],
            seconds=recorded["generation_time"] or 0.0,
        )
        return Answer(text=recorded["text"], usage=usage)

    def questions(self, item: Item, answer: Answer) -> Sequence[Question]:
        """Which of eight subjects it shows; and a checklist, for subjects that cannot be checked exactly."""
        return _judge.judge_questions(item, answer, self.form)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Check or recognise the subject, score the format, describe the drawing, add the published scores."""
        if not item.inputs["subject"]:
            problem = item.inputs["recorded"]["problem"]
            return Result(item.id, {}, failure=Failure(Fault.INSTRUMENT, "no-subject", problem))
        return score_answer(item, answer, judgements, self.form)

    def controls(self) -> Mapping[str, Control]:
        """Floors: noise, blank, patterns, copied example, plain shape, stored drawings. Ceiling: our drawings."""
        return make_controls(self.form)
