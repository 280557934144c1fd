"""No number changes by accident: about forty runs give what their records say."""

import pytest

from golden.runs import RUNS, carry_out
from golden.store import changed, read, wider_than

HASHES, SUMMARIES = read()
ADVICE = "If that is meant: python -m tests.golden write, in a commit that does nothing else and says why."


PARAMS = [pytest.param(name, marks=() if run.fast else pytest.mark.slow) for name, run in RUNS.items()]


@pytest.mark.parametrize("name", PARAMS)
def test_a_run_gives_what_its_record_says(name):
    lines = changed(name, carry_out(name), HASHES, SUMMARIES)
    assert not lines, "\n".join([*lines[:40], ADVICE])


def test_every_run_has_a_record_and_every_record_a_run():
    assert set(HASHES["runs"]) == set(RUNS) == set(SUMMARIES)


def test_no_more_is_free_to_differ_than_the_records_say():
    assert wider_than(HASHES["free"]) == []
