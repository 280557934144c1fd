"""Questions before they are worded, and their wording in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ._chinese import chinese_expression, chinese_phrase, chinese_place
from ._refer import Expression, a, noun_words, relation_words
from ._truth import Phrase
from .chinese_words import ZH_ANSWERS, ZH_COLOURS, ZH_MATERIALS, ZH_MORE, ZH_MOST, ZH_WAYS_OF_MOVES
from .view import Kind, Sentence
from .words import MORE, MOST, NUMBERS, WAYS_OF_MOVES


@dataclass(frozen=True)
class Length:
    """A rounded length."""

    cm: int


@dataclass(frozen=True)
class Material:
    """A material as an answer: `wood`, not `wooden`."""

    word: str


@dataclass(frozen=True)
class Place:
    """A relation to a thing: `to the left of`, or `in` for a container."""

    relation: str
    anchor: str = ""


@dataclass(frozen=True)
class Counted:
    """A class of things, counted or not."""

    phrase: Phrase
    number: int = 0


Word = str | int | Phrase | Expression | Length | Material | Place | Counted

TEMPLATES: dict[str, tuple[str, str]] = {
    "exists": ("is there {a}?", "画面中有{a}吗？"),
    "one": ("is there exactly one {one}?", "画面中{one}的数量正好是1吗？"),
    "exactly": ("are there exactly {several}?", "画面中{several}吗？"),
    "coloured": ("is {x} {colour}?", "{x}是{colour}的吗？"),
    "related": ("is {x} {place} {y}?", "{x}在{y}{place}吗？"),
    "more": ("is {x} {more} than {y}?", "{x}比{y}{more}吗？"),
    "which": ("which is {more}, {x} or {y}?", "{x}和{y}，哪个{more}？"),
    "most": ("which of these is {most}?", "下列物体中，哪个{most}？"),
    "more-of-two": ("which of these is {more}?", "下列物体中，哪个{more}？"),
    "any": ("is there anything {place} {x}?", "{x}{place}有东西吗？"),
    "between": ("is {x} between {y} and {z}?", "{x}在{y}和{z}之间吗？"),
    "which-between": ("which is between {y} and {z}, {x} or {other}?", "{x}和{other}，哪个在{y}和{z}之间？"),
    "which-on": ("which is {place} {y}, {x} or {other}?", "{x}和{other}，哪个在{y}{place}？"),
    "near": ("is {x} nearer to {z} than {y} is?", "{x}比{y}离{z}更近吗？"),
    "which-near": ("which is nearer to {z}, {x} or {y}?", "{x}和{y}，哪个离{z}更近？"),
    "own": ("from the point of view of {owner}, is {x} on its {side}?", "从{owner}自身的角度看，{x}在它的{side}吗？"),
    "which-own": (
        "from the point of view of {owner}, is {x} on its left or on its right?",
        "从{owner}自身的角度看，{x}在它的左边还是右边？",
    ),
    "colour": ("what colour is {x}?", "{x}是什么颜色的？"),
    "material": ("what is {x} made of?", "{x}是什么材质的？"),
    "count": ("how many {many} are there?", "画面中{many}的数量是多少？"),
    "rank": ("how many objects are {more} than {x}?", "有多少个物体比{x}{more}？"),
    "distance": ("about how far is {x} from {y}?", "{x}离{y}大约有多远？"),
    "support": ("what is {x} resting on?", "{x}放在什么上面？"),
    "apart": (
        "how far apart are the centres of {x} and {y}, in centimetres?",
        "{x}的中心和{y}的中心相距多少厘米？",
    ),
    "if-more": (
        "if {x} were moved {length} {way}, would it be {more} than {y}?",
        "如果把{x}{way}移动{length}，它会比{y}{more}吗？",
    ),
    "if-apart": (
        "if {x} were moved {length} {way}, how far would its centre be from the centre of {y}, in centimetres?",
        "如果把{x}{way}移动{length}，它的中心和{y}的中心会相距多少厘米？",
    ),
}
"""Name → English and Chinese text of a question."""


@dataclass(frozen=True)
class Draft:
    """A question that is not worded yet."""

    kind: Kind
    form: str
    template: str
    slots: dict[str, Word]
    answer: Word
    choices: tuple[Word, ...] = ()
    key: object = field(default=None)
    """The fact that it asks for: two questions with one key are the same question, or its reverse."""

    @property
    def about(self) -> tuple[str, ...]:
        """Ids of the things that the text refers to, in the order of the English text."""
        names = re.findall(r"{(\w+)}", TEMPLATES[self.template][0])
        return tuple(word.id for name in names if isinstance(word := self.slots[name], Expression))

    def sentence(self, language: str) -> Sentence:
        """The question in a language, `en` or `zh`."""
        say = _english if language == "en" else _chinese
        words = {name: say(value, name) for name, value in self.slots.items()}
        text = TEMPLATES[self.template][language == "zh"].format(**words)
        choices = tuple(say(choice, "choice") for choice in self.choices)
        answer = say(self.answer, "answer")
        return Sentence(
            self.kind, self.form, text[0].upper() + text[1:], answer, choices, self.about, language=language
        )


def _english(word: Word, slot: str) -> str:
    if isinstance(word, Expression):
        return word.text
    if isinstance(word, Length):
        return f"{word.cm} cm" if word.cm < 100 else f"{word.cm / 100:g} m"
    if isinstance(word, Material):
        return "wood" if word.word == "wooden" else word.word
    if isinstance(word, Place):
        return relation_words(word.relation, word.anchor)
    if isinstance(word, Phrase):
        return a(word)
    if isinstance(word, Counted):
        words = noun_words(word.phrase, word.number or 2)
        return f"{NUMBERS[word.number]} {words}" if word.number > 1 else words
    if slot in ("more", "most"):
        return (MORE if slot == "more" else MOST)[str(word)]
    return WAYS_OF_MOVES[str(word)] if slot == "way" else str(word)


def _chinese(word: Word, slot: str) -> str:
    if isinstance(word, Expression):
        return chinese_expression(word)
    if isinstance(word, Length):
        return f"{word.cm}厘米" if word.cm < 100 else f"{word.cm / 100:g}米"
    if isinstance(word, Material):
        return ZH_MATERIALS[word.word]
    if isinstance(word, Place):
        where = chinese_place(word.relation, word.anchor)
        return where if word.relation == "on" else f"的{where}"
    if isinstance(word, Phrase):
        return chinese_phrase(word)
    if isinstance(word, Counted):
        words = chinese_phrase(word.phrase)
        return f"{words}的数量正好是{word.number}" if word.number > 1 else words
    if slot in ("more", "most"):
        return (ZH_MORE if slot == "more" else ZH_MOST)[str(word)]
    if slot == "way":
        return ZH_WAYS_OF_MOVES[str(word)]
    return {**ZH_COLOURS, **ZH_ANSWERS}.get(str(word), str(word))
