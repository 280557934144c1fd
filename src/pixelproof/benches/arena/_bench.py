"""Arena: paint the exact segmentation, depth, normals, contours or keypoints of an image."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from pixelproof.benches.arena import palettes, prompts, sources
from pixelproof.benches.arena._case import Case, Frame, FrameSource
from pixelproof.benches.arena._controls import channel_ceiling, make_controls
from pixelproof.benches.arena._metrics import (
    CLASS_RATIOS,
    CLASS_SCORES,
    HEADLINE,
    ITEMISED,
    METRICS,
    TABLES,
    panoptic_of_class,
)
from pixelproof.benches.arena._score import score_answer
from pixelproof.benches.arena.floors import fitting_hash
from pixelproof.benches.arena.tasks import Depth, Edges, Keypoints, Normals, Referring, Semantic, Task
from pixelproof.benches.sources import ReferenceAnswers, item_id, list_files
from pixelproof.contract import (
    Answer,
    Artefact,
    Bench,
    Control,
    Display,
    Failure,
    Fault,
    Item,
    Metric,
    Part,
    PixelProofError,
    Prompt,
    Result,
    Source,
    option,
)
from pixelproof.metrics import pq_ratios
from pixelproof.pixels import ANSWER_FORMS, DECODERS, FIT_POLICIES, ImageChannel, Palette, encode_png
from pixelproof.store import can_import, local_path

_TASKS = sources.TASKS
_FOLDER = "folder"
_VARIANTS: Mapping[str, Callable[[Palette, int], Palette]] = {
    "own": lambda palette, seed: palette,
    "designed": lambda palette, seed: Palette(palette.labels, palettes.designed(len(palette))),
    "permuted": palettes.permuted,
    "fresh": palettes.fresh,
    "renamed": palettes.renamed,
}
"""Variant → palette of the prompt, from the source's own palette and a seed."""
_ENDLESS = ("world", "flat", "collage")
_WORLD = ("embreex", "manifold3d", "mujoco", "numba")
"""What the extra `world` brings."""
_OWN = "of the task"
_WORDING_OF = {task: task for task in _TASKS} | {"semantic": "improved", "depth": "depth-cube"}
_WORDINGS = (_OWN, *(name for name, wording in prompts.PROMPTS.items() if wording.task == "semantic"))
_PROFILES = ("auto", *prompts.PROFILES)
_REWARDS = {
    "semantic": "robust.iou",
    "referring": "referring.giou",
    "depth": "depth.delta1",
    "normals": "normals.within_11",
    "edges": "edges.f1",
    "keypoints": "keypoints.f1",
}
_MADE = 30
"""Number of items of a generated source by default."""


