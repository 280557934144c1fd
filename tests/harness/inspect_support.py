"""A provider that can be told what to say, and benches that show what the shared one cannot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import anyio
import numpy as np
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from PIL import Image
from tenacity import wait_none
from tenacity.wait import WaitBaseT

from pixelproof.contract import (
    Answer,
    Artefact,
    Bench,
    Display,
    Failure,
    Fault,
    Item,
    Metric,
    Prompt,
    Result,
    Source,
    option,
)
from pixelproof.harness import Ledger, Plan, Silent
from pixelproof.harness._inspect_run import run_inspect
from pixelproof.harness._rundir import RunDirectory
from pixelproof.models import Decoding


@dataclass
class Call:
    """What the provider was asked."""

    text: str
    seed: int | None
    config: GenerateConfig
    messages: list[ChatMessage]
    tools: list[Any] = field(default_factory=list)


@dataclass
class Brain:
    """What the provider says, and what it was asked."""

    say: Callable[[Call], Any] = lambda call: "5"
    delay: float = 0.0
    calls: list[Call] = field(default_factory=list)
    flying: int = 0
    most_flying: int = 0

    @property
    def n(self) -> int:
        return len(self.calls)


BRAINS: dict[str, Brain] = {}


class PuppetAPI(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        brain = BRAINS[self.model_name]
        call = Call(input[-1].text, config.seed, config, list(input), list(tools))
        brain.calls.append(call)
        brain.flying += 1
        brain.most_flying = max(brain.most_flying, brain.flying)
        try:
            await anyio.sleep(brain.delay)
            said = brain.say(call)
        finally:
            brain.flying -= 1
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, ModelOutput | tuple) else output(said)

    async def count_text_tokens(self, text: str) -> int:
        return len(text)

    def retry_wait(self) -> WaitBaseT:
        return wait_none()  # Inspect AI waits three to six seconds before its first retry


@modelapi(name="pptest")
def puppet() -> type[ModelAPI]:
    return PuppetAPI


def brain(name: str = "x", **settings: Any) -> Brain:
    """A fresh brain behind `pptest/NAME`."""
    BRAINS[name] = Brain(**settings)
    return BRAINS[name]


def output(*parts: str | Artefact, usage: ModelUsage | None = None, stop: str = "stop", **more: Any) -> ModelOutput:
    content = [ContentText(text=p) if isinstance(p, str) else ContentImage(image=p.data_uri) for p in parts]
    message = ChatMessageAssistant(content=content, source="generate")
    usage = usage or ModelUsage(input_tokens=10, output_tokens=2, total_tokens=12)
    return ModelOutput(
        model="x", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage, **more
    )


def png(array: np.ndarray) -> Artefact:
    file = io.BytesIO()
    Image.fromarray(array).save(file, "PNG")
    return Artefact(file.getvalue())


def noise(seed: int, side: int = 64) -> Artefact:
    return png(np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8))


@dataclass(frozen=True)
class Paint(Bench):
    """Paint a mask: image in, image out, pooled intersection over union, an overlay as evidence."""

    name: ClassVar[str] = "paint"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Paint a mask"
    sources: ClassVar[Mapping[str, str]] = {"masks": "random masks"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("area", "share of the mask that is painted", range=(0, 1)),
        Metric("iou", "pooled intersection over union", pool=lambda sums: sums[..., 0] / sums[..., 1], range=(0, 1)),
    )
    display: ClassVar[Display] = Display(("iou",))

    side: int = option(8, "pixels per side")
    overlay: int = option(64, "pixels per side of the evidence")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for index in range(12 if n is None else n):
            rng = np.random.default_rng((seed, index))
            mask = rng.random((self.side, self.side)) < (index + 1) / 14
            yield Item(f"paint/masks/1/{index:04d}", {"picture": noise(index, 16).data}, mask.tolist())

    def prompt(self, item: Item) -> Prompt:
        return Prompt((item.id, Artefact(item.inputs["picture"]), "Paint it."), wants="image", system="You paint.")

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        if not answer.images:
            return Result(item.id, {}, failure=answer.failure or Failure(Fault.MODEL, "no-image"))
        truth = np.asarray(item.truth)
        painted = np.asarray(Image.open(io.BytesIO(answer.images[-1].data)).convert("L")) > 127
        counts = [float((painted & truth).sum()), float((painted | truth).sum())]
        evidence = {"overlay": noise(int(counts[0]), self.overlay)}
        return Result(item.id, {"area": float(painted.mean()), "iou": counts}, evidence=evidence)

    def controls(self) -> dict[str, Any]:
        return {"ceiling-truth": lambda item, rng: Answer(images=(mask_of(item.truth),))}


def mask_of(mask: Any) -> Artefact:
    return png(np.asarray(mask, np.uint8) * 255)


@dataclass
class Walk:
    """An episode: say left or right until the goal is reached or three steps are gone."""

    goal: int
    place: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    def reset(self) -> Prompt:
        return Prompt((f"You are at 0, go to {self.goal}.",), system="left or right")

    def step(self, answer: Answer) -> Prompt | None:
        self.place += 1 if answer.text == "right" else -1
        self.steps.append({"said": answer.text, "place": self.place})
        if self.place == self.goal or len(self.steps) == 3:
            return None
        return Prompt((f"You are at {self.place}.",))

    def answer(self) -> Answer:
        return Answer(str(self.place), trace=tuple(self.steps))


@dataclass(frozen=True)
class Stroll(Bench):
    """Walk to a goal."""

    name: ClassVar[str] = "stroll"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Walk to a goal"
    sources: ClassVar[Mapping[str, str]] = {"lines": "goals on a line"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("arrived", "at the goal", range=(0, 1)),
        Metric("steps", "how many", False, None),
    )
    display: ClassVar[Display] = Display(("arrived",))

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for index in range(n or 3):
            yield Item(f"stroll/lines/1/{index}", {"goal": index + 1}, index + 1)

    def prompt(self, item: Item) -> Prompt:
        return Walk(item.truth).reset()

    def episode(self, item: Item) -> Walk:
        return Walk(item.truth)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        return Result(item.id, {"arrived": float(answer.text == str(item.truth)), "steps": float(len(answer.trace))})

    def controls(self) -> dict[str, Any]:
        return {"ceiling-truth": lambda item, rng: Answer(str(item.truth), trace=({"teleported": True},))}


Rows = list[dict[str, Any]]


def ask(path: Path, plan: Plan, model: str = "pptest/x", ledger: Ledger | None = None, **more: Any) -> Rows:
    """Run a plan through Inspect into a directory; gives the rows of its results."""
    path.mkdir(exist_ok=True)
    with RunDirectory(path, plan.bench) as run:
        run_inspect(run, plan, model, more.pop("decoding", Decoding()), ledger or Ledger(), Silent(), **more)
        return list(run.results.rows())


def stored(path: Path, plan: Plan) -> Rows:
    """The rows of the stored answers."""
    with RunDirectory(path, plan.bench) as run:
        return list(run.answers.rows())


def log_of(path: Path) -> Path:
    """The newest Inspect log of a run directory."""
    return max((path / "logs").glob("*.eval"), key=lambda file: file.stat().st_mtime_ns)


def members(log: Path) -> dict[str, int]:
    """Bytes of each member of a log, before compression."""
    with zipfile.ZipFile(log) as archive:
        return {info.filename: info.file_size for info in archive.infolist()}
