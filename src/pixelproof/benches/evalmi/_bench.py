"""EvalMi: images for prompts, judged by any model that reads images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any, ClassVar

from pixelproof.benches.evalmi._anchors import anchor_questions
from pixelproof.benches.evalmi._checks import CHECKS, installed_checks, require_check
from pixelproof.benches.evalmi._controls import make_controls
from pixelproof.benches.evalmi._drawn import TASKS, drawn_prompt
from pixelproof.benches.evalmi._facts import ListedPrompt, balanced, read_prompts
from pixelproof.benches.evalmi._judge import judge_questions
from pixelproof.benches.evalmi._metrics import HEADLINE, METRICS, TABLES
from pixelproof.benches.evalmi._prompts import write_prompt
from pixelproof.benches.evalmi._score import score_answer
from pixelproof.benches.judging import judge_image
from pixelproof.benches.sources import item_id
from pixelproof.contract import (
    Answer,
    Bench,
    Control,
    Display,
    Failure,
    Item,
    Metric,
    Prompt,
    Question,
    Result,
    Source,
    option,
    unknown_name,
)
from pixelproof.pixels import answer_image

_MADE = 42
"""Number of items of a generated source by default: six of each task of the flat one."""
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "auto": (),
    "none": (),
    "detector": ("detector",),
    "ocr": ("ocr",),
    "all": CHECKS,
}
_LISTED, _SUBSET = "evalmi", "evalmi-200"


@dataclass(frozen=True)
class EvalMi(Bench):
    """Ask for an image of a prompt; a judge says how good and how faithful it is, fact by fact."""

    name: ClassVar[str] = "evalmi"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Text to image, judged"
    sources: ClassVar[Mapping[str, str]] = {
        "world": "captions of generated scenes, whose facts and true image are known; as many as --limit",
        "flat": "the same of flat shapes, which need no extra and render in milliseconds",
        _LISTED: "the 2,100 prompts of EvalMi-50K; needs --data with its folder",
        _SUBSET: "ten prompts of each of its 20 tasks; needs --data with its folder",
    }
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(HEADLINE, TABLES, item_evidence=("truth",))
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.world", "pixelproof.nets", "pixelproof.benches.judging")

    checks: str = option(
        "auto", "facts that are checked without a judge; auto: with what is installed", choices=tuple(_CHOICES)
    )

    def for_model(self, model: str) -> EvalMi:
        """The bench with the checks that are installed, unless some are chosen.

        Raises:
            PixelProofError: A chosen check is not installed.
        """
        if self.checks == "auto":
            names = installed_checks()
            return replace(self, checks=next(name for name, of in _CHOICES.items() if of == names and name != "auto"))
        for name in _CHOICES[self.checks]:
            require_check(name)
        return self

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """One item per prompt; generated sources have as many as requested. Prompts of a data set have no seed."""
        if source.name in TASKS:
            places = range(_MADE) if n is None else count()
            return islice((self.drawn_item(source.name, seed, place) for place in places), n)
        if source.name in (_LISTED, _SUBSET):
            prompts = read_prompts(source.data)
            chosen = balanced(prompts) if source.name == _SUBSET else prompts
            return islice((self._listed(source.name, place, prompt) for place, prompt in enumerate(chosen)), n)
        raise unknown_name("source", source.name, self.sources)

    def drawn_item(self, source: str, seed: int, index: int) -> Item:
        """The item at a place of a generated source."""
        drawn = drawn_prompt(source, seed, index)
        return Item(
            item_id(self.name, source, 1, f"{seed}/{index:05d}"),
            self._inputs(source, index, drawn.text, drawn.facts, seed=seed),
            drawn.scene,
            drawn.text,
            {"task": drawn.task},
        )

    def _listed(self, source: str, index: int, prompt: ListedPrompt) -> Item:
        return Item(
            item_id(self.name, source, 1, prompt.id.zfill(5)),
            self._inputs(source, index, prompt.text, prompt.facts, main=prompt.main),
            None,
            prompt.text,
            {"task": prompt.task, "length": prompt.length},
        )

    @staticmethod
    def _inputs(source: str, index: int, prompt: str, facts: Sequence[Any], seed: int = 0, main: str = "") -> Any:
        shared = {"source": source, "index": index, "seed": seed}
        return {"prompt": prompt, "facts": tuple(facts), "main": main, **shared}

    def prompt(self, item: Item) -> Prompt:
        """The prompt's text, as it is."""
        return write_prompt(self.content(item))

    def content(self, item: Item) -> str:
        """The prompt's text."""
        return str(item.inputs["prompt"])

    def questions(self, item: Item, answer: Answer) -> Sequence[Question]:
        """Two levels and a question per fact about the image; the first items also ask about an anchor each."""
        rgb = answer_image(answer)
        if isinstance(rgb, Failure):
            return ()
        inputs = item.inputs
        asked = judge_questions(judge_image(rgb), inputs["prompt"], inputs["facts"], inputs["main"])
        return [*asked, *anchor_questions(inputs["index"])]

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Read the judge's replies, check facts, measure pixels."""
        return score_answer(item, answer, judgements, _CHOICES[self.checks])

    def controls(self) -> Mapping[str, Control]:
        """Floors: blank, noise, images of other prompts. Ceiling: the true image, where there is one."""
        return make_controls()

    def remarks(self, source: Source, samples: int = 1) -> tuple[str, ...]:
        """What checked the facts, and whether the prompts have true images."""
        checked = " and ".join(_CHOICES[self.checks])
        remarks = [f"Facts are checked by: {checked}." if checked else "Neither detector nor OCR checks facts here."]
        if source.name not in TASKS:
            remarks.append("The prompts come from a data set without true images: no ceiling, so no calibrated score.")
        return tuple(remarks)
