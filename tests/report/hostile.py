"""A bench, a model and a run directory that try to break out of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pixelproof.contract import Answer, Artefact, Bench, Display, Failure, Fault, Item, Metric, Prompt, Result, Source
from pixelproof.pixels import encode_png

CORPUS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</title></style></textarea></noscript><script>alert(3)</script>",
    '"><img src=x onerror=alert(4)>',
    "' autofocus onfocus='alert(5)",
    "<svg/onload=alert(6)>",
    "<svg><script>alert(7)</script></svg>",
    "<iframe srcdoc='<script>parent.alert(8)</script>'>",
    "<a href='javascript:alert(9)'>click</a>",
    "<img src=https://example.invalid/steal.png>",
    "<link rel=stylesheet href=https://example.invalid/a.css><style>*{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=https://example.invalid/'>",
    "<base href=https://example.invalid/><form action=https://example.invalid/><button>",
    "<!-- <script>", "--><script>alert(10)</script>", "]]><script>alert(11)</script>", "<![CDATA[",
    "\\u003cscript\\u003ealert(12)\\u003c/script\\u003e", "&lt;script&gt;alert(13)&lt;/script&gt;",
    "{{constructor.constructor('alert(14)')()}}", "${alert(15)}", "`-alert(16)-`", "'-alert(17)-'", '"-alert(18)-"',
    "\u2028alert(19)\u2029", "\u202eltr\u202c", "__proto__", "constructor", "<\x00script>alert(20)</script>",
    "<details open ontoggle=alert(21)>", "<math><mtext><table><mglyph><style><img src=x onerror=alert(22)>",
    "<dialog open>", "</svg></g></text><script>alert(23)</script>", "%3Cscript%3Ealert(24)%3C/script%3E",
)  # fmt: skip


def pick(index: int) -> str:
    return CORPUS[index % len(CORPUS)]


@dataclass(frozen=True)
class Hostile(Bench):
    """Everything that can hold text holds an attack."""

    name: ClassVar[str] = "hostile"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = pick(0)
    sources: ClassVar[Mapping[str, str]] = {"all": pick(1)}
    metrics: ClassVar[tuple[Metric, ...]] = (
        *(Metric(f"quality.{text}", text) for text in CORPUS[:3]),
        *(Metric(f"describe.{text}", text, calibrated=False, higher_is_better=None) for text in CORPUS[3:9]),
    )
    display: ClassVar[Display] = Display((metrics[0].name, metrics[1].name))
    tables: ClassVar[Mapping[str, tuple[str, ...]]] = {pick(4): ("quality", "describe")}

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        for i in range(len(CORPUS)):
            yield Item(
                f"hostile/{pick(i)}/{i}", {}, cluster=pick(i), tags={pick(i % 2): pick(i + 1), "group": pick(i % 3)}
            )

    def prompt(self, item: Item) -> Prompt:
        return Prompt(("Attack!",))

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        i = int(item.id.rpartition("/")[2])
        rng = np.random.default_rng(i)
        metrics = {metric.name: float(rng.random()) for metric in self.metrics}
        fault = list(Fault)[i % 3]
        failure = Failure(fault, pick(i), pick(i + 3)) if i % 2 and "control" not in answer.text else None
        evidence: dict[str, Artefact | str] = {pick(i): encode_png(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8))}
        evidence[pick(i + 1)] = Artefact(
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(25)'/>", "image/svg+xml"
        )
        evidence[pick(i + 2)] = pick(i)  # not even a key
        notes = {pick(i + 5): pick(i + 6), "constructor": pick(i + 7)}
        return Result(item.id, {} if failure else metrics, failure=failure, notes=notes, evidence=evidence)

    def controls(self) -> dict[str, Any]:
        return {name: lambda item, rng: Answer("control") for name in ("floor-a", "ceiling-truth")}


def attack(prompt: Prompt, item_id: str) -> str:
    """A model whose replies are the attacks themselves, short and long."""
    return pick(int(item_id.rpartition("/")[2])) * 60


def poison(value: Any, count: Iterator[int]) -> Any:
    """The same structure, with an attack in every text."""
    if isinstance(value, dict):
        return {name: poison(inner, count) for name, inner in value.items()}
    if isinstance(value, list):
        return [poison(inner, count) for inner in value]
    return f"{value} {pick(next(count))}" if isinstance(value, str) else value


def poisoned_card(card: dict[str, Any], count: Iterator[int]) -> dict[str, Any]:
    """A run card with attacks everywhere but in what decides whether it is read at all."""
    kept = {name: card[name] for name in ("format", "bench", "version", "options", "samples", "split")}
    kept["decoding"] = poison(card["decoding"], count) | {"arm": card["decoding"]["arm"]}
    return poison(card, count) | kept | {pick(next(count)): pick(next(count))}
