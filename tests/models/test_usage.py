"""What replies state of their usage, in the formats of the services, against bills that are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import Answer, Prompt, Usage
from pixelproof.harness import Ledger, Prices
from pixelproof.models import read_usage

JUNK = st.sampled_from(
    [None, True, False, -5, float("nan"), float("inf"), float("-inf"), 10**400, "", "many", "-3", [], {}]
)
COUNTS = st.integers(1, 10**6)
PRICES = st.builds(Prices, st.floats(0, 100), st.floats(0, 100))


def openai(read, written, cached, reasoning, total):
    """Cached and reasoning tokens are in the other counts."""
    usage = {
        "prompt_tokens": read + cached,
        "completion_tokens": written + reasoning,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
    return {"usage": usage | ({"total_tokens": read + cached + written + reasoning} if total else {})}


def responses(read, written, cached, reasoning, total):
    """OpenAI's newer names."""
    usage = {
        "input_tokens": read + cached,
        "output_tokens": written + reasoning,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens_details": {"reasoning_tokens": reasoning},
    }
    return {"usage": usage | ({"total_tokens": read + cached + written + reasoning} if total else {})}


def reasoning_apart(read, written, cached, reasoning, total):
    """Of xAI, and of Gemini behind the format of OpenAI."""
    usage = {"prompt_tokens": read + cached, "completion_tokens": written}
    if total:
        return {"usage": usage | {"total_tokens": read + cached + written + reasoning}}
    return {"usage": usage | {"completion_tokens_details": {"reasoning_tokens": reasoning}}}


def gemini(read, written, cached, reasoning, total):
    usage = {
        "promptTokenCount": read,
        "toolUsePromptTokenCount": cached,
        "candidatesTokenCount": written,
        "thoughtsTokenCount": reasoning,
    }
    return {"usageMetadata": usage | ({"totalTokenCount": read + written + cached + reasoning} if total else {})}


