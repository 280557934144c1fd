"""Facts that an image of a prompt must show, each with a yes/no question; and the 2,100 prompts of EvalMi-50K."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from pixelproof.contract import PixelProofError
from pixelproof.store import as_texts, read_table
from pixelproof.world.language import Claim, Statement, View, is_true

TEXT, QUESTION, COUNT = "text", "question", "count"


@dataclass(frozen=True)
class Fact:
    """Something that an image of a prompt must show; the right answer to its question is yes."""

    content_name: ClassVar[str] = "Fact"

    kind: str
    """`object`, `count`, `colour`, `material`, `relation`, `empty`, `text`, or `question` for one of a data set."""
    question: str
    claim: Claim | None = None
    """The things that it is about; None for texts and for questions that have not been parsed."""
    text: str = ""
    """Text that must be readable, for the kind `text`."""


@dataclass(frozen=True)
class Content:
    """What an image of the world shows."""

    view: View
    texts: tuple[str, ...] = ()
    """Texts that can be read in it."""


def text_fact(text: str) -> Fact:
    """The fact that a text can be read in the image."""
    return Fact(TEXT, f'Can the text "{text}" be read in the image, with all letters right?', text=text)


def holds(fact: Fact, content: Content) -> bool:
    """Whether a fact is certainly true of an image of the world."""
    if fact.kind == TEXT:
        return fact.text in content.texts
    return fact.claim is not None and is_true(content.view, Statement(fact.kind, fact.claim, fact.question))


def holds_in_collage(fact: Fact, contents: Sequence[Content]) -> bool:
    """Whether a fact is certainly true of several images of the world side by side, or of none.

    Counts add up; anything else holds if it does in one of the images.
    """
    if fact.kind == COUNT:
        tiles = enumerate(content.view.entities for content in contents)
        together = (replace(entity, id=f"{tile}/{entity.id}") for tile, entities in tiles for entity in entities)
        return holds(fact, Content(View(tuple(together))))
    return any(holds(fact, content) for content in contents)


PER_TASK = 10
"""Prompts of each of the 20 tasks in the subset."""
_ENDING = re.compile(r"\s*Answer yes or no\.?\s*$")
_TEMPLATES = (
    ("text", re.compile(r'contain the text "(?P<text>[^"]+)" with all letters correct')),
    ("colour", re.compile(r"contain (?P<noun>[a-z ]+) in the color (?P<colour>[a-z]+)$")),
    ("both", re.compile(r"contain both (?P<noun>[a-z ]+?) and (?P<other>[a-z ]+)$")),
    ("count", re.compile(r"contain (?P<count>[2-9]) (?P<noun>[a-z ]+)$")),
    ("object", re.compile(r"contain (?!an? |both )(?P<noun>[a-z ]+)$")),
)
"""Kinds of questions of EvalMi-50K that can be checked without a judge."""


@dataclass(frozen=True)
class ListedPrompt:
    """A prompt of EvalMi-50K with its questions."""

    id: str
    text: str
    task: str
    length: str
    """`short` or `long`."""
    main: str
    """The question about the whole prompt."""
    facts: tuple[Fact, ...]
    """The component questions of a compositional prompt; the main question of others."""


def read_prompts(data: Path | None) -> tuple[ListedPrompt, ...]:
    """The prompts of a folder with EvalMi-50K, in their order.

    Raises:
        PixelProofError: There is no such folder, or it has no prompts with questions.
    """
    if data is None:
        raise PixelProofError("The prompts of EvalMi-50K need --data DIR, the folder with its prompts.csv.gz.")
    files = [data / name for name in ("prompts.csv.gz", "prompts.csv")]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        raise PixelProofError(f"{data} has no prompts.csv.gz: pass the folder of EvalMi-50K in tidy form as --data.")
    stat = file.stat()
    return _read(file.absolute(), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=4)
def _read(file: Path, size: int, changed: int) -> tuple[ListedPrompt, ...]:
    table = read_table(file)
    needed = ("prompt_id", "task", "prompt", "question")
    if missing := [name for name in needed if name not in table]:
        raise PixelProofError(f"{file} has no column {missing[0]!r}: pass EvalMi-50K in tidy form as --data.")
    columns = {name: as_texts(values) for name, values in table.items()}
    parts = [name for name in columns if name.startswith("sub_q") and name[5:].isdigit()]
    rows = range(len(columns["prompt"]))
    return tuple(
        _prompt({name: values[row] for name, values in columns.items()}, [columns[name][row] for name in parts])
        for row in rows
    )


def _prompt(row: dict[str, str], components: Sequence[str]) -> ListedPrompt:
    main = _ENDING.sub("", row["question"])
    questions = [_ENDING.sub("", text) for text in components if text] or [main]
    length = "long" if row.get("long") == "1" else "short"
    facts = tuple(parse_question(question) for question in dict.fromkeys(questions))
    return ListedPrompt(row["prompt_id"], row["prompt"], row["task"], length, main, facts)


def parse_question(question: str) -> Fact:
    """The fact that a question of EvalMi-50K asks for, machine-readable where it has a known form.

    >>> parse_question("Does the image contain 2 clock?").claim
    Claim(noun='clock', count=2, colour='', material='', relation='', others=())
    """
    body = question.rstrip("? ")
    for kind, template in _TEMPLATES:
        found = template.search(body)
        if found is None:
            continue
        if kind == "text":
            return Fact("text", question, text=text_fact(found["text"]).text)
        words = found.groupdict()
        claim = Claim(words["noun"], int(words.get("count") or 1), words.get("colour") or "")
        if kind == "both":
            return Fact("object", question, Claim(claim.noun, others=(Claim(words["other"]),)))
        return Fact(kind, question, claim)
    return Fact(QUESTION, question)


def balanced(prompts: Sequence[ListedPrompt]) -> tuple[ListedPrompt, ...]:
    """The same few prompts of every task whatever the order of the file: those with the smallest hash of their text."""
    chosen: dict[str, dict[str, ListedPrompt]] = {}
    for prompt in sorted(prompts, key=lambda prompt: hashlib.sha256(prompt.text.encode()).hexdigest()):
        of_task = chosen.setdefault(prompt.task, {})
        if len(of_task) < PER_TASK:
            of_task.setdefault(prompt.text, prompt)
    kept = {prompt.id for of_task in chosen.values() for prompt in of_task.values()}
    return tuple(prompt for prompt in prompts if prompt.id in kept)
