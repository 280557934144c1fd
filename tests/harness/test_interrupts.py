"""Nothing is sent after Ctrl-C, or after a judge has failed from the start."""

import signal
import threading
import time

import pytest
from pixelproof_toy.hunt import Hunt

from harness.agents import agent, from_prompt
from harness.inspect_support import brain
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from support import Guess

pytestmark = pytest.mark.slow
PLAN = Plan(Guess(n=40), Source("digits"))
STARTED: list[float] = []
"""When calls began."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    started().clear()


def started():
    import harness.test_interrupts as module  # the name under which the model is opened

    return module.STARTED


def slow(prompt):
    """A paid call of a fifth of a second; Ctrl-C is pressed in the third."""
    started().append(time.monotonic())
    if len(started()) == 3:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    time.sleep(0.2)
    return "5"


def slow_hunter(prompt):
    """Opens one box per call, until the number is found."""
    slow(prompt)
    return agent(*from_prompt(prompt))


@pytest.mark.attack("Ctrl-C with several connections", before="4 queued calls were sent", lost="no call is sent")
@pytest.mark.parametrize("model", ["slow", "slow_hunter"])
@pytest.mark.parametrize("connections", [3, 4, 6])
def test_trust4_no_call_is_sent_after_ctrl_c(tmp_path, model, connections, record_property):
    plan = Plan(Guess(), Source("digits")) if model == "slow" else Plan(Hunt(), Source("boxes"))
    with pytest.raises(KeyboardInterrupt):
        run(
            plan,
            f"fn/harness.test_interrupts:{model}",
            settings=Settings(out=tmp_path / "run", connections=connections),
        )
    assert len(started()) <= connections
    record_property("now", "no call")


def test_what_was_in_flight_is_kept_and_the_rest_is_asked_on_resume(tmp_path):
    plan, model = Plan(Guess(), Source("digits")), "fn/harness.test_interrupts:slow"
    with pytest.raises(KeyboardInterrupt):
        run(plan, model, settings=Settings(out=tmp_path / "run", connections=4))
    kept = len(started())
    done = run(plan, model, settings=Settings(out=tmp_path / "run", connections=4, resume=True))
    assert done.complete and len(started()) == 20
    assert 3 <= kept <= 4


def test_a_judge_behind_inspect_that_never_answers_stops_the_run(tmp_path):
    judge = brain("judge", say=lambda call: ConnectionError("down"))
    with pytest.raises(PixelProofError, match="pptest/judge has not answered yet .*check its name"):
        run(PLAN, "control/floor-five", judge="pptest/judge", settings=Settings(out=tmp_path))
    assert judge.n < 40, "the run went on, item by item"


def test_a_judge_behind_inspect_may_fail_after_its_first_answer(tmp_path):
    judge = brain("judge", say=lambda call: "yes" if judge.n <= 1 else ConnectionError("down"))
    settings = Settings(out=tmp_path, calibrate=0, connections=1)
    done = run(PLAN, "control/floor-five", judge="pptest/judge", settings=settings)
    assert done.summary["counts"]["unscored"] == 39
