"""The confusion matrix of a run is the sum of those of its answers."""

from dataclasses import dataclass, replace

import pyarrow.parquet as pq
import pytest

from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from support import Guess


@dataclass(frozen=True)
class Confused(Guess):
    """Counts made up from the index of the item, one of them fractional, and a class that cannot be encoded."""

    def score(self, item, answer, judgements):
        place = int(item.id.rpartition("/")[2])
        cells = {"cat": {"cat": 2, "dog": place, "": 0.5}, "dog → \ud800": {"cat": 1}}
        return replace(super().score(item, answer, judgements), confusion=cells)


@dataclass(frozen=True)
class Broken(Guess):
    def score(self, item, answer, judgements):
        return replace(super().score(item, answer, judgements), confusion={"cat": {"dog": -1}})


def plan(bench, limit=4):
    return Plan(bench, Source(bench.default_source()), limit=limit)


@pytest.mark.slow
def test_matrices_add_up_and_the_largest_counts_come_first(tmp_path):
    done = run(plan(Confused()), "fn/support:even_odd", settings=Settings(out=tmp_path / "a"))
    places = [
        int(item.rpartition("/")[2]) for item in pq.read_table(tmp_path / "a" / "items.parquet")["item"].to_pylist()
    ]
    n = len(places)
    expected = {"cat": {"cat": 2 * n, "dog": sum(places), "": 0.5 * n}, "dog → \ufffd": {"cat": n}}
    assert done.summary["confusion"] == {truth: {k: v for k, v in row.items() if v} for truth, row in expected.items()}
    assert list(done.summary["confusion"]) == ["cat", "dog → \ufffd"]
    (first, *_) = done.results(Confused())
    assert first.confusion["cat"][""] == 0.5


@pytest.mark.slow
def test_benches_without_classes_have_none(tmp_path):
    assert run(plan(Guess()), "fn/support:even_odd", settings=Settings(out=tmp_path / "a")).summary["confusion"] == {}


def test_a_count_that_is_none_is_refused(tmp_path):
    with pytest.raises(PixelProofError, match=r"confusion\['cat'\]\['dog'\].*not negative"):
        run(plan(Broken()), "fn/support:even_odd", settings=Settings(out=tmp_path / "a"))
