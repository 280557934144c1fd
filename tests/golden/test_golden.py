"""No number changes by accident: about forty runs give what their records say."""

import pytest

from golden.runs import RUNS, carry_out
from golden.store import changed, read, wider_than
from pixelproof.store import _digest  # a spy on what is hashed has no public place

HASHES, SUMMARIES = read()
ADVICE = "If that is meant: python -m tests.golden write, in a commit that does nothing else and says why."


PARAMS = [pytest.param(name, marks=() if run.fast else pytest.mark.slow) for name, run in RUNS.items()]


@pytest.mark.parametrize("name", PARAMS)
def test_a_run_gives_what_its_record_says(name, monkeypatch):
    hashed = set()
    hash_dataclass = _digest._hash_dataclass
    monkeypatch.setattr(_digest, "_hash_dataclass", lambda obj: (hashed.add(type(obj)), hash_dataclass(obj))[1])
    lines = changed(name, carry_out(name), HASHES, SUMMARIES)
    assert not lines, "\n".join([*lines[:40], ADVICE])
    unnamed = {kind.__qualname__ for kind in hashed if "content_name" not in vars(kind)}
    assert not unnamed, "a class whose digest decides about items must declare content_name (store/_digest.py)"


def test_every_run_has_a_record_and_every_record_a_run():
    assert set(HASHES["runs"]) == set(RUNS) == set(SUMMARIES)


def test_no_more_is_free_to_differ_than_the_records_say():
    assert wider_than(HASHES["free"]) == []
