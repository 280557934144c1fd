"""Examples as rows in the columns that trainers expect.

Examples whose last turn is an image have the columns `input_image` (unless there is none), `edit_prompt` and
`edited_image`, in this order. All others are conversations: `prompt` and `completion` if the model has one turn, else
`messages`; with `images` (one per image block, in order) and `tools` (JSON) if there are any.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pixelproof.contract import Artefact, Example, Item, Prompt
from pixelproof.models import chat_messages, chat_tools

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Cell = Artefact | Sequence[Artefact] | Json
"""Text, a number, an image, a list of images, or messages."""
Row = dict[str, Cell]
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_BLOCKS = pa.list_(pa.struct([("type", pa.string()), ("text", pa.string())]))
_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_CALLS = pa.list_(pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)]))


@dataclass(frozen=True)
class Layout:
    """The columns of a table: what the examples of one bench with the same options have in common."""

    edits: bool
    """The answer is an image."""
    images: bool
    """The model is shown images."""
    turns: bool
    """The model has several turns."""

    @classmethod
    def of(cls, example: Example) -> Layout:
        """The layout that an example fits."""
        shown = any(isinstance(part, Artefact) for turn in example.turns[:-1] for part in turn.parts)
        edits = any(isinstance(part, Artefact) for part in example.turns[-1].parts)
        return cls(edits, shown, sum(turn.role == "model" for turn in example.turns) > 1 or bool(example.tools))

    def row(self, example: Example, item: Item, seed: int) -> Row:
        """The row of an example."""
        origin: Row = {
            "item": item.id,
            "seed": seed,
            "tags": json.dumps({**item.tags, **example.about}, sort_keys=True),
        }
        return (self._edit(example) if self.edits else self._conversation(example)) | origin

    def _edit(self, example: Example) -> Row:
        parts = [part for turn in example.turns[:-1] for part in turn.parts]
        text = "\n".join(part for part in parts if isinstance(part, str))
        before = [part for part in parts if isinstance(part, Artefact)][:1]
        after = [part for part in example.turns[-1].parts if isinstance(part, Artefact)][-1]
        return {**({"input_image": before[0]} if self.images else {}), "edit_prompt": text, "edited_image": after}

    def _conversation(self, example: Example) -> Row:
        images: list[Artefact] = []

        def block(image: Artefact) -> Any:
            images.append(image)
            return {"type": "image"}

        # Trainers fill placeholders of images in messages of the user only.
        prompt = Prompt((), system=example.system, history=example.turns)
        messages = [self._message(message) for message in chat_messages(prompt, tool_images=False, block=block)]
        row: Row = {"messages": messages} if self.turns else {"prompt": messages[:-1], "completion": messages[-1:]}
        if self.turns:
            wrong = {id(turn) for place, turn in enumerate(example.turns) if place in example.mistakes}
            said = [id(turn) not in wrong for turn in example.turns if turn.role == "model"]
            learnt = iter(said)
            row["train"] = [message["role"] == "assistant" and next(learnt) for message in messages]
            row["tools"] = json.dumps(chat_tools(example.tools))
        return row | ({"images": images} if self.images else {})

    def _message(self, message: Any) -> Any:
        content = message["content"]
        if self.images and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not self.turns:
            return {"role": message["role"], "content": content}
        calls = [
            {"id": call["id"], "type": "function", "function": call["function"]}
            for call in message.get("tool_calls", ())
        ]
        return {"role": message["role"], "content": content, "tool_calls": calls or None}

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with the features that `datasets` reads."""
        columns: list[tuple[str, pa.DataType]] = []
        if self.edits:
            columns += [("input_image", _IMAGE)] if self.images else []
            columns += [("edit_prompt", pa.string()), ("edited_image", _IMAGE)]
        else:
            fields = [("role", pa.string()), ("content", _BLOCKS if self.images else pa.string())]
            messages = pa.list_(pa.struct([*fields, *([("tool_calls", _CALLS)] if self.turns else [])]))
            names = ("messages",) if self.turns else ("prompt", "completion")
            columns += [(name, messages) for name in names]
            columns += [("train", pa.list_(pa.bool_())), ("tools", pa.string())] if self.turns else []
            columns += [("images", pa.list_(_IMAGE))] if self.images else []
        columns += [("item", pa.string()), ("seed", pa.int64()), ("tags", pa.string())]
        features = {name: _feature(kind) for name, kind in columns}
        return pa.schema(columns, {"huggingface": json.dumps({"info": {"features": features}})})


def _feature(kind: pa.DataType) -> Any:
    """A type as `datasets` writes it."""
    if kind == _IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": str(kind), "_type": "Value"}
