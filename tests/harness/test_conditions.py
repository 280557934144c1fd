"""One model under several conditions, each judged by its own floor and ceiling."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pixelproof.contract import Answer, Display, Metric, PixelProofError, Result, Source, option
from pixelproof.harness import Plan, Settings, run, shifts
from support import Guess


@dataclass(frozen=True)
class Dimmed(Guess):
    """The same task through a channel that lets only a share of every score pass."""

    name: ClassVar[str] = "dimmed"
    metrics: ClassVar[tuple[Metric, ...]] = (Metric("close", "closeness that passes", range=(0, 1)),)
    display: ClassVar[Display] = Display(("close",))

    passes: float = option(1.0, "share that passes")

    def score(self, item, answer, judgements):
        result = super().score(item, answer, judgements)
        return Result(item.id, {"close": self.passes * result.metrics["close"]})

    def controls(self):
        return {**super().controls(), "floor-five": lambda item, rng: Answer("5")}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def go(path, model="fn/support:even_odd", samples=1, **options):
    bench = Dimmed(n=30, **options)
    run(Plan(bench, Source("digits"), samples=samples), model, settings=Settings(path))
    return path


def test_a_darker_channel_is_no_difference_after_calibration(tmp_path):
    whole, half = go(tmp_path / "whole"), go(tmp_path / "half", passes=0.5)
    (found,) = shifts(whole, {"half": [half]}, bench=Dimmed())
    assert found.metric == "close" and found.runs == 1 and found.n == 30
    assert found.raw.value < -0.2 and found.raw.hi < 0
    assert found.calibrated.value == pytest.approx(0, abs=1e-12)
    assert found.ceilings == pytest.approx((1.0, 0.5))


def test_a_worse_model_is_a_difference_whatever_the_channel(tmp_path):
    whole = go(tmp_path / "whole", "control/ceiling-truth")
    others = [go(tmp_path / f"other{i}", "control/floor-random", passes=1 - i / 4) for i in range(3)]
    (found,) = shifts(whole, {"other": others}, bench=Dimmed())
    assert found.runs == 3 and found.calibrated.value < -0.8 and found.calibrated.hi < -0.5
    assert found.ceilings == pytest.approx((1.0, np.mean([1, 0.75, 0.5])))


def test_samples_of_an_item_count_together(tmp_path):
    one, two = go(tmp_path / "one"), go(tmp_path / "two", samples=2)
    (found,) = shifts(one, {"two": [two]}, bench=Dimmed())
    assert found.n == 30 and found.calibrated.value == pytest.approx(0, abs=1e-12)


def test_runs_without_controls_cannot_be_compared(tmp_path):
    whole = go(tmp_path / "whole")
    bench = Dimmed(n=30)
    run(Plan(bench, Source("digits")), "fn/support:even_odd", settings=Settings(tmp_path / "bare", calibrate=0))
    with pytest.raises(PixelProofError, match="calibrate them all"):
        shifts(whole, {"bare": [tmp_path / "bare"]}, bench=Dimmed())
