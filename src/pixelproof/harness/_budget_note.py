"""What a user should know about a budget before a run starts."""

from __future__ import annotations

from collections.abc import Iterable

from pixelproof.models import CHOICES

SEND_ONCE = frozenset(
    {
        "anthropic", "cloudflare", "deepseek", "fireworks", "google", "groq", "hf", "hf-inference-providers",
        "litellm-proxy", "llama-cpp-python", "meta", "mistral", "mockllm", "moonshot", "nnterp", "none", "ollama",
        "openai", "openai-api", "openai-api-completions", "openrouter", "perplexity", "sambanova", "sglang",
        "together", "transformer_lens", "vllm", "vllm-completions",
    }
)  # fmt: skip
"""Providers of Inspect AI whose clients do not retry on their own, or can be told not to (`_inspect_guard`)."""


def overshoot_note(max_cost: float, connections: int, models: Iterable[str | None] = ()) -> str:
    """What can exceed a budget.

    Args:
        max_cost: The budget in dollars.
        connections: The number of calls in flight at once.
        models: Names of the models that are asked.
    """
    calls = "1 call is" if connections == 1 else f"{connections} calls are"
    note = (
        f"Budget: no call is sent that could exceed ${max_cost:g}; a reply that states no usage counts with the most "
        "that it could cost. What can exceed it: a reply longer than its token limit, and a prompt with more tokens "
        f"than estimated from its length; at most {calls} in flight, and each can exceed it once."
    )
    for provider in _retrying(models):
        note += f" The client of {provider}/… may send a call several times, and all but one are not counted."
    return note


def _retrying(models: Iterable[str | None]) -> list[str]:
    """Providers whose clients may retry where no meter sees it.

    >>> _retrying(["bedrock/m", "chat/m", "pp-chat/m", "openai/m", "recorded", None])
    ['bedrock']
    """
    own = {choice.prefix for choice in CHOICES}
    metered = SEND_ONCE | own | {f"pp-{prefix}" for prefix in own}
    providers = [name.partition("/")[0] for name in models if name and "/" in name]
    return [provider for provider in dict.fromkeys(providers) if provider not in metered]
