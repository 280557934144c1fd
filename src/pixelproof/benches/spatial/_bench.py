"""Spatial: carry out an edit of a photograph exactly, and change nothing else."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from pixelproof.benches.sources import item_id
from pixelproof.benches.spatial import _pairs as pairs
from pixelproof.benches.spatial import _prompts as prompts
from pixelproof.benches.spatial import understanding
from pixelproof.benches.spatial._annotations import ANNOTATIONS, annotate
from pixelproof.benches.spatial._controls import make_controls, scene_answer
from pixelproof.benches.spatial._metrics import HEADLINE, METRICS, TABLES
from pixelproof.benches.spatial._pairs import FROZEN, OPTIONS, frozen_pairs
from pixelproof.benches.spatial._perception import PERCEPTIONS
from pixelproof.benches.spatial._prompts import judge_questions, with_judgement
from pixelproof.benches.spatial._score import Scorer
from pixelproof.benches.spatial.rendering import SceneRenderer
from pixelproof.contract import (
    Answer,
    Artefact,
    Bench,
    Control,
    Display,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Question,
    Result,
    Source,
    option,
    unknown_name,
)
from pixelproof.pixels import encode_png

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair

_BINS: Mapping[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    "change": ((0.12, 0.3), ("below 0.12", "0.12 to 0.3", "0.3 and more")),
    "things": ((6, 9), ("up to 5", "6 to 8", "9 and more")),
    "size": ((0.006, 0.02), ("below 0.6 %", "0.6 to 2 %", "2 % and more")),
    "visible": ((0.8, 0.95), ("below 80 %", "80 to 95 %", "95 % and more")),
}
"""Part of a difficulty → limits of its bins, and their names."""


def difficulty_tags(pair: Pair) -> dict[str, str]:
    """Level, and the bins of the parts that the difficulty of a pair has."""
    tags: dict[str, str] = {"level": pair.level}
    for name, (limits, names) in _BINS.items():
        if name in pair.difficulty:
            tags[name] = names[bisect_right(limits, pair.difficulty[name])]
    return tags


_MADE = 36
"""Number of items of the generated source by default: three of each operation."""
_TASKS = ("editing", "understanding")
_LANGUAGES = ("en", "zh")
_PRESETS = ("all", "gsi")
_SPLITS = ("train", "test", "test-category", "test-colour", "test-layout", "test-shape")
_SIZES = (32, 2048)
_DETECTOR = "detector"
"""The perception of photographs, which have no scene."""
_LISTED = 20
"""Most files with problems that the run card names."""
_ENDLESS = 10**9
_QUESTIONS = {"omnispatial": understanding.omnispatial_items, "sat": understanding.sat_items}
"""Source → reader of the questions of a data set."""


@dataclass(frozen=True)
class Spatial(Bench):
    """Show a photograph and an instruction, ask for the edited photograph, and measure what was done in metres."""

    name: ClassVar[str] = "spatial"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Spatially exact edits of photographs"
    sources: ClassVar[Mapping[str, str]] = {
        "world": "edits of generated scenes, drawn from the seed",
        FROZEN: "the frozen set: 240 edits of `world` that never change, each verified before it is used",
        "made": "a set of pairs from 'pixelproof spatial make'; needs --data",
        "gsi": "a released folder of GSI-Bench, scored by its boxes; needs --data",
        "omnispatial": "a folder of OmniSpatial, with --task understanding; needs --data",
        "sat": "a Parquet file of SAT, with --task understanding; needs --data",
    }
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(
        HEADLINE,
        TABLES,
        groups=("operation", "skill"),
        item_evidence=("before", "target"),
        request=("instruction", "question"),
    )
    training_options: ClassVar[Mapping[str, str | int | float]] = {"world_split": "train"}
    frozen: ClassVar[tuple[str, ...]] = (FROZEN,)
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.world", "pixelproof.benches.judging")

    task: str = option("editing", "what is asked for: edits, or answers to questions about the scenes", choices=_TASKS)
    perception: str = option(
        next(iter(PERCEPTIONS)), "how the scene is read from an answer", choices=(*PERCEPTIONS, _DETECTOR)
    )
    detector: str = option("", "perception detector, of source gsi: name of an installed detector")
    wording: str = option(
        next(iter(prompts.WORDINGS)), "text around the instruction", choices=tuple(prompts.WORDINGS), scored=False
    )
    annotations: str = option(
        "none", "what nets get of the photograph: nothing, or masks and camera", choices=ANNOTATIONS, scored=False
    )
    preset: str = option("all", "world: operations and amounts; gsi: those of GSI-Bench", choices=_PRESETS)
    world_split: str = option("test", "world: which objects and layouts occur", choices=_SPLITS)
    language: str = option("en", "world: language of the instructions", choices=_LANGUAGES)
    size: int = option(512, "world: side of the photographs in pixels")
    quality: str = option("beauty", "world: quality of the renders", choices=("beauty", "draft"))
    gallery: int = option(200, "number of items with images in the gallery; metrics are of all items")

    def __post_init__(self) -> None:
        if not _SIZES[0] <= self.size <= _SIZES[1]:
            raise PixelProofError(f"--size {self.size} is not possible: choose {_SIZES[0]} to {_SIZES[1]} pixels.")
        if self.detector and self.perception != _DETECTOR:
            raise PixelProofError(
                f"--detector {self.detector} has no effect with --perception {self.perception}: pass --perception "
                "detector, or leave out --detector."
            )

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """One item per edit, or per question; the generated source has as many as requested."""
        if self.perception == _DETECTOR and source.name != "gsi":
            raise PixelProofError(
                "--perception detector is for photographs: choose --source gsi, or another perception."
            )
        if source.name in _QUESTIONS:
            if self.task != "understanding":
                raise PixelProofError(f"The source {source.name!r} has questions: pass --task understanding.")
            return islice(_QUESTIONS[source.name](self.name, source.data), n)
        if self.task == "understanding":
            if source.name == "gsi":
                raise PixelProofError("The source 'gsi' has no scenes to ask about: choose world or made.")
            return islice(self._question_items(source, seed, n), n)
        return self._edit_items(source, seed, n)

    def _question_items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Questions about the scenes of the editing task; as many scenes as that has by default, or as `n` takes."""
        most = _ENDLESS if source.name == "world" and n is not None else None
        scenes = (understanding.Scene(item.truth, item) for item in self._edit_items(source, seed, most))
        return understanding.understanding_items(scenes, seed, self.language)

    def _edit_items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        if source.name == "world":
            given = pairs.sampled_pairs(seed, language=self.language, preset=self.preset, world_split=self.world_split)
            made = (self.pair_item("world", f"{seed}/{i:05d}", i, text) for i, text in enumerate(given))
            return islice(made, _MADE if n is None else n)
        if source.name == FROZEN:
            self._require_frozen_options()
            return (self.pair_item(FROZEN, f"{i:05d}", i, text) for i, text in enumerate(frozen_pairs(n)))
        if source.name == "made":
            recipe, given = pairs.made_pairs(source.data)
            look = {"size": recipe.width, "quality": recipe.quality}
            made = (self.pair_item("made", recipe.item_id(i), i, text, look) for i, text in enumerate(given))
            return islice(made, n)
        if source.name == "gsi":
            from pixelproof.benches.spatial._gsi import gsi_items
            from pixelproof.benches.spatial.detectors import open_detector

            if self.perception == _DETECTOR:
                open_detector(self.detector)  # says at once if there is none
            return islice(gsi_items(self.name, source.data), n)
        raise unknown_name("source", source.name, self.sources)

    def _require_frozen_options(self) -> None:
        for name, value in OPTIONS.items():
            if getattr(self, name) != value:
                flag = f"--{name.replace('_', '-')}"
                raise PixelProofError(f"{FROZEN} has {flag} {value}: leave it out, or use the source 'world'.")

    def pair_item(self, source: str, key: str, index: int, text: str, look: Mapping[str, Any] | None = None) -> Item:
        """The item of a pair.

        Args:
            source: Name of the source.
            key: Key of the pair in the source.
            index: Place in the source.
            text: The pair as JSON.
            look: Size and quality of the photographs; those of the bench unless given.
        """
        look = {"size": self.size, "quality": self.quality} if look is None else look
        pair = pairs.read_pair(text)
        tags = {"operation": pair.operation, "scene": pair.before.kind, **difficulty_tags(pair)}
        inputs = {"instruction": pair.text, "index": index, **look}
        cluster = f"{pair.before.kind}/{pair.before.seed}/{pair.before.index}"
        return Item(item_id(self.name, source, 1, key), inputs, text, cluster, tags)

    @staticmethod
    def pair_of(item: Item) -> Pair:
        """The scenes and the edit of an item, for scorers and controls."""
        return pairs.read_pair(item.truth)

    @staticmethod
    def renderer_of(item: Item) -> SceneRenderer:
        """Renders scenes as the photograph of an item was rendered."""
        return SceneRenderer(item.inputs["size"], item.inputs["quality"])

    def prompt(self, item: Item) -> Prompt:
        """The photograph, and the instruction or the question."""
        if isinstance(item.truth, understanding.Question):
            return understanding.write_question(item.truth, self._photographs(item), self.wording.startswith("bare"))
        data: dict[str, Any] = {} if self.annotations == "none" else {"annotations": None}
        if isinstance(item.truth, str):
            pair, renderer = self.pair_of(item), self.renderer_of(item)
            photo = encode_png(renderer.render(pair.before, keep=True).rgb)
            data = {name: annotate(pair, renderer) for name in data}
        else:
            photo = item.truth.photo()
        return prompts.write_prompt(self.wording, item.inputs["instruction"], photo, data)

    def _photographs(self, item: Item) -> tuple[Artefact, ...]:
        """The images that a question is about."""
        if not item.truth.pair:
            return item.truth.photographs()  # type: ignore[no-any-return]
        before = pairs.read_pair(item.truth.pair).before
        return (encode_png(self.renderer_of(item).render(before, keep=True).rgb),)

    def content(self, item: Item) -> Any:
        """The scene, or the photograph, of an edit or a question, whatever is asked about it."""
        return item.cluster or super().content(item)

    def reward(self, item: Item) -> str:
        """Of a question its score; of an edit whether it is right and all else as before, or whether it is declined."""
        if "kind" in item.tags:
            return "accuracy" if item.tags["kind"] == "choice" else "mra"
        return pairs.IMPOSSIBLE if item.tags["operation"] == pairs.IMPOSSIBLE else "micro.joint"

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Perceive the scene in the answer, and compare it with the one that is asked for; or read the answer."""
        gallery = item.inputs["index"] < self.gallery
        if isinstance(item.truth, understanding.Question):
            photos = self._photographs(item) if gallery else ()
            shown = {"before" if not place else f"before {place + 1}": photo for place, photo in enumerate(photos)}
            return understanding.score_answer(item, answer, shown)
        if not isinstance(item.truth, str):
            from pixelproof.benches.spatial._gsi import score_gsi
            from pixelproof.benches.spatial.detectors import open_detector

            detector = open_detector(self.detector) if self.perception == _DETECTOR else None
            result = score_gsi(item, answer, item.truth, pairs.OPERATIONS, gallery, detector)
            return with_judgement(result, judgements)
        scorer = Scorer(PERCEPTIONS[self.perception], self.renderer_of(item), pairs.OPERATIONS, gallery)
        return with_judgement(scorer.score(item, answer, self.pair_of(item)), judgements)

    def questions(self, item: Item, answer: Answer) -> Sequence[Question]:
        """How the answer looks, given the photograph and the instruction; nothing about impossible edits and words."""
        if isinstance(item.truth, understanding.Question) or item.tags["operation"] == pairs.IMPOSSIBLE:
            return ()
        prompt = replace(self, annotations="none").prompt(item)
        return judge_questions(item.inputs["instruction"], prompt.data["photo"], answer)

    def controls(self) -> Mapping[str, Control]:
        """Floors: copy, blank, a guess. Ceilings: the target, and the target as JPEG. Others have a known fault.

        Of questions: the most frequent answer, a guess, and the right answer.
        """
        if self.task == "understanding":
            return understanding.CONTROLS
        return make_controls(self._answer_of)

    def _answer_of(self, item: Item, control: str) -> Answer:
        if isinstance(item.truth, str):
            return scene_answer(self.pair_of(item), control, self.renderer_of(item))
        from pixelproof.benches.spatial._gsi import gsi_answer

        return gsi_answer(item.truth, control)

    def remarks(self, source: Source, samples: int = 1) -> tuple[str, ...]:
        """What the perception can read, and which files of a data set cannot be read."""
        remarks = []
        only_controls = self.perception == "oracle" or (source.name == "gsi" and self.perception != _DETECTOR)
        if self.task == "editing" and only_controls:
            remarks.append("Only images of controls are scored, whose scenes are known; those of models are stored.")
        elif self.task == "editing":
            from pixelproof.benches.spatial.perception import describe_calibration

            remarks.append(describe_calibration(self.perception))
        if source.name == "gsi":
            from pixelproof.benches.spatial._gsi import open_folder

            problems = open_folder(source.data).problems
            if problems:
                shown = "; ".join(f"{name}: {why}" for name, why in list(problems.items())[:_LISTED])
                more = f"; and {len(problems) - _LISTED} more" if len(problems) > _LISTED else ""
                remarks.append(f"{len(problems)} edits cannot be read and are left out ({shown}{more}).")
        return tuple(remarks)
