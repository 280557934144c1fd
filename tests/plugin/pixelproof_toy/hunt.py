"""A tool-using bench: five boxes, one of which holds a number; open boxes until it is found, then say it."""

from dataclasses import dataclass, field
from typing import ClassVar

from pixelproof.contract import Answer, Bench, Call, Display, Item, Metric, Player, Prompt, Result, Tool, Turn, option
from pixelproof.pixels import encode_png
from pixelproof.stats import generator

BOXES, MOVES = 5, 6
OPEN = Tool(
    "open_box",
    "Open a box and see what is in it.",
    {"type": "object", "properties": {"box": {"type": "integer"}}, "required": ["box"]},
)


@dataclass
class Search:
    """An episode."""

    item: Item
    picture: bool
    opened: list = field(default_factory=list)
    said: str = ""
    moves: int = 0

    def reset(self):
        shot = encode_png(generator(0, self.item.id).integers(0, 256, (4, 4, 3)).astype("uint8"))
        words = f"{BOXES} boxes, numbered from 0, one with a number in it. Which number?"
        parts = (words, shot) if self.picture else (words,)
        return Prompt(parts, system="Answer with the number alone.", max_tokens=40, tools=(OPEN,))

    def step(self, answer):
        self.moves += 1
        if not answer.calls:
            self.said = answer.text
            return None
        if self.moves == MOVES:
            return None
        return Prompt((), history=tuple(Turn("tool", (self.open(call),), call=call) for call in answer.calls))

    def open(self, call):
        if call.tool != OPEN.name or not isinstance(call.arguments, dict):
            return "There is no such tool, or its arguments cannot be read."
        box = call.arguments.get("box")
        self.opened.append(box)
        place, number = self.item.truth
        return f"It holds {number}." if box == place else "It is empty."

    def answer(self):
        return Answer(self.said)


def open_in_turn(item, prompt, rng):
    """Open one box after the other, and say the number once it is found: needs no truth."""
    results = [turn.parts[0] for turn in prompt.history if turn.role == "tool"]
    if results and results[-1].startswith("It holds "):
        return Answer(results[-1].removeprefix("It holds ").rstrip("."))
    return Answer(calls=(Call(f"call-{len(results)}", "open_box", {"box": len(results)}),))


def open_the_right_one(item, prompt, rng):
    """Open the right box, then say the number."""
    if prompt.history:
        return Answer(str(item.truth[1]))
    return Answer(calls=(Call("call-0", "open_box", {"box": item.truth[0]}),))


@dataclass(frozen=True)
class Hunt(Bench):
    """Find the number."""

    name: ClassVar = "hunt"
    version: ClassVar = "1.0"
    title: ClassVar = "Find a number with a tool"
    sources: ClassVar = {"boxes": "boxes, drawn from a seed"}
    metrics: ClassVar = (
        Metric("right", "the number is right", range=(0, 1)),
        Metric("turns", "turns of the conversation", calibrated=False, higher_is_better=False),
    )
    display: ClassVar = Display(headline=("right",))

    picture: bool = option(True, "show a picture; language models that read text only do without")

    def items(self, source, seed, n):
        for index in range(4 if n is None else n):
            rng = generator(seed, "hunt", index)
            yield Item(f"hunt/boxes/1/{index:03d}", {}, (int(rng.integers(BOXES)), int(rng.integers(10, 100))))

    def prompt(self, item):
        return self.episode(item).reset()

    def episode(self, item):
        return Search(item, self.picture)

    def score(self, item, answer, judgements):
        right = answer.text.strip() == str(item.truth[1])
        return Result(item.id, {"right": float(right), "turns": len(answer.trace)}, failure=answer.failure)

    def controls(self):
        return {
            "floor-guess": lambda item, rng: Answer(str(rng.integers(10, 100))),
            "ceiling-truth": Player(open_the_right_one),
            "in-turn": Player(open_in_turn),
        }
