"""`--max-cost` against services that state no usage, lose replies or exceed their limit, and against kill -9."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tenacity import wait_none

import support
from models.servers import chat_reply, hangs_up, is_silent, openai_error, says, serving
from pixelproof.contract import Answer, PixelProofError, Prompt, Source, Usage
from pixelproof.harness import Plan, Prices, Settings, run
from pixelproof.harness._budget_note import overshoot_note
from pixelproof.harness._calls import CallTable
from pixelproof.harness._ledger import BudgetSpent, Ledger
from support import Announcements, Guess

PRICE = "output=1000"
PRICES = Prices.parse(PRICE)
"""With at most eight tokens per reply: 0.008 dollars per call."""
KILLS = max(1, int(os.environ.get("PIXELPROOF_SOAK", "2")) // 2)


@pytest.fixture(autouse=True)
def own_service(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-anything-0123456789")
    support.CALLS.clear()


def replies(text="5", **usage):
    reply = chat_reply(text)
    reply["usage"] = usage
    if not usage:
        del reply["usage"]
    return says(reply)


# Inspect AI keeps models by name within a process, with the address of their service: each test here has its own name.
def go(path, server, monkeypatch, judge=None, model="chat/m?service=openrouter", limit=None, progress=None, **settings):
    monkeypatch.setenv("OPENROUTER_BASE_URL", server.url)
    plan = Plan(Guess(), Source("digits"), limit=limit)
    settings = {"price": PRICE, "max_cost": 0.05, "connections": 2, "calibrate": 0} | settings
    return run(plan, model, judge=judge, settings=Settings(out=path, **settings), progress=progress)


@pytest.mark.slow
@pytest.mark.attack("a service that states no usage, against --max-cost")
@pytest.mark.parametrize(
    "text, usage",
    [
        ("5", {}),
        ("5", {"total_tokens": 5}),
        ("5", {"prompt_tokens": 9}),
        ("", {"prompt_tokens": 9}),
        ("5", {"prompt_tokens": -1, "completion_tokens": 0, "cost": 0}),
    ],
)
def test_a_reply_without_usage_costs_its_reservation(tmp_path, monkeypatch, text, usage):
    with serving(replies(text, **usage)) as server:
        done = go(tmp_path / "run", server, monkeypatch)
        assert len(server.seen) == 6 and done.card["state"] == "stopped"
        assert done.card["ledger"]["cost"] == pytest.approx(0.048) and done.card["ledger"]["assumed_calls"] == 6
        go(tmp_path / "run", server, monkeypatch, resume=True)
        assert len(server.seen) == 6


@pytest.mark.slow
def test_likewise_through_inspect(tmp_path, monkeypatch):
    with serving(replies()) as server:
        done = go(tmp_path / "run", server, monkeypatch, model="pp-chat/usage?service=openrouter")
        assert len(server.seen) == 6 and done.card["state"] == "stopped"
        assert done.card["ledger"]["cost"] == pytest.approx(0.048)


@pytest.mark.slow
@pytest.mark.parametrize("billed", [True, False])
def test_every_attempt_of_inspects_retries_counts(tmp_path, monkeypatch, billed):
    from harness.inspect_support import BRAINS, brain

    class Trouble(Exception):
        status_code = None if billed else 503

    BRAINS.clear()
    puppet = brain("lossy", say=lambda call: Trouble("lost") if puppet.n % 2 else "5")
    monkeypatch.setattr("harness.inspect_support.PuppetAPI.should_retry", lambda self, error: True)
    with serving(replies()) as server:
        done = go(tmp_path / "run", server, monkeypatch, model="pptest/lossy", limit=2, max_cost=100.0, connections=1)
    calls = pq.read_table(tmp_path / "run" / "calls.parquet").to_pylist()
    assert done.summary["counts"]["completed"] == 2 and puppet.n == 4
    assert [call["state"] for call in calls].count("assumed") == (2 if billed else 0)


@pytest.mark.attack("replies lost after they were billed, against --max-cost")
def test_a_lost_reply_and_its_retry_both_count(tmp_path, monkeypatch):
    with serving(hangs_up, replies(prompt_tokens=9, completion_tokens=2)) as server:
        done = go(tmp_path / "run", server, monkeypatch, limit=2, connections=1)
    assert len(server.seen) == 3 and done.card["ledger"]["cost"] == pytest.approx(0.008 + 2 * 0.002)
    states = [call["state"] for call in pq.read_table(tmp_path / "run" / "calls.parquet").to_pylist()]
    assert sorted(states) == ["assumed", "billed", "billed"]


@pytest.mark.slow
def test_a_retry_that_the_budget_does_not_allow_is_not_sent(tmp_path, monkeypatch):
    with serving(replies(prompt_tokens=1, completion_tokens=1), hangs_up) as server:
        done = go(tmp_path / "run", server, monkeypatch, limit=3, connections=1, max_cost=0.0105)
        assert len(server.seen) == 2 and done.card["ledger"]["cost"] == pytest.approx(0.009)


@pytest.mark.slow
def test_declined_requests_cost_nothing_and_leave_nothing_behind(tmp_path, monkeypatch):
    with serving(says(openai_error("no such model"), 404)) as server, pytest.raises(PixelProofError):
        go(tmp_path / "run", server, monkeypatch)
    assert not (tmp_path / "run").exists()
    limited = [says(openai_error("slow down"), 429, Retry_After="0"), replies(prompt_tokens=9, completion_tokens=1)]
    with serving(*limited) as server:
        done = go(tmp_path / "other", server, monkeypatch, limit=1)
    assert len(server.seen) == 2 and done.card["ledger"]["cost"] == pytest.approx(0.001)


@pytest.mark.slow
def test_a_bad_first_reply_that_was_billed_is_remembered(tmp_path, monkeypatch):
    with serving(says(b"<html>", content_type="text/html")) as server:
        with pytest.raises(PixelProofError, match="has not answered yet"):
            go(tmp_path / "run", server, monkeypatch, connections=1)
        with pytest.raises(PixelProofError, match="--resume"):
            go(tmp_path / "run", server, monkeypatch)
        server.acts[:] = [replies()]
        assert go(tmp_path / "run", server, monkeypatch, resume=True).card["ledger"]["cost"] == pytest.approx(0.048)
        assert len(server.seen) == 6


@pytest.mark.slow
def test_a_bad_first_reply_stops_only_a_run_without_answers(tmp_path, monkeypatch):
    good, bad = replies(prompt_tokens=1, completion_tokens=1), says(b"<html>", content_type="text/html")
    with serving(good) as server:
        go(tmp_path / "run", server, monkeypatch, limit=1)
        server.acts[:] = [bad, good]
        done = go(tmp_path / "run", server, monkeypatch, limit=3, resume=True, connections=1)
    assert done.summary["counts"]["completed"] == 2 and done.summary["counts"]["errored"] == 1
    with serving(bad, replies("yes", prompt_tokens=1, completion_tokens=1)) as server:
        judged = go(tmp_path / "judged", server, monkeypatch, judge="chat/j?service=openrouter",
                    model="control/ceiling-truth", limit=3, connections=1)  # fmt: skip
    assert judged.summary["counts"]["completed"] == 2 and judged.summary["counts"]["unscored"] == 1


@pytest.mark.slow
def test_judge_calls_count_natively_and_on_resume(tmp_path, monkeypatch):
    """Four tokens per question: 0.004 dollars."""
    with serving(replies("yes")) as server:
        arguments = {"judge": "chat/j?service=openrouter", "model": "control/ceiling-truth", "connections": 1}
        done = go(tmp_path / "run", server, monkeypatch, max_cost=0.021, **arguments)
        assert len(server.seen) == 5 and done.card["state"] == "stopped"
        go(tmp_path / "run", server, monkeypatch, max_cost=0.021, resume=True, **arguments)
        assert len(server.seen) == 5


@pytest.mark.attack("replies beyond their token limit", lost="at most one call per connection")
def test_replies_beyond_their_limit_overshoot_once_per_connection(tmp_path, monkeypatch):
    progress = Announcements()
    with serving(replies(prompt_tokens=1, completion_tokens=1000)) as server:
        done = go(tmp_path / "run", server, monkeypatch, connections=3, progress=progress)
        assert len(server.seen) <= 3 and done.card["state"] == "stopped"
    (note,) = progress.texts
    assert "at most 3 calls are in flight, and each can exceed it once" in note


@pytest.mark.slow
def test_replies_beyond_their_limit_through_inspect(tmp_path, monkeypatch):
    with serving(replies(prompt_tokens=1, completion_tokens=1000)) as server:
        go(tmp_path / "run", server, monkeypatch, connections=3, model="pp-chat/flight?service=openrouter")
        assert len(server.seen) <= 3


@pytest.mark.parametrize("cost", [float("nan"), float("-inf"), -1.0])
def test_an_impossible_cost_does_not_disable_the_budget(cost):
    ledger = Ledger(PRICES, 0.02)
    for _ in range(2):
        ledger.settle(ledger.reserve(Prompt(("",)), 8), Answer("5", usage=Usage(cost=cost, seconds=float("nan"))))
    with pytest.raises(BudgetSpent):
        ledger.reserve(Prompt(("",)), 8)
    assert ledger.total.cost == pytest.approx(0.016)


@pytest.mark.slow
def test_a_run_that_was_begun_without_a_price_is_priced_on_resume(tmp_path, monkeypatch):
    with serving(replies()) as server:
        go(tmp_path / "run", server, monkeypatch, limit=2, price=None, max_cost=None)
        done = go(tmp_path / "run", server, monkeypatch, resume=True)
    assert len(server.seen) == 6 and done.card["ledger"]["cost"] == pytest.approx(0.048)


PROGRAM = """
import sys
from pathlib import Path
from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.store import write_sealed_json
from support import Guess
budget = {"price": "output=1000", "max_cost": 0.1, "connections": 3}
settings = Settings(out=Path(sys.argv[1]), resume=True, calibrate=0, **budget)
run(Plan(Guess(), Source("digits")), sys.argv[2], settings=settings)
"""


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.attack("kill -9 with calls in flight, then --resume, against --max-cost")
@pytest.mark.parametrize("model", ["chat/m?service=openrouter", "pp-chat/m?service=openrouter"])
def test_calls_in_flight_at_a_kill_count_on_resume(tmp_path, monkeypatch, model, record_property):
    """After each kill, three more calls were sent whose replies nobody has; twelve calls are affordable."""
    out, released = tmp_path / "run", threading.Event()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(support.__file__).parent), *sys.path]),
        "PIXELPROOF_CACHE": str(tmp_path / "cache"),
        "OPENROUTER_API_KEY": "sk-anything-0123456789",
    }
    kills = min(KILLS, 4)  # the fifth would find nothing left to spend
    record_property("tries", kills)
    with serving(is_silent(released)) as server:
        environment["OPENROUTER_BASE_URL"] = server.url
        for kill in range(kills):
            process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(out), model], env=environment)
            deadline = time.monotonic() + 60
            while len(server.seen) < 3 * (kill + 1) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert len(server.seen) == 3 * kills
        spent, assumed = CallTable(out).spent(PRICES.cost)
        assert assumed == 3 * kills and spent.cost == pytest.approx(0.008 * 3 * kills)
        server.acts[:] = [replies()]
        released.set()
        go(out, server, monkeypatch, model=model, max_cost=0.1, connections=3, resume=True)
        assert len(server.seen) == 12
    card = json.loads((out / "card.json").read_text())
    assert card["ledger"]["cost"] <= 0.1 and card["state"] == "stopped"


@pytest.mark.slow
def test_a_provider_of_inspect_that_never_answers_keeps_to_the_deadline(tmp_path):
    from harness.inspect_support import BRAINS, ask, brain

    BRAINS.clear()
    brain("x", delay=60)
    began = time.monotonic()
    rows = ask(tmp_path / "run", Plan(Guess(), Source("digits"), limit=1), timeout=1)
    assert time.monotonic() - began < 30 and [row["failure"] for row in rows] == ["timeout"]


@pytest.mark.slow
@pytest.mark.attack("retries and requests inside of a provider's client, against --max-cost")
def test_nothing_is_sent_behind_the_meter(tmp_path, monkeypatch):
    """A client that sends a lost request three times, and a provider that asks for a greeting first."""
    from harness.inspect_support import BRAINS, PuppetAPI, brain

    sent = []

    class Client:
        max_retries = 2

    async def generate(self, input, tools, tool_choice, config):
        if config.reasoning_summary is None:
            sent.append("Please say 'hello, world'")
        self.client = getattr(self, "client", Client())
        sent.extend([input[-1].text] * (1 + self.client.max_retries))
        self.client = Client()  # as after an expired key
        raise ConnectionError("lost")

    monkeypatch.setattr(PuppetAPI, "generate", generate)
    monkeypatch.setattr(PuppetAPI, "client", Client(), raising=False)
    monkeypatch.setattr(PuppetAPI, "should_retry", lambda self, error: True)
    BRAINS.clear()
    brain("client")
    limits = {"max_cost": 25.0, "connections": 1, "limit": 4}  # a call: 8 tokens and 8,192 of reasoning, 8.2 dollars
    with serving(replies()) as server:
        done = go(tmp_path / "run", server, monkeypatch, model="pptest/client", **limits)
    assert len(sent) == 3 == done.card["ledger"]["assumed_calls"] and not any("hello" in text for text in sent)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["openai/gpt-5-x", "openai-api/openrouter/x"])
def test_the_client_of_openai_sends_no_more_than_is_metered(tmp_path, monkeypatch, model):
    pytest.importorskip("openai")
    monkeypatch.setattr("inspect_ai.model.ModelAPI.retry_wait", lambda self: wait_none())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-anything-0123456789")
    with serving(hangs_up) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = go(tmp_path / "run", server, monkeypatch, model=model, max_cost=25.0, connections=1, limit=4)
    assert len(server.seen) == 3 == done.card["ledger"]["assumed_calls"]


@pytest.mark.parametrize("models, warned", [(("bedrock/m", "openai/j"), 1), (("chat/m", None), 0), (("own/m",), 1)])
def test_the_note_names_clients_that_retry_on_their_own(models, warned):
    assert overshoot_note(5, 3, models).count("may send a call several times") == warned
