"""`--max-cost` against services whose replies and errors state usage in other ways than their prompt and completion."""

import json

import httpx
import pytest
from inspect_ai.model import ModelCall, ModelUsage

import support
from harness.inspect_support import BRAINS, brain, output
from models.servers import chat_reply, openai_error, says, serving
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from support import Guess

BUDGET = 0.05
"""With at most eight tokens per reply, 0.008 dollars are reserved per call."""

PARTS = {"prompt_tokens": 9, "completion_tokens": 2}
OWN_KEY = {"cost": 0.0004, "cost_details": {"upstream_inference_cost": 0.007}}
REPLIES = {
    "total above the parts": (PARTS | {"total_tokens": 16}, 0.007),
    "reasoning, no total": (PARTS | {"completion_tokens_details": {"reasoning_tokens": 5}}, 0.007),
    "reasoning beyond the reservation": (PARTS | {"total_tokens": 41}, 0.032),
    "reasoning without a reply": ({"prompt_tokens": 9, "total_tokens": 41}, 0.032),
    "the user's own key": (PARTS | OWN_KEY, 0.0074),
    "the user's own key, said to be one": (PARTS | OWN_KEY | {"is_byok": True}, 0.0074),
    "names of the Responses API": ({"input_tokens": 9, "output_tokens": 7}, 0.007),
    "native counts of a router": (PARTS | {"native_tokens_completion": 2, "native_tokens_reasoning": 5}, 0.007),
    "counts as text": ({"prompt_tokens": "9", "completion_tokens": "7"}, 0.007),
}
"""What the usage of a reply is → the usage, and what is billed, at 1,000 dollars per million output tokens."""

GONE = openai_error("the server behind this gateway is gone")
FLAGGED = openai_error("flagged by the content policy")
ERRORS = {
    "502": (502, GONE, 0.008),
    "520": (520, GONE, 0.008),
    "522": (522, GONE, 0.008),
    "502 with usage": (502, GONE | {"usage": PARTS | {"total_tokens": 41}}, 0.032),
    "503 with usage": (503, GONE | {"usage": PARTS | {"total_tokens": 16}}, 0.007),
    "429 with a price": (429, GONE | {"usage": {"cost": 0.007}}, 0.007),
    "a refusal with usage": (400, FLAGGED | {"usage": PARTS | {"total_tokens": 16}}, 0.007),
    "a refusal with usage in it": (400, {"error": FLAGGED["error"] | {"usage": {"completion_tokens": 32}}}, 0.032),
    "usage in the raw error behind a router": (
        502,
        {"error": GONE["error"] | {"metadata": {"raw": json.dumps({"usage": {"completion_tokens": 32}})}}},
        0.032,
    ),
    "200 with an error": (200, {"error": {"message": "gone"}, "usage": PARTS | {"total_tokens": 41}}, 0.032),
}


