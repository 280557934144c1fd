"""Many episodes need no more memory than a few."""

import gc
import os
import tracemalloc

import pytest

from benches.agent.playing import first_items, play
from pixelproof.contract import Answer, Call

EPISODES = 8 * int(os.environ.get("PIXELPROOF_SOAK", "1"))


@pytest.mark.soak
def test_memory_does_not_grow_with_episodes():
    bench, items = first_items(2, task="compare-areas")

    def reply(prompt):
        done = sum(turn.role == "tool" for turn in prompt.history)
        box = [0, 0, 100 + 10 * done, 100]
        return Answer(items[0].truth["answer"]) if done > 3 else Answer(calls=(Call(f"{done}", "ZOOM", {"box": box}),))

    def episodes(count):
        for number in range(count):
            play(bench, items[number % 2], reply)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = episodes(2)
        assert episodes(EPISODES) - before < 2_000_000, "a picture alone has 0.8 MB"
    finally:
        tracemalloc.stop()
