import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import Answer, Artefact, Call, Failure, Fault, PixelProofError, Prompt, Tool, Turn, Usage
from pixelproof.harness._ledger import TOKENS_PER_IMAGE, BudgetSpent, Ledger, Prices, expected_usage, reply_limit

PROMPT = Prompt(("x" * 300,))


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 10), st.integers(0, 10**6), st.integers(0, 10**6))
def test_prices(per_input, per_output, per_image, tokens_in, tokens_out):
    text = f"input={per_input!r}, output={per_output!r}, image={per_image!r}"
    cost = Prices.parse(text).cost(Usage(tokens_in, tokens_out, images=2))
    assert cost == pytest.approx((tokens_in * per_input + tokens_out * per_output) / 1e6 + 2 * per_image)


def test_the_providers_own_bill_wins():
    assert Prices(1, 1, 1).cost(Usage(10**6, 10**6, 5, cost=0.25)) == 0.25


@pytest.mark.parametrize(
    "text", ["", "cheap", "input=", "input=x", "colour=3", "input=-1", "input=1;output=2", "input=nan,"]
)
def test_bad_prices(text):
    with pytest.raises(PixelProofError, match="input=2.5"):
        Prices.parse(text)


def test_a_reservation_is_the_most_a_call_can_cost():
    usage = expected_usage(Prompt(("x" * 300,), wants="image"), reply_limit(PROMPT, 50))
    assert usage.output_tokens == 50 and usage.images == 1 and usage.input_tokens >= 75


@given(st.lists(st.integers(0, 100), min_size=1, max_size=60), st.integers(1, 8), st.floats(0.0, 3.0))
def test_never_over_budget_whatever_is_in_flight(replies, most, budget):
    """Calls overlap at random; each uses at most the 100 tokens that were reserved."""
    ledger = Ledger(Prices(output=1000.0), budget)
    flying = []
    for tokens in replies:
        try:
            flying.append((ledger.reserve(Prompt(("",)), 100, wait=False), tokens))
        except BudgetSpent:
            if not flying:
                assert ledger.stopped
        if len(flying) >= most or (flying and ledger.stopped):
            reserved, used = flying.pop(0)
            ledger.settle(reserved, Answer("x", usage=Usage(1, used)))
        assert ledger.total.cost <= budget * (1 + 1e-9)


def test_a_waiting_call_goes_on_when_another_was_cheaper_than_feared():
    ledger = Ledger(Prices(output=1000.0), 0.15)  # one call of 100 tokens is 0.1
    first = ledger.reserve(Prompt(("",)), 100)
    waited = []

    def second():
        waited.append(ledger.reserve(Prompt(("",)), 100))

    thread = threading.Thread(target=second)
    thread.start()
    time.sleep(0.05)
    assert not waited
    ledger.settle(first, Answer("x", usage=Usage(1, 1)))
    thread.join(5)
    assert waited and not ledger.stopped


def test_without_a_price_the_cost_is_unknown_not_zero():
    ledger = Ledger()
    assert ledger.settle(ledger.reserve(PROMPT, 10), Answer("x", usage=Usage(5, 5))).cost is None
    assert ledger.book(Usage(5, 5, cost=0.5)).cost == 0.5


def test_budgets_that_make_no_sense():
    with pytest.raises(PixelProofError, match="--price"):
        Ledger(None, 1.0)
    for nonsense in (-1.0, float("nan"), float("inf")):
        with pytest.raises(PixelProofError, match="from 0 upwards"):
            Ledger(Prices(), nonsense)


def test_a_free_model_can_be_given_a_price():
    assert Prices(output=1.0).cost(Usage(output_tokens=10**6, cost=0.0)) == 1.0


def test_a_conversation_and_its_tools_count_for_the_reservation():
    tool = Tool("look", "Look closer.", {"type": "object", "properties": {"box": {"type": "string"}}})
    call = Call("call-0", "look", {"box": "b" * 300})
    picture = Artefact(b"png")
    history = (Turn("user", ("a" * 600, picture)), Turn("model", calls=(call,)), Turn("tool", (picture,), call=call))
    alone = expected_usage(Prompt(("go on",)), 10)
    whole = expected_usage(Prompt(("go on",), history=history, tools=(tool,)), 10)
    assert whole.input_tokens > alone.input_tokens + 200 + 100 + 2 * TOKENS_PER_IMAGE


def test_a_refused_retry_stays_refused():
    ledger = Ledger(Prices(output=1000.0), 0.15)
    reservation = ledger.reserve(Prompt(("",)), 100)
    assert [reservation.sending() for _ in range(4)] == [True, False, False, False]
    ledger.settle(reservation, None)
    assert ledger.total.cost == pytest.approx(0.1)


@pytest.mark.parametrize(
    "answer, cost",
    [
        (Answer("5", usage=Usage(10, 20)), 0.02),
        (Answer("", usage=Usage(10)), 0.1),  # thoughts without a reply
        (Answer("5", usage=Usage(10)), 0.1),
        (Answer(failure=Failure(Fault.MODEL, "refusal"), usage=Usage(10)), 0.1),
        (Answer("", usage=Usage(10, cost=0.03)), 0.03),
    ],
)
def test_what_a_reply_does_not_state_counts_as_reserved(answer, cost):
    ledger = Ledger(Prices(output=1000.0), 1.0)
    booked = ledger.settle(ledger.reserve(PROMPT, 100), answer).cost
    assert booked == pytest.approx(cost) and ledger.assumed == (cost == 0.1)


@pytest.mark.parametrize("stated, images", [(False, 1), (True, 0)])
def test_an_image_that_is_not_delivered_counts_unless_none_was_drawn(stated, images):
    ledger = Ledger(Prices(image=0.04), 1.0)
    reservation = ledger.reserve(Prompt(("draw",), wants="image"), 100)
    if stated:
        reservation.drew_nothing()
    assert ledger.settle(reservation, Answer("I cannot.", usage=Usage(10, 20))).cost == pytest.approx(0.04 * images)


def test_a_tool_is_called_before_anything_is_drawn():
    ledger = Ledger(Prices(image=0.04), 1.0)
    answer = Answer(calls=(Call("call-0", "look", {}),), usage=Usage(10, 20))
    assert ledger.settle(ledger.reserve(Prompt(("draw",), wants="image"), 100), answer).cost == 0
