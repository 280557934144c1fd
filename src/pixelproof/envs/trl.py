"""TRL: a bench as `environment_factory` and `reward_funcs` of a `GRPOTrainer`; needs the extra `trl`.

Benches whose answers are text or calls of tools. The rows of the data set name the items; `reset` of the environment
adds what an item shows to the last message of the user, and each tool is a method. The reward is a function, because
`get_reward` of an environment never sees the final reply.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import Any

from PIL import Image

from pixelproof.contract import Artefact, Item, PixelProofError, Prompt, Tool
from pixelproof.models import Message, content_blocks

from ._environment import Environment, Play

_TYPES = {"integer": int, "string": str, "number": float, "boolean": bool}
_OVER = "The episode is over: reply with the answer."


def training_rows(environment: Environment, n: int) -> list[Message]:
    """Rows of a data set: `prompt`, a system message and one for `reset` to add to, and `item`, the id."""
    return [{"prompt": _first_messages(environment, item), "item": item.id} for item in environment.first(n)]


def _first_messages(environment: Environment, item: Item) -> list[Message]:
    prompt = environment.bench.prompt(item)
    if prompt.wants == "image":
        raise PixelProofError(f"{environment.bench.name} wants images, and TRL trains models that write text.")
    system: list[Message] = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": ""}]


def environment_factory(environment: Environment) -> type:
    """A class whose instances TRL makes: `reset` takes the columns of a row, and every tool is a method."""
    tools = environment.play(environment.first(1)[0]).tools
    methods = {tool.name: _method(tool) for tool in tools}
    return type("PixelProofEnvironment", (_TrlEnvironment,), {"_environment": environment, **methods})


def reward_function(kind: str = "calibrated") -> Callable[..., list[float | None]]:
    """A function for `reward_funcs`: `calibrated` or `exact`; None where a fault is not the model's."""

    def reward(completions: Sequence[Any], environments: Sequence[Any], **columns: Any) -> list[float | None]:
        pairs = zip(completions, environments, strict=True)
        return [environment._pay(_text(completion), kind) for completion, environment in pairs]

    reward.__name__ = kind
    return reward


class _TrlEnvironment:
    _environment: Environment
    _item: Item
    _play: Play

    def reset(self, item: str, **columns: Any) -> list[Message]:
        self._item = self._environment.item(item)
        self._play = self._environment.play(self._item)
        return _blocks(self._play.prompt)

    def _pay(self, text: str, kind: str) -> float | None:
        self._play.step(text)
        return self._environment.reward(self._item, self._play.answer).of(kind)


def _blocks(new: Prompt) -> list[Message]:
    """Results of calls and new parts as content blocks with PIL images."""
    results = [part for turn in new.history if turn.role == "tool" for part in turn.parts]
    return content_blocks((*results, *new.parts), _pil_block)


def _pil_block(image: Artefact) -> Any:
    return {"type": "image", "image": Image.open(io.BytesIO(image.data)).convert("RGB")}


def _text(completion: Any) -> str:
    """The text of the last message of a completion."""
    content = (completion[-1].get("content") or "") if completion else ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _method(tool: Tool) -> Callable[..., list[Message]]:
    """A method with the annotations and the docstring that transformers turns into a JSON Schema again."""
    properties, required = tool.parameters["properties"], tool.parameters.get("required", ())
    names = sorted(properties, key=lambda name: name not in required)

    def call(self: _TrlEnvironment, *values: Any, **arguments: Any) -> list[Message]:
        arguments |= dict(zip(names, values, strict=False))
        chosen = {name: value for name, value in arguments.items() if value is not None}
        new = self._play.call(tool.name, chosen)
        return [{"type": "text", "text": _OVER}] if self._play.done else _blocks(new)

    hints = {n: _hint(properties[n]) if n in required else _hint(properties[n]) | None for n in names}
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    absent = inspect.Parameter.empty
    parameters = [
        inspect.Parameter(n, place, annotation=hints[n], default=absent if n in required else None) for n in names
    ]
    method: Any = call
    method.__name__ = method.__qualname__ = tool.name
    method.__annotations__ = {**hints, "return": list}
    method.__signature__ = inspect.Signature([inspect.Parameter("self", place), *parameters])
    about = [f"    {name}: {properties[name].get('description', name)}" for name in names]
    method.__doc__ = "\n".join([tool.about, "", "Args:", *about, "", "Returns:", "    What the tool returned."])
    return call


def _hint(schema: Any) -> Any:
    if schema.get("type") == "array":
        return GenericAlias(list, (_hint(schema["items"]),))
    return _TYPES[schema["type"]]
