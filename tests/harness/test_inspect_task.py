"""A bench as an Inspect task, and what Inspect's traps would do to it."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import inspect_ai
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Epochs
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import SampleScore, Score

from harness.inspect_support import BRAINS, Paint, Stroll, brain, mask_of, members, noise, output
from pixelproof.contract import Answer, Failure, Fault, Item, PixelProofError, Result, Source
from pixelproof.harness import Plan
from pixelproof.harness._inspect_metric import pooled, score_of
from pixelproof.harness._inspect_recipe import remember
from pixelproof.harness._inspect_task import build_task, scorer_of
from support import Guess

pytestmark = pytest.mark.slow

SETTINGS = dict(display="none", log_level="notset", ctl_server=False, log_realtime=False, score_display=False)
remember(Guess)
remember(Paint)


@pytest.fixture(autouse=True)
def no_brains():
    BRAINS.clear()


def evaluate(tmp_path, task, model="pptest/x", **more):
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), **(SETTINGS | more))
    return log


def painter(call):
    """Paints the left part of a mask; how much depends on item and sample."""
    mask = np.zeros((8, 8), np.uint8)
    mask[:, : call.seed % 7 + 1] = 1
    return output(mask_of(mask))


def true_iou(plan, samples):
    """Intersections over unions of everything painted, by hand."""
    sums = np.zeros(2)
    for index, item in plan.items():
        for k in range(samples):
            painted = np.zeros((8, 8), bool)
            painted[:, : plan.ask(index, item, k).seed % 7 + 1] = True
            truth = np.asarray(item.truth)
            sums += (painted & truth).sum(), (painted | truth).sum()
    return sums[0] / sums[1]


def test_pooled_metrics_take_in_every_sample_of_every_epoch(tmp_path):
    brain(say=painter)
    plan = Plan(Paint(), Source("masks"), samples=3)
    task = build_task(plan)
    task.epochs_reducer = Epochs(3, ["mean", "max"]).reducer
    log = evaluate(tmp_path, task)
    (told,) = log.results.scores
    assert told.scored_samples == 36 and told.reducer is None
    assert told.metrics["iou"].value == pytest.approx(true_iou(plan, 3))
    assert told.metrics["iou"].value != pytest.approx(true_iou(plan, 1))
    assert next(iter(told.metrics)) == log.results.headline.metric == "iou"  # the bench's own headline


def test_evidence_does_not_swell_scores_or_reductions(tmp_path):
    brain(say=painter)
    task = build_task(Plan(Paint(overlay=128), Source("masks"), samples=2))
    task.epochs_reducer = Epochs(2, ["mean", "max"]).reducer
    log = evaluate(tmp_path, task)
    one = len(noise(0, 128).data)
    sizes = members(tmp_path / "logs" / log.location.rsplit("/", 1)[-1])
    samples = {name: size for name, size in sizes.items() if name.startswith("samples/")}
    assert len(samples) == 24 and all(size > one for size in samples.values())
    rest = sum(size for name, size in sizes.items() if name not in samples)
    assert rest < one and sizes["reductions.json"] < 100
    for sample in log.samples:
        assert len(sample.scores["paint"].model_dump_json()) < 1000
        assert [event.data.keys() for event in sample.events if event.event == "info"] == [{"overlay"}]


numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-9, 9)
results = st.builds(
    Result,
    item=st.just("guess/digits/1/0"),
    metrics=st.fixed_dictionaries(
        {},
        optional={
            "close": numbers,
            "hit": numbers,
            "pooled": st.tuples(st.integers(0, 4), st.integers(0, 4)),
        },
    ),
    failure=st.none() | st.builds(Failure, st.sampled_from(Fault), st.sampled_from(["refusal", "odd", "judge-failed"])),
)


@given(st.lists(results, max_size=4))
def test_the_metric_is_total_and_never_invents_a_zero(many):
    scores = [score_of(r, Item(r.item, {}), Answer("x"), Guess.metrics) for r in many]
    usable = [(r, s) for r, s in zip(many, scores, strict=True) if isinstance(s.value, dict)]
    told = pooled("guess")([SampleScore(score=score, sample_id="1") for _, score in usable])
    names = [name.removesuffix(".faults_as_worst") for name in told if name != "unscored"]
    assert names == ["close", "pooled", "hit", "polite", "length", "model_faults"]
    faulty = [r for r, _ in usable if r.failure is not None and r.failure.fault is Fault.MODEL]
    for name in ("close", "hit"):
        finite = [float(v) for r, _ in usable if math.isfinite(v := r.metrics.get(name, math.nan))]
        lacking = sum(not math.isfinite(r.metrics.get(name, math.nan)) for r in faulty)
        value = told[f"{name}.faults_as_worst" if lacking else name]
        assert value == pytest.approx(sum(finite) / (len(finite) + lacking)) if finite else math.isnan(value)
    assert math.isnan(told["polite.faults_as_worst" if faulty else "polite"])
    assert told["model_faults"] == len(faulty)
    counted = [r.metrics["pooled"] for r, _ in usable if "pooled" in r.metrics]
    lacking = sum("pooled" not in r.metrics for r in faulty)
    counts = np.sum(counted or [(0, 0)], axis=0)
    value = told["pooled.faults_as_worst" if lacking else "pooled"]
    share = len(counted) / (len(counted) + lacking) if counted else 0
    assert value == pytest.approx(share * counts[0] / counts[1]) if counts[1] else not math.isfinite(value)
    json.dumps([score.metadata for score in scores])


def test_the_metric_is_not_taken_for_one_of_the_old_kind():
    hints = get_type_hints(pooled("guess"))
    assert hints["scores"] == list[SampleScore]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Failure(Fault.MODEL, "refusal"), "refusal"),
        (Failure(Fault.MODEL, "no-image"), "no_response"),
        (Failure(Fault.MODEL, "no-response"), "no_response"),
        (Failure(Fault.MODEL, "not-a-digit"), "invalid_response_format"),
        (Failure(Fault.INSTRUMENT, "judge-failed"), "grader_failed"),
        (Failure(Fault.INSTRUMENT, "scorer-crashed"), "scoring_failed"),
    ],
)
@pytest.mark.parametrize("metrics", [{"hit": 0.0}, {}])
def test_faults_have_inspects_names(failure, reason, metrics):
    result = Result("a", metrics, failure=failure, notes={"note": "n" * 9999})
    score = score_of(result, Item("a", {}), Answer("long" * 9999), Guess.metrics)
    assert score.reason == reason and len(score.answer) <= 500 and len(score.explanation) <= 500
    if metrics or failure.fault is Fault.MODEL:
        assert score.value == {"close": None, "hit": metrics.get("hit"), "polite": None, "length": None}
    else:
        assert math.isnan(score.value)


def test_samples_are_small_and_say_how_they_were_made():
    task = build_task(Plan(Paint(side=4), Source("masks"), seed=3, limit=2))
    assert [sample.id for sample in task.dataset] == ["paint/masks/1/0000", "paint/masks/1/0001"]
    sample = task.dataset[0]
    assert isinstance(sample.input, str) and len(sample.model_dump_json()) < 1000
    assert sample.metadata["recipe"]["seed"] == 3
    assert sample.metadata["recipe"]["options"] == {"side": 4, "overlay": 64}


def test_a_log_can_be_scored_again_without_a_model(tmp_path):
    puppet = brain(say=painter)
    log = evaluate(tmp_path, build_task(Plan(Paint(), Source("masks"), samples=2)))
    asked = puppet.n
    assert asked == 24
    again = inspect_ai.score(read_eval_log(log.location), scorer_of("paint")(), action="overwrite", display="none")
    assert puppet.n == asked
    assert again.results.scores[0].metrics["iou"].value == log.results.scores[0].metrics["iou"].value
    assert [s.scores["paint"].value for s in again.samples] == [s.scores["paint"].value for s in log.samples]


def test_episodes_can_be_scored_again_from_their_trace(tmp_path):
    brain(say=lambda call: "right")
    log = evaluate(tmp_path, build_task(Plan(Stroll(), Source("lines"))))
    puppet = brain(say=lambda call: "left")
    again = inspect_ai.score(read_eval_log(log.location), scorer_of("stroll")(), action="overwrite", display="none")
    assert puppet.n == 0 and again.results.scores[0].metrics["steps"].value == 2


def test_a_judge_is_a_role_and_what_it_said_is_not_asked_again(tmp_path):
    brain(say=lambda call: "5")
    judge = brain("judge", say=lambda call: "yes")
    log = evaluate(tmp_path, build_task(Plan(Guess(n=4), Source("digits")), judge="pptest/judge"))
    assert judge.n == 4 and log.results.scores[0].metrics["polite"].value == 1
    again = inspect_ai.score(read_eval_log(log.location), scorer_of("guess")(), action="overwrite", display="none")
    assert judge.n == 4 and again.results.scores[0].metrics["polite"].value == 1


def test_a_failed_judge_leaves_a_sample_unscored(tmp_path):
    brain(say=lambda call: "5")
    brain("judge", say=lambda call: TimeoutError("late"))
    log = evaluate(tmp_path, build_task(Plan(Guess(n=3), Source("digits")), judge="pptest/judge"))
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert metrics["unscored"] == 3 and metrics["model_faults"] == 0 and math.isnan(metrics["polite"])
    assert 0 < metrics["close"] < 1  # what needs no judge is measured, as in the tables of PixelProof


def test_model_faults_are_counted_beside_the_means(tmp_path):
    brain(say=lambda call: "5" if call.seed % 2 else "five?")
    plan = Plan(Guess(), Source("digits"), samples=2)
    log = evaluate(tmp_path, build_task(plan))
    faults = sum(ask.seed % 2 == 0 for ask in plan.asks())
    metrics = log.results.scores[0].metrics
    assert metrics["model_faults"].value == faults > 0
    close = [1 - abs(5 - ask.item.truth) / 9 if ask.seed % 2 else 0.0 for ask in plan.asks()]
    assert "close" not in metrics  # PixelProof's table has the floor for faults, and so another number of this name
    assert metrics["close.faults_as_worst"].value == pytest.approx(np.mean(close))
    assert metrics["hit"].value == pytest.approx(
        np.mean([ask.seed % 2 and ask.item.truth == 5 for ask in plan.asks()])
    )  # a fault has a value of its own here


def test_inspects_own_limits_are_obeyed(tmp_path):
    brain(say=lambda call: "right")
    log = evaluate(tmp_path, build_task(Plan(Stroll(), Source("lines"))), token_limit=13)
    assert log.status == "success"
    assert [sample.limit.type if sample.limit else None for sample in log.samples] == [None, "token", "token"]


def test_a_failed_call_is_an_errored_sample_not_a_zero(tmp_path):
    brain(say=lambda call: ConnectionError("down") if "odd" in call.text else "4")
    log = evaluate(tmp_path, build_task(Plan(Guess(n=12), Source("digits"))), fail_on_error=False)
    errors = [sample.error for sample in log.samples if sample.error]
    assert errors and all("api-error: ConnectionError: down" in error.message for error in errors)
    assert log.results.scores[0].scored_samples == 12 - len(errors)
    assert all(not sample.scores for sample in log.samples if sample.error)


@pytest.mark.parametrize(
    ("model", "settings", "said"),
    [
        ("pptest/x", {"grid": 9999}, "grid is 9999; choose 4 to 128."),
        ("pptest/x", {"source": "moon"}, "There is no pixelart source 'moon'. Choose one of: pixelart-v2,"),
        ("pptest/x", {"source": "pixelart-v2", "grid": 8}, "choose --grid 24 --colours 10."),
        ("pp-control/nothing", {}, "There is no pixelart control 'nothing'. Choose one of: ceiling-truth,"),
        ("pp-folder/no[bold]where", {}, "There is no folder no\\[bold]where"),
    ],
)
def test_mistakes_are_told_before_the_first_sample_and_in_inspects_own_way(tmp_path, model, settings, said):
    asked = brain(say=lambda call: "5")
    with pytest.raises(PixelProofError) as caught:
        evaluate(tmp_path, "pixelproof/pixelart", model, task_args=settings)
    assert isinstance(caught.value, PrerequisiteError) and said in caught.value.message
    assert caught.value.message.startswith("[bold]ERROR[/bold]: ") and asked.n == 0


def test_inspects_command_line_shows_our_sentence_alone(tmp_path):
    words = ["eval", "pixelproof/pixelart", "-T", "grid=9999", "--model", "mockllm/model"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    program = Path(sys.executable).with_name("inspect")
    done = subprocess.run([program, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (
        done.returncode == 1 and (done.stdout + done.stderr).split() == "ERROR: grid is 9999; choose 4 to 128.".split()
    )


def test_a_score_without_numbers_is_no_zero():
    told = pooled("paint")([SampleScore(score=Score(value={"area": None}, metadata={}), sample_id="1")])
    assert math.isnan(told["area"]) and math.isnan(told["iou"])
