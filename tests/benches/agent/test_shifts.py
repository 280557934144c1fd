"""Shifts degrade what the tools get, and with it the oracle's answers."""

import numpy as np
import pytest

from benches.agent.playing import first_items, play
from pixelproof.benches.agent._controls import play_chain
from pixelproof.contract import PixelProofError


def oracle_accuracy(n, **options):
    bench, items = first_items(n, **options)
    right = 0.0
    for item in items:
        chain = bench.challenge(item).chain
        result, _ = play(bench, item, lambda prompt, chain=chain: play_chain(chain(), prompt))
        right += result.metrics.get("accuracy", 0.0)
    return right / n


def test_a_shift_changes_pictures_and_clips_for_tools_and_first_view():
    for task in ("count-clutter", "flash-colour"):
        bench, (item,) = first_items(task=task)
        shifted, same = (first_items(task=task, shift="light", strength=strength)[0] for strength in (0.5, 0.0))
        plain = bench.media(item)
        assert shifted.media(item).frames[-1].mean() < 0.8 * plain.frames[-1].mean()
        assert all(np.array_equal(a, b) for a, b in zip(same.media(item).frames, plain.frames, strict=True))
        assert shifted.prompt(item).parts != bench.prompt(item).parts


@pytest.mark.slow
@pytest.mark.parametrize("shift", ["blur", "light"])
def test_the_oracle_does_not_gain_by_a_stronger_shift(shift):
    accuracies = [oracle_accuracy(3, task="count-clutter", shift=shift, strength=value) for value in (0.0, 0.15, 0.6)]
    assert accuracies[0] == 1 and accuracies == sorted(accuracies, reverse=True) and accuracies[-1] < 1


@pytest.mark.parametrize("options", [{"shift": "fog"}, {"strength": 1.5}, {"strength": float("nan")}])
def test_impossible_shifts_are_a_sentence(options):
    with pytest.raises(PixelProofError):
        first_items(**options)
