"""What a reply states of its usage, in the format of any service; of several readings, the largest counts."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pixelproof.contract import Usage

from ._dig import dig, list_at

_INPUT = ("prompt_tokens", "input_tokens", "prompt_token_count", "native_tokens_prompt")
_BESIDE_INPUT = (
    "cache_read_input_tokens", "cache_creation_input_tokens", "cache_write_input_tokens",
    "input_tokens_cache_read", "input_tokens_cache_write", "tool_use_prompt_token_count",
)  # fmt: skip
"""Tokens that some services state apart from the input, and others as a part of it."""
_OUTPUT = ("completion_tokens", "output_tokens", "candidates_token_count", "native_tokens_completion")
_REASONING = ("reasoning_tokens", "thoughts_token_count", "native_tokens_reasoning")
"""Likewise of the output."""
_TOTAL = ("total_tokens", "total_token_count")
_PRICE = ("cost", "total_cost")
_UPSTREAM = "upstream_inference_"
"""Start of the names of what the service behind a router bills to the user's own key, in whole and in parts."""
_TICKS = 10**10
"""Parts of a dollar in which xAI states the price."""


class Stated(NamedTuple):
    """The usage that a reply states."""

    usage: Usage
    """Tokens and cost; 0 or None for what the reply does not state, or states in part."""
    least: Usage
    """What is billed at least: parts count, too."""


def read_usage(*contents: Any) -> Stated:
    """The usage in a reply or an error, decoded from JSON; of several, the largest.

    The total decides whether reasoning and cached tokens are a part of the other counts or apart from them. If it does
    not, they are apart, and what the total has beyond the input is output.

    >>> read_usage({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 500}}).usage.output_tokens
    491
    """
    usages = [usage for content in contents for usage in _usages(content)]
    counts: dict[str, float] = defaultdict(float)
    for usage in usages:
        for name, value in _numbers(usage):
            counts[name] = max(counts[name], value)
    states_input, states_output = any(name in counts for name in _INPUT), any(counts[name] for name in _OUTPUT)
    read, written = (math.ceil(count) for count in _tokens(counts))
    own_key = [dig(usage, "is_byok") for usage in usages]
    upstream = max(
        counts[f"{_UPSTREAM}cost"],
        sum(value for name, value in counts.items() if name.startswith(_UPSTREAM) and name != f"{_UPSTREAM}cost"),
    )
    fee = max(*(counts[name] for name in _PRICE), counts["cost_in_usd_ticks"] / _TICKS)
    cost = max(fee, upstream) if False in own_key else fee + upstream
    only_fee = True in own_key and not upstream
    return Stated(
        Usage(read * states_input, written * states_output, cost=None if only_fee else cost or None),
        Usage(read, written, cost=max(cost, counts["estimated_cost"]) or None),
    )


def _tokens(counts: Mapping[str, float]) -> tuple[float, float]:
    """Input and output."""
    read, written, total = (max(counts[name] for name in names) for names in (_INPUT, _OUTPUT, _TOTAL))
    beside, reasoning = sum(counts[name] for name in _BESIDE_INPUT), max(counts[name] for name in _REASONING)
    inputs = {read, read + beside} if beside <= read else {read + beside}
    outputs = {written, written + reasoning} if reasoning <= written else {written + reasoning}
    pairs = [(i, o) for i in inputs for o in outputs if i + o == total]
    if pairs:
        return max(i for i, _ in pairs), max(o for _, o in pairs)
    return read + beside, max(written + reasoning, total - read)


def _usages(content: Any) -> Iterator[Any]:
    """The objects in which services state usage; a model's own text is in none of them."""
    content = content[0] if isinstance(content, list) and len(content) == 1 else content
    places = [content, dig(content, "error"), dig(content, "error", "metadata"), dig(content, "response")]
    raw = dig(content, "error", "metadata", "raw")  # the error of the service behind a router, as text
    if isinstance(raw, str):
        with suppress(ValueError, RecursionError):
            raw = json.loads(raw)
    places += [raw, dig(raw, "error"), dig(content, "data")]
    for place in (*places, dig(content, "x_groq"), *list_at(content, "choices")):
        for name in ("usage", "usageMetadata", "usage_metadata"):
            if isinstance(usage := dig(place, name), Mapping):
                yield usage


def _numbers(usage: Any) -> Iterator[tuple[str, float]]:
    """The names in snake case and the plausible numbers of an object and of the objects in it."""
    inner = [value for value in usage.values() if isinstance(value, Mapping)]
    for name, value in (pair for fields in (usage, *inner) for pair in fields.items()):
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                continue
            if 0 <= number < 2**53:
                yield re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).lower(), number
