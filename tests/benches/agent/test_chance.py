"""Answers are as likely as the stated chance says: a guess by the prior is at chance."""

from collections import Counter

import pytest
from scipy.stats import chisquare

from pixelproof.benches.agent.tasks import TASKS
from pixelproof.world.flat import ALPHABET

pytestmark = pytest.mark.slow
N, SEED = 200, 991


@pytest.mark.parametrize("task", TASKS)
def test_no_possible_answer_is_more_likely_than_another(task):
    """Expected and true numbers of every possible answer, given what each scene leaves possible."""
    expected, true = Counter(), Counter()
    for index in range(N):
        challenge = TASKS[task].make(SEED, index, "base")
        if challenge.length:
            possible, answer = list(ALPHABET), list(challenge.answer)
        else:
            possible, answer = list(challenge.guesses or challenge.options), challenge.answer.split(", ")
        assert len(answer) == (challenge.length or challenge.words) and set(answer) <= set(possible)
        if len(answer) == 1:
            assert challenge.chance == pytest.approx(1 / len(possible))
        if task == "compare-areas":  # things differ from scene to scene: their place in the question counts
            possible, answer = [0, 1], [possible.index(answer[0])]
        true.update(answer)
        for other in possible:
            expected[other] += len(answer) / len(possible)
    words = sorted(expected)
    assert chisquare([true[word] for word in words], [expected[word] for word in words]).pvalue > 0.001