@pytest.fixture(autouse=True)
def own_service(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-anything-0123456789")
    support.CALLS.clear()
    BRAINS.clear()


def go(path, model="chat/m?service=openrouter", max_cost=BUDGET, resume=False):
    money = {"price": "output=1000", "max_cost": max_cost}
    settings = Settings(out=path, connections=1, calibrate=0, resume=resume, **money)
    return run(Plan(Guess(), Source("digits")), model, settings=settings)


def billed(path, monkeypatch, model, first, then):
    """What a run with a budget is billed: a good reply, then the others; each act comes with its price."""
    prices, sent = [first[1], then[1]], []

    def act(handler):
        sent.append(prices[min(len(sent), 1)])
        (first if len(sent) == 1 else then)[0](handler)

    with serving(act) as server:
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        cost = go(path, model).card["ledger"]["cost"]
    assert cost >= sum(sent) * (1 - 1e-9)
    return sum(sent)


def reply(usage, price):
    return says(chat_reply("5") | {"usage": usage}), price


@pytest.mark.attack(
    "usage that a service states apart, in the price of its own or in errors, against --max-cost",
    before="$8.48 billed of $3, $17.63 of $1",
    lost="at most one call beyond its token limit",
)
def test_trust4_no_reading_of_a_reply_is_billed_beyond_the_budget(tmp_path, monkeypatch, record_property):
    """A reply of 32 tokens is beyond the limit of eight that was reserved: the last of them may exceed the budget."""
    good, most = reply(PARTS, 0.002), 0.0
    for number, (usage, price) in enumerate(REPLIES.values()):
        spent = billed(
            tmp_path / f"{number}", monkeypatch, f"chat/m{number}?service=openrouter", good, reply(usage, price)
        )
        assert spent <= BUDGET + max(0, price - 0.008) + 1e-9
        most = max(most, spent if price <= 0.008 else 0)
    for number, (status, content, price) in enumerate(ERRORS.values()):
        failing = says(content, status, Retry_After="0"), price
        spent = billed(tmp_path / f"e{number}", monkeypatch, f"chat/e{number}?service=openrouter", good, failing)
        assert spent <= BUDGET + max(0, price - 0.008) + 1e-9
    record_property("tries", len(REPLIES) + len(ERRORS))
    record_property("now", f"at most {most / BUDGET:.0%} of the budget, and one reply beyond its token limit")


@pytest.mark.slow
@pytest.mark.parametrize("usage, price", REPLIES.values(), ids=REPLIES)
def test_likewise_through_inspect(tmp_path, monkeypatch, usage, price):
    model = f"pp-chat/{price}-{len(usage)}-{len(str(usage))}?service=openrouter"
    spent = billed(tmp_path / "run", monkeypatch, model, reply(PARTS, 0.002), reply(usage, price))
    assert spent <= BUDGET + max(0, price - 0.008) + 1e-9


def response(status, content):
    return httpx.Response(status, json=content, request=httpx.Request("POST", "https://service.example"))


class Gateway(Exception):
    """As of the clients of OpenAI and others."""

    def __init__(self, status, content=None):
        super().__init__("the server behind this gateway is gone")
        self.status_code, self.response = status, response(status, content)


def with_raw(usage, raw):
    """What a provider of Inspect gives back: an output, and the raw reply beside it."""
    return output("5", usage=usage), ModelCall.create({}, {"usage": raw})


USAGE = ModelUsage(input_tokens=9, output_tokens=2, total_tokens=11)
HIDDEN = {"prompt_tokens": 9, "completion_tokens": 5000, "total_tokens": 5009}
PROVIDERS = {
    "total above the parts": (lambda: output("5", usage=USAGE.model_copy(update={"total_tokens": 5011})), 5.0),
    "reasoning apart": (lambda: output("5", usage=ModelUsage(output_tokens=2, reasoning_tokens=5000)), 5.0),
    "the price of the raw reply": (lambda: with_raw(USAGE, {"cost": 5.0}), 5.0),
    "the tokens of the raw reply": (lambda: with_raw(USAGE, HIDDEN), 5.0),
    "502": (lambda: Gateway(502), 8.2),
    "522": (lambda: Gateway(522), 8.2),
    "an error with usage": (lambda: Gateway(400, {"error": {}, "usage": HIDDEN}), 5.0),
    "an error with usage, given back": (lambda: (Gateway(429, {"usage": HIDDEN}), ModelCall.create({}, None)), 5.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("say, price", PROVIDERS.values(), ids=PROVIDERS)
def test_what_providers_of_inspect_state(tmp_path, monkeypatch, say, price):
    """A call: 8 tokens and 8,192 of reasoning, 8.2 dollars."""
    puppet = brain("usage", say=lambda call: say() if puppet.n > 1 else "5")
    monkeypatch.setattr("harness.inspect_support.PuppetAPI.should_retry", lambda self, error: True)
    cost = go(tmp_path / "run", "pptest/usage", max_cost=25.0).card["ledger"]["cost"]
    assert 3 <= puppet.n <= 1 + 25 / price and cost >= (puppet.n - 1) * price


def test_an_error_that_ends_the_run_costs_what_it_states(tmp_path, monkeypatch):
    with serving(says(GONE | {"usage": {"completion_tokens": 32}}, 402)) as server:
        monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
        with pytest.raises(PixelProofError, match="no credit"):
            go(tmp_path / "run")
        server.acts[:] = [reply(PARTS, 0.002)[0]]
        assert go(tmp_path / "run", resume=True).card["ledger"]["cost"] == pytest.approx(0.032 + 6 * 0.002)