@dataclass(frozen=True)
class Arena(Bench):
    """Show a photograph and a palette, ask for the painted answer, and measure it under two protocols."""

    name: ClassVar[str] = "arena"
    version: ClassVar[str] = "2.1"
    title: ClassVar[str] = "Segmentation, depth, normals, contours and keypoints by painting"
    sources: ClassVar[Mapping[str, str]] = sources.SOURCES
    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    display: ClassVar[Display] = Display(
        HEADLINE, TABLES, groups=("class",), itemised=ITEMISED, item_evidence=("photo", "truth")
    )
    training_options: ClassVar[Mapping[str, str | int | float]] = {"profile": "training"}
    frozen: ClassVar[tuple[str, ...]] = ("arena-v1",)
    scorer_packages: ClassVar[tuple[str, ...]] = ("pixelproof.world",)

    task: str = option("semantic", "what to paint", choices=_TASKS)
    reference: str = option("", "folder: the masks, as index or painted PNGs", scored=False)
    generated: str = option(
        "", "folder: the answers, named like the masks, with .0, .1 … for several samples", scored=False, of_items=False
    )
    photos: str = option("", "folder: the photographs, named like the masks", scored=False)
    palette: str = option("", "folder: JSON file {label: [r, g, b]} in index order", scored=False)
    void: str = option("", "labels, separated by commas, that the robust protocol ignores")
    colours: str = option("own", "contamination test: other colours or names for the labels", choices=tuple(_VARIANTS))
    colours_seed: int = option(0, "seed of the other colours")
    wording: str = option(_OWN, "which prompt; by default that of the task", choices=_WORDINGS, scored=False)
    profile: str = option(
        "auto",
        "how prompts suit a family of models",
        choices=_PROFILES,
        scored=False,
    )
    decoder: str = option("robust", "decoder from colours to labels, for the robust protocol", choices=tuple(DECODERS))
    legend: str = option(
        "offered", "colours that count: offered, or declared by the model", choices=("offered", "declared")
    )
    form: str = option("auto", "how answers are read: painted colours, or label maps", choices=ANSWER_FORMS)
    fit: str = option(
        "auto",
        "answers of another size: stretch, crop to the aspect ratio, or refuse; auto: by the profile",
        choices=("auto", *FIT_POLICIES),
    )
    detail: str = option(
        "full",
        "lean: only the two protocols; no boundaries, audit, registration, images or copies of answers",
        choices=("full", "lean"),
    )
    gallery: int = option(200, "number of items with images in the gallery; metrics are of all items", scored=False)

    def __post_init__(self) -> None:
        for name in ("reference", "generated", "photos", "palette"):
            if given := getattr(self, name):
                object.__setattr__(self, name, str(Path(given).absolute()))  # a run can be read from anywhere
        if self.wording != _OWN:
            prompts.check_wording(self.wording, self.task)
        if self.generated and not self.reference:
            raise PixelProofError("--generated needs --reference: pass the folder of masks that the answers belong to.")

    def for_model(self, model: str) -> Arena:
        """The bench with the model's profile, unless one is chosen; answers to padded photographs are cropped."""
        profile = prompts.profile_for(model) if self.profile == "auto" else prompts.PROFILES[self.profile]
        fit = ("letterbox" if profile.aspects else "nearest") if self.fit == "auto" else self.fit
        return replace(self, profile=profile.name, fit=fit)

    def default_source(self) -> str:
        """`folder` if --reference is given, otherwise `world`, or `flat` without the extra that `world` needs."""
        return _FOLDER if self.reference else "world" if can_import(*_WORLD) else "flat"

    @property
    def copies_answers(self) -> bool:
        """Not with `--detail lean`, which is for many answers."""
        return self.detail == "full"

    @property
    def painting(self) -> Task:
        """The task."""
        others: Mapping[str, Task] = {
            "depth": Depth(),
            "normals": Normals(),
            "edges": Edges(),
            "keypoints": Keypoints(self.decoder),
        }
        if self.task in others:
            return others[self.task]
        kind = Referring if self.task == "referring" else Semantic
        return kind(self.decoder, self.legend, self.detail == "lean")

    def _open(self, source: str, data: Path | None) -> FrameSource:
        if source != _FOLDER:
            return _opened(source, data, self.task)
        ignored = tuple(label.strip() for label in self.void.split(",") if label.strip())
        folder = _local(self.reference) if self.reference else data
        palette, photos = (str(_local(given)) if given else None for given in (self.palette, self.photos))
        return _opened(source, folder, self.task, palette=palette, photos=photos, ignored=ignored)

    def _refresh(self, source: Source) -> None:
        """List folders again whose files have changed since they were listed."""
        named = [_local(given) for given in (self.reference, self.generated, self.photos, self.palette) if given]
        folders = [*named, *([source.data] if source.name == _FOLDER and source.data else [])]
        listings = {folder: list_files(folder) for folder in folders}
        if any(_listed.get(folder, listing) != listing for folder, listing in listings.items()):
            _opened.cache_clear()
            _reference_answers.cache_clear()
        _listed.update(listings)

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """One item per image, or per referred object; generated sources have as many as requested."""
        self._refresh(source)
        opened = self._open(source.name, source.data)
        if n is None and source.name in _ENDLESS:
            n = _MADE
        for index, case in enumerate(islice(opened.cases(seed), n)):
            # A file keeps its name in another folder.
            identity = item_id(self.name, source.name, 1, index if source.name in _ENDLESS else case.key)
            palette = _VARIANTS[self.colours](case.palette, self.colours_seed)
            if palette is not case.palette:
                case = replace(case, palette=Palette(case.palette.labels, palette.colours))
            inputs = {"case": case, "names": palette.labels}
            yield Item(identity, {**inputs, "index": index}, None, case.cluster or case.key, case.tags)

    def frame_of(self, item: Item) -> tuple[Case, Frame, FrameSource]:
        """The pixels of an item with its truth, for scorers and controls.

        Raises:
            PixelProofError: They cannot be read.
        """
        case: Case = item.inputs["case"]
        source = self._open(case.source, case.root)
        return case, source.load(case), source

    def prompt(self, item: Item) -> Prompt:
        """The photograph, images of the palette, and the task in words."""
        case, frame, _ = self.frame_of(item)
        if frame.photo is None:
            raise PixelProofError(f"No photograph for {case.key}: pass --photos to ask a model.")
        shown = replace(case, palette=Palette(item.inputs["names"], case.palette.colours))
        wording = self.wording if self.wording != _OWN else _WORDING_OF[self.task]
        profile = prompts.PROFILES["plain" if self.profile == "auto" else self.profile]
        height, width = frame.shape
        photo = encode_png(frame.photo)
        prompt = prompts.write_prompt(wording, shown, photo, (width, height), profile)
        return replace(prompt, data=self._data(shown, photo))

    def content(self, item: Item) -> str:
        """The photograph: the key of its scene or its file, whatever is to be painted."""
        return item.cluster

    def reward(self, item: Item) -> str:
        """The score of one image in the task's own metric, higher is better."""
        return _REWARDS[self.task]

    def _data(self, shown: Case, photo: Artefact) -> dict[str, Any]:
        """The prompt's facts for nets: the task, the photograph, and the labels or the expression that go with it."""
        data: dict[str, Any] = {"task": self.task, "photo": photo}
        if self.task not in ("depth", "normals"):
            palette = shown.palette
            data |= {"labels": list(palette.labels), "palette": [list(colour) for colour in palette.colours]}
        return data | ({"expression": shown.expression} if shown.expression else {})

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        """The image in the folder of answers."""
        if not self.generated:
            raise PixelProofError(
                "No answers: pass --generated DIR with images named like the references, or --answers DIR."
            )
        case: Case = item.inputs["case"]
        return self._answers(self._open(case.source, case.root)).answer(case.key, sample)

    def _answers(self, source: FrameSource) -> ReferenceAnswers:
        keys: frozenset[str] = getattr(source, "keys", frozenset())  # worlds have no files
        return _reference_answers(str(_local(self.generated)), keys)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Decode the answer, score it under both protocols, audit and register it."""
        if answer.failure is not None:
            return Result(item.id, {}, failure=answer.failure)
        try:
            opened = self.frame_of(item)
        except PixelProofError as error:
            return Result(item.id, {}, failure=Failure(Fault.INSTRUMENT, "bad-reference", str(error)))
        policy = "nearest" if self.fit == "auto" else self.fit
        gallery = self.detail == "full" and item.inputs["index"] < self.gallery
        return score_answer(item, answer, self.painting, opened, form=self.form, policy=policy, gallery=gallery)

    def controls(self) -> Mapping[str, Control]:
        """Floors: blank, copy, guess, noise. Ceilings: the truth, and the truth through the channel."""
        return make_controls(self.painting, self.frame_of)

    def ceiling(self, channel: str) -> Control | None:
        """The truth through a channel with soft or hard edges and JPEG, as `ImageChannel` names it."""
        named = ImageChannel.named(channel)
        return None if named is None else channel_ceiling(self.painting, self.frame_of, named)

    def control_data(self, source: Source) -> str:
        """Hash of the images of a data set that floors are fitted on, which need not be among the items."""
        self._refresh(source)
        return fitting_hash(self._open(source.name, source.data))

    def remarks(self, source: Source, samples: int = 1) -> tuple[str, ...]:
        """Remarks on how the source and the answers were read, and on the palette's ceiling."""
        self._refresh(source)
        opened = self._open(source.name, source.data)
        remarks = [*opened.notes]
        if self.generated:
            remarks += self._answers(opened).remarks(samples)
        palette = getattr(opened, "palette", None)  # of a data set; generated sources have one per image
        if palette is not None and self.task == "semantic":
            remarks.append(palettes.measurable(_VARIANTS[self.colours](palette, self.colours_seed)))
        if self.task == "semantic" and self.detail == "full":
            known = "the objects of the source" if opened.has_instances else "connected regions of each label"
            remarks.append(
                f"Panoptic quality and recall by size: segments of the reference are {known}, those of an answer "
                "connected regions of each label."
            )
        return tuple(remark for remark in remarks if remark)

    def parts(self, source: Source) -> Mapping[str, Mapping[str, Mapping[str, Part]]]:
        """Scores of each class over all images."""
        if self.task != "semantic":
            return {}
        labels = self._open(source.name, source.data).vocabulary
        return {"class": {label: _class_parts(place, len(labels)) for place, label in enumerate(labels)}}


def _class_parts(place: int, classes: int) -> dict[str, Part]:
    columns = (place, classes + place, 2 * classes + place)
    scores = {name: Part("robust.miou", columns, pool, CLASS_RATIOS.get(name)) for name, pool in CLASS_SCORES.items()}
    return scores | {"pq": Part("panoptic.pq", (*columns, 3 * classes + place), panoptic_of_class, pq_ratios)}


_listed: dict[Path, frozenset[tuple[str, int, int]]] = {}
"""Folder or file → its files when they were last listed."""


@lru_cache(maxsize=16)
def _local(given: str) -> Path:
    """A path, or for a URL the local mirror of its files, listed once per process."""
    return local_path(given)


@lru_cache(maxsize=8)
def _opened(name: str, data: Path | None, task: str, **options: Any) -> FrameSource:
    return sources.open_source(name, data, task, **options)


@lru_cache(maxsize=8)
def _reference_answers(folder: str, keys: frozenset[str]) -> ReferenceAnswers:
    return ReferenceAnswers(Path(folder), keys)