def anthropic(read, written, cached, reasoning, total):
    usage = {"input_tokens": read, "cache_read_input_tokens": cached // 2, "output_tokens": written + reasoning}
    return {"usage": usage | {"cache_creation_input_tokens": cached - cached // 2}}


def inspect(read, written, cached, reasoning, total):
    """Of Inspect AI."""
    usage = {
        "input_tokens": read,
        "input_tokens_cache_read": cached,
        "output_tokens": written + reasoning,
        "reasoning_tokens": reasoning,
        "total_tokens": read + cached + written + reasoning if total else 0,
    }
    return {"usage": usage}


def bedrock(read, written, cached, reasoning, total):
    usage = {"inputTokens": read, "cacheReadInputTokens": cached, "outputTokens": written + reasoning}
    return {"usage": usage | ({"totalTokens": read + cached + written + reasoning} if total else {})}


FORMATS = [openai, responses, reasoning_apart, gemini, anthropic, inspect, bedrock]


def booked(content, prices):
    """What the ledger books for a reply."""
    stated, ledger = read_usage(content), Ledger(prices, 1e9)
    reservation = ledger.reserve(Prompt(("",)), 8)
    reservation.sending()
    reservation.report_usage(stated.least)
    return ledger.settle(reservation, Answer("5", usage=stated.usage)).cost


@given(st.sampled_from(FORMATS), COUNTS, COUNTS, COUNTS, COUNTS, st.booleans(), PRICES, st.booleans())
def test_no_format_is_counted_below_its_bill(form, read, written, cached, reasoning, total, prices, as_text):
    content = form(read, written, cached, reasoning, total)
    if as_text:
        content = {key: {name: as_strings(value) for name, value in usage.items()} for key, usage in content.items()}
    bill = prices.cost(Usage(read + cached, written + reasoning))
    assert booked(content, prices) >= bill * (1 - 1e-9)


def as_strings(value):
    return {name: str(inner) for name, inner in value.items()} if isinstance(value, dict) else str(value)


@pytest.mark.parametrize("form", FORMATS)
def test_a_total_makes_the_count_exact(form):
    content = form(1000, 70, 300, 2000, True)
    assert read_usage(content).usage == Usage(1300, 2070) == read_usage(content).least


@given(st.sampled_from(FORMATS), st.data(), PRICES)
def test_values_that_are_no_counts_lower_nothing_and_break_nothing(form, data, prices):
    """Fields that are not numbers are as if they were missing, and what is missing counts as reserved."""
    ((place, usage),) = form(9, 2, 3, 4, data.draw(st.booleans())).items()
    spoilt = {name: data.draw(JUNK) for name in usage if data.draw(st.booleans())}
    without = {name: value for name, value in usage.items() if name not in spoilt}
    assert read_usage({place: usage | spoilt}) == read_usage({place: without})
    further = {"completionTokens": data.draw(JUNK), "cost": data.draw(JUNK), "promptTokens": data.draw(JUNK)}
    assert booked({place: usage | further}, prices) >= booked({place: usage}, prices)


@given(COUNTS, PRICES, st.sampled_from(["prompt_tokens", "completion_tokens", "reasoning_tokens", "total_tokens"]))
def test_a_part_alone_counts_where_it_is_more_than_was_reserved(count, prices, name):
    cheapest = {
        "prompt_tokens": Usage(count, 8),
        "completion_tokens": Usage(1, count),
        "reasoning_tokens": Usage(1, max(count, 8)),
        "total_tokens": Usage(1, max(count, 8)),
    }[name]
    assert booked({"usage": {name: count}}, prices) >= prices.cost(cheapest) * (1 - 1e-9)


OWN_KEY = {"prompt_tokens": 194, "completion_tokens": 2, "total_tokens": 196, "cost": 0.95}


@pytest.mark.parametrize(
    "more, cost",
    [
        ({}, 0.95),
        ({"cost_details": {"upstream_inference_cost": 19}}, 19.95),
        ({"is_byok": True, "cost_details": {"upstream_inference_cost": 19}}, 19.95),
        ({"is_byok": True, "cost_details": {"upstream_inference_cost": "19"}}, 19.95),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": 19}}, 19),
        ({"cost_details": {"upstream_inference_prompt_cost": 4, "upstream_inference_completions_cost": 15}}, 19.95),
        ({"is_byok": False, "cost_details": {"upstream_inference_cost": 0.95}}, 0.95),
        ({"is_byok": False, "cost_details": {"upstream_inference_cost": 19}}, 19),
        ({"is_byok": True, "cost_details": {"upstream_inference_cost": None}}, None),
        ({"cost": {"total_cost": 0.5, "request_cost": 0.4}}, 0.5),
        ({"cost": None, "cost_in_usd_ticks": 37_756_000}, 0.0037756),
        ({"cost": True}, None),
    ],
)
def test_the_price_that_a_reply_states(more, cost):
    stated = read_usage({"usage": OWN_KEY | more})
    assert stated.usage.cost == (None if cost is None else pytest.approx(cost))
    assert booked({"usage": OWN_KEY | more}, Prices(output=1000)) >= (cost or 0.002) * (1 - 1e-9)


def test_the_fee_of_a_router_alone_is_no_price_but_counts():
    content = {"usage": OWN_KEY | {"is_byok": True}}
    assert booked(content, Prices(output=1e6)) == pytest.approx(2) and booked(content, Prices()) == 0.95


@pytest.mark.parametrize(
    "content",
    [
        {"error": {"code": 502, "message": "gone"}, "usage": {"completion_tokens": 7}},
        {"error": {"code": 502, "usage": {"completion_tokens": 7}}},
        [{"error": {"metadata": {"usage": {"output_tokens": 7}}}}],
        {"choices": [{"usage": {"completion_tokens": 7}}]},
        {"response": {"usage": {"output_tokens": 7}}},
        {"usage": [], "usage_metadata": {"candidates_token_count": 7}},
    ],
)
def test_usage_is_found_where_services_put_it(content):
    assert read_usage(content).usage == Usage(0, 7)


@pytest.mark.parametrize("content", [None, 5, "usage", [], [[]], {"usage": None}, {"choices": {}}, {"error": "usage"}])
def test_a_reply_may_state_nothing(content):
    assert read_usage(content) == (Usage(), Usage())


KEYS = ["usage", "error", "cost", "choices", "prompt_tokens", "completion_tokens", "is_byok", "cost_details"]


@given(st.recursive(JUNK | COUNTS, lambda inner: st.dictionaries(st.sampled_from(KEYS), inner)))
def test_no_reply_breaks_the_reading_of_its_usage(content):
    stated = read_usage(content)
    assert 0 <= stated.usage.output_tokens <= stated.least.output_tokens
