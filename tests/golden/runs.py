"""The golden runs: name → function that carries it out in the working directory and returns what is compared."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pixelproof
from benches.arena import folders
from golden import models
from golden.records import plain, record_run
from golden.toys import Shade, Stroll
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Settings, comparison_to_json, estimate
from pixelproof.models import Decoding
from support import Guess

Record = dict[str, Any]


@dataclass(frozen=True)
class Golden:
    """A run: its function, whether `make check` tries it, and whether it renders scenes or runs a network."""

    function: Callable[[], Record]
    fast: bool
    rendered: bool


RUNS: dict[str, Golden] = {}


def golden(fast: bool = False, rendered: bool = False) -> Callable[[Callable[[], Record]], Callable[[], Record]]:
    """Register a run under the name of its function."""

    def register(function: Callable[[], Record]) -> Callable[[], Record]:
        RUNS[function.__name__] = Golden(function, fast, rendered)
        return function

    return register


def carry_out(name: str) -> Record:
    """The record of a run in a fresh directory, with an empty cache, so that the tested code measures the floors."""
    models.SENT.clear()
    models.RESUMED.clear()
    with tempfile.TemporaryDirectory() as place, chdir(place):
        with mock.patch.dict(os.environ, PIXELPROOF_CACHE=str(Path(place, "cache"))):
            record = RUNS[name].function()
        return plain({**record, "sent": list(models.SENT)})


def run(bench: Any, model: Any, **settings: Any) -> Record:
    """The record of `pixelproof.run` in its default directory."""
    return record_run(pixelproof.run(bench, model, workers=1, **settings).path)


def refusal(function: Callable[..., object], *arguments: Any, **settings: Any) -> str:
    """The message of the error that a call ends with."""
    try:
        function(*arguments, **settings)
    except PixelProofError as error:
        return str(error)
    return "no error"


# --- the harness, on a toy bench


@golden(fast=True)
def answers_of_all_kinds() -> Record:
    return run(Guess(n=21, cluster_size=3), models.uneven, samples=2, seed=3)


@golden(fast=True)
def judged() -> Record:
    return run(Guess(n=9), models.digit, judge="fn/golden.models:polite", seed=1)


@golden(fast=True)
def episode_without_a_trace() -> Record:
    return run(Stroll(n=6), models.walker)


@golden(fast=True)
def control_of_an_episode() -> Record:
    return run(Stroll(n=6), "control/floor-random", samples=2)


@golden(fast=True)
def abstentions() -> Record:
    return run(Shade(n=8, cluster_size=2), models.grey, samples=2)


@golden(fast=True)
def calibrated_on_some_items() -> Record:
    return run(Guess(n=12), models.digit, calibrate=4)


@golden(fast=True)
def shards_merged() -> Record:
    parts = [pixelproof.run(Guess(n=7), models.digit, shard=f"{k}/2", workers=1).path for k in (1, 2)]
    merged = pixelproof.merge(parts, "merged", Guess(n=7))
    return {"first": record_run(parts[0]), "merged": record_run(merged.path)}


@golden(fast=True)
def interrupted_and_resumed() -> Record:
    try:
        pixelproof.run(Guess(n=5), models.interrupted, out="run", workers=1)
    except models.Interruption:
        state = pixelproof.open_run("run").card["state"]
    models.RESUMED.append(True)
    resumed = pixelproof.run(Guess(n=5), models.interrupted, out="run", resume=True, workers=1)
    return {"state": state, "resumed": record_run(resumed.path)}


@golden(fast=True)
def rescored() -> Record:
    first = pixelproof.run(Guess(n=6), models.digit, judge="fn/golden.models:polite", workers=1)
    return record_run(pixelproof.rescore(first.path, Guess(n=6)).path)


@golden(fast=True)
def samples_added() -> Record:
    pixelproof.run(Guess(n=4), models.digit, out="run", workers=1)
    return run(Guess(n=4), models.digit, out="run", samples=2, resume=True)


@golden(fast=True)
def stopped_by_the_budget() -> Record:
    stopped = run(Guess(n=12), models.paying, price="input=100,output=1000", max_cost=0.06, connections=1)
    plan, money = Plan(Guess(n=12), Source("digits")), Settings(price="input=100,output=1000")
    dry = estimate(plan, models.paying, money, Decoding())
    return {"stopped": stopped, "estimate": dry}


@golden(fast=True)
def compared() -> Record:
    paths = [
        pixelproof.run(Guess(n=20, cluster_size=2), model, workers=1).path for model in (models.digit, models.uneven)
    ]
    return {"comparison": comparison_to_json(pixelproof.compare(*paths, bench=Guess(n=20, cluster_size=2)))}


# --- models through Inspect AI


def inspect_run(say: Callable[[Any], Any], bench: Any = None, **settings: Any) -> Record:
    """The record of a run through a provider of Inspect AI that is told what to say, one call at a time."""
    from harness.inspect_support import brain

    puppet = brain("golden", say=say)
    bench = bench or Guess(n=4)
    try:
        record = run(bench, "pptest/golden", connections=1, calibrate=0, **settings)
    except PixelProofError as error:
        record = {"error": str(error).split(" (")[0]}
    for call in puppet.calls:
        messages = [[message.role, message.text] for message in call.messages]
        images = [part for message in call.messages for part in message.content if not isinstance(part, str)]
        tools = [[tool.name, tool.description] for tool in call.tools]
        models.SENT.append([messages, len(images), tools, call.seed, call.config.max_tokens])
    return record


@golden(fast=True)
def through_inspect() -> Record:
    return inspect_run(lambda call: "7" if "odd" in call.text else "4", samples=2)


@golden()
def through_inspect_with_errors() -> Record:
    failed: set[int] = set()

    def say(call: Any) -> Any:
        if call.seed % 3 == 0 and call.seed not in failed:
            failed.add(call.seed)
            return TimeoutError("late")
        return RuntimeError("broken") if call.seed % 7 == 0 else "5"

    return inspect_run(say, Guess(n=9))


@golden()
def through_inspect_with_tools() -> Record:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    def say(call: Any) -> Any:
        if "You are at 1" in call.text:
            return "1"
        request = ToolCall(id="c1", function="STEP", arguments={"by": 1})
        message = ChatMessageAssistant(content="", tool_calls=[request], source="generate")
        choice = ChatCompletionChoice(message=message, stop_reason="tool_calls")
        return ModelOutput(
            model="x", choices=[choice], usage=ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)
        )

    return inspect_run(say, Stroll(n=3))


@golden()
def through_inspect_with_images() -> Record:
    from harness.inspect_support import noise, output

    return inspect_run(lambda call: output(noise(call.seed % 5, 8)), Shade(n=4))


@golden()
def through_inspect_with_a_budget() -> Record:
    return inspect_run(lambda call: "5", Guess(n=9), price="input=100,output=10", max_cost=0.5)


@golden()
def through_inspect_without_an_answer() -> Record:
    return inspect_run(lambda call: PermissionError("401: wrong key"), Guess(n=30))


# --- pixelart


@golden(fast=True)
def pixelart_reference_drawings() -> Record:
    return run("pixelart", "control/ceiling-truth", limit=4, calibrate=2)


@golden()
def pixelart_noise() -> Record:
    return run("pixelart", "control/floor-noise", limit=4, samples=2)


@golden()
def pixelart_published_subjects() -> Record:
    return run("pixelart", "control/floor-blank", source="published")


@golden()
def pixelart_fresh_subjects() -> Record:
    return run("pixelart", models.square, source="fresh", seed=5, limit=12, calibrate=3)


@golden()
def pixelart_broken_replies() -> Record:
    return run("pixelart", models.empty, source="fresh", seed=6, limit=6, family="lite")


# --- agent

TASKS = "largest-colour,compare-areas,flash-colour,event-order,count-clutter"


@golden(rendered=True)
def agent_without_looking() -> Record:
    return run("agent", "control/floor-never-look", task=TASKS, limit=5)


@golden(rendered=True)
def agent_with_an_oracle() -> Record:
    return run("agent", "control/oracle-tools", task="largest-colour,compare-areas,flash-colour", limit=3, calibrate=0)


@golden(rendered=True)
def agent_frozen_set() -> Record:
    return run("agent", "control/ceiling-truth", source="agent-v1", limit=6, calibrate=0)


@golden(rendered=True)
def agent_without_a_picture() -> Record:
    return run("agent", "control/floor-prior", task="largest-colour", limit=3, intervention="no-picture", calibrate=2)


@golden(rendered=True)
def agent_that_zooms() -> Record:
    return run("agent", models.zoomer, task="largest-colour,count-clutter", limit=4, calibrate=2)


# --- arena


def arena_folder(**options: Any) -> Record:
    """A folder with a perfect, a shifted, a torn, a missing and a wrongly sized answer, and one that is no image."""
    names = folders.make(Path(), n=6)
    for index in (0, 1, 2):
        painted = folders.PALETTE.paint(folders.mask(index))
        file = folders.answer(Path(), index, painted if index != 1 else painted[:, list(range(4, 96)) + [95] * 4])
        if index == 2:
            file.write_bytes(file.read_bytes()[:300])
    folders.answer(Path(), 4, folders.PALETTE.paint(folders.mask(4))[:40])
    folders.answer(Path(), 5, b"I cannot paint this.")
    return record_run(pixelproof.score("arena", source="folder", out="run", workers=1, **names, **options).path)


@golden()
def arena_folder_of_masks() -> Record:
    return arena_folder()


@golden()
def arena_folder_lean() -> Record:
    return arena_folder(detail="lean", calibrate=2)


@golden(rendered=True)
def arena_world() -> Record:
    """Four tasks and models on the same scenes, which are rendered once."""
    return {
        "channel": run("arena", "control/ceiling-channel", limit=2, calibrate=1),
        "clustering": run("arena", "nets/kmeans", limit=1, calibrate=0),
        "depth": run("arena", "control/floor-guess", task="depth", limit=2, calibrate=1),
        "referring": run("arena", "control/floor-noise", task="referring", limit=3, calibrate=1),
    }


# --- evalmi


@golden()
def evalmi_blank() -> Record:
    return run("evalmi", "control/floor-blank", source="flat", limit=4, checks="none")


@golden()
def evalmi_judged() -> Record:
    return run("evalmi", "control/ceiling-truth", source="flat", limit=4, checks="none", judge="fn/golden.models:words")


# --- spatial

EDITS = {"size": 128, "quality": "draft", "perception": "oracle"}


@golden(rendered=True)
def spatial_copy() -> Record:
    return run("spatial", "control/floor-copy", limit=2, calibrate=1, **EDITS | {"perception": "render-and-compare"})


@golden(rendered=True)
def spatial_plausible_edits() -> Record:
    return run("spatial", "control/floor-prior", limit=4, **EDITS)


@golden(rendered=True)
def spatial_abstention() -> Record:
    return run("spatial", models.noise, limit=1, calibrate=0, size=128, quality="draft")


@golden(rendered=True)
def spatial_questions() -> Record:
    return run("spatial", "control/floor-guess", task="understanding", limit=6, size=64, quality="draft")
