"""The bench through Inspect AI: the same scores as natively, log probabilities included."""

import math

import inspect_ai
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import Logprob, Logprobs, TopLogprob

import pixelproof
from harness.inspect_support import BRAINS, brain, log_of, output
from pixelproof.benches.evalmi import EvalMi
from pixelproof.contract import Source
from pixelproof.harness._inspect_task import scorer_of
from pixelproof.stats import generator

pytestmark = pytest.mark.slow
BENCH, ITEMS = EvalMi(checks="none"), 3
PROMPTS = {item.inputs["prompt"]: item for item in BENCH.items(Source("flat"), 0, ITEMS)}
JUDGED = ("judge.correspondence", "judge.facts", "judge.solved", "judge.perception")


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    BRAINS.clear()
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def truth(call):
    return output(BENCH.controls()["ceiling-truth"](PROMPTS[call.text], generator(0, "truth")).images[0])


def sure(word, other, share):
    """A word with its log probability, and another that was as good as said."""
    said = output(word)
    top = [TopLogprob(token=t, logprob=math.log(p)) for t, p in ((word, share), (other, 1 - share))]
    said.choices[0].logprobs = Logprobs(content=[Logprob(token=word, logprob=math.log(share), top_logprobs=top)])
    return said


def judge(call):
    """Rather good than fair; all facts hold."""
    return sure("good", "fair", 0.6) if call.config.logprobs else output("yes")


def test_both_runners_give_the_same_scores(tmp_path):
    fn = "fn/pixelproof.benches.evalmi.simulated:exact"
    options = {"source": "flat", "limit": ITEMS, "checks": "none", "judge": fn}
    brain(say=truth)
    runs = {
        name: pixelproof.run("evalmi", name, out=tmp_path / name.partition("/")[0], **options)
        for name in ("control/ceiling-truth", "pp-control/ceiling-truth", "pptest/x")
    }
    first, *others = ({name: run.summary["metrics"][name] for name in JUDGED} for run in runs.values())
    assert all(metrics == first for metrics in others)
    assert all(run.summary["metrics"]["judge.facts"]["calibrated"] for run in runs.values())
    assert log_of(tmp_path / "pptest").is_file() and not (tmp_path / "control" / "logs").exists()


def test_expected_levels_survive_resuming_and_scoring_a_log_again(tmp_path):
    brain(say=truth)
    asked = brain("judge", say=judge)
    path = tmp_path / "run"
    options = {"source": "flat", "limit": ITEMS, "checks": "none", "judge": "pptest/judge", "out": path}
    run = pixelproof.run("evalmi", "pptest/x", **options)
    expected = 0.6 * 0.75 + 0.4 * 0.5
    assert run.summary["metrics"]["judge.correspondence"]["value"] == pytest.approx(expected)
    assert pixelproof.rescore(path).summary["metrics"]["judge.correspondence"]["value"] == pytest.approx(expected)
    before = asked.n
    log = inspect_ai.score(read_eval_log(str(log_of(path))), scorer_of("evalmi")(), action="overwrite", display="none")
    values = [sample.scores["evalmi"].value["judge.correspondence"] for sample in log.samples]
    assert values == pytest.approx([expected] * ITEMS) and asked.n == before


@pytest.mark.parametrize("text", ["I'm sorry, I can't help with that.", "", "4/5"])
def test_a_judge_that_refuses_leaves_answers_unscored(tmp_path, text):
    brain(say=truth)
    brain("judge", say=lambda call: text)
    options = {"source": "flat", "limit": ITEMS, "checks": "none", "judge": "pptest/judge", "out": tmp_path / "run"}
    summary = pixelproof.run("evalmi", "pptest/x", **options).summary
    assert summary["counts"]["unscored"] == ITEMS and summary["failures"] == {"judge-unreadable": ITEMS}
    assert all(summary["metrics"].get(name, {}).get("value") is None for name in JUDGED)
