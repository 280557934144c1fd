"""Answers without a value, for want of a floor or because they are lost: they never raise a mean or pass a gate."""

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

from benches.arena.folders import PALETTE, answer, make, mask
from commands import invoke
from pixelproof.benches.arena import Arena
from pixelproof.contract import Answer, Metric, Result, Source, Usage
from pixelproof.harness import Losses, Plan, Settings, compare, run
from pixelproof.pixels import encode_indexed_png, encode_png, read_image
from pixelproof.report import write_report
from support import Guess, accuracy

pytestmark = pytest.mark.slow
DIGITS = Source("digits")


def errors(sums):
    return 1 - accuracy(sums)


@dataclass(frozen=True)
class Swept(Guess):
    """Metrics of every kind: higher or lower is better, means and pooled counts, with ratios and without a range."""

    metrics: ClassVar = (
        *Guess.metrics,
        Metric("far", "distance", higher_is_better=False, range=(0, 9)),
        Metric("wrong_bits", "share of wrong bits", pool=errors, higher_is_better=False, range=(0, 1)),
        Metric("ratio", "as pooled", pool=accuracy, range=(0, 1), ratios=lambda sums: (sums[..., :1], sums[..., 1:])),
        Metric("open", "distance without a range", higher_is_better=False),
    )
    abstains: ClassVar[bool] = False

    def score(self, item, answer, judgements):
        result = super().score(item, answer, judgements)
        if result.failure is not None:
            return Result(item.id, {}, abstained=True) if self.abstains else result
        far, bits = abs(int(answer.text) - item.truth), result.metrics["pooled"]
        more = {"far": float(far), "wrong_bits": bits, "ratio": bits, "open": float(far)}
        return replace(result, metrics={**result.metrics, **more})


class Unsure(Swept):
    """Abstains where the other has a fault."""

    abstains = True


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


@pytest.fixture
def pixelproof(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return partial(invoke, capsys)


def guesses(bench, tmp_path, name, other, calibrate=0):
    """A run that is right on the items with an even number and gives another answer to the rest."""
    right = {item.id: str(item.truth) for item in bench.items(DIGITS, 0, None)}

    def model(prompt, item_id):
        return right[item_id] if int(item_id[-1]) % 2 == 0 else other

    return run(Plan(bench, DIGITS), model, settings=Settings(out=tmp_path / name, calibrate=calibrate))


def folder(root, n, answers):
    """An arena folder of n masks with files as answers; gives the options of the command line."""
    options = make(root, n)
    for index, data in answers.items():
        answer(root, index, data)
    return [word for name, value in options.items() for word in (f"--{name}", value)]


@pytest.mark.attack(
    "one right mask and five torn files, without floors", before="every score 1.00", lost="0.17 at most"
)
def test_trust4_torn_files(tmp_path, pixelproof):
    torn = b"\x89PNG\r\n\x1a\n torn"
    options = folder(tmp_path, 6, {0: PALETTE.paint(mask(0)), **dict.fromkeys(range(1, 6), torn)})
    shown = pixelproof("score", "arena", "--source", "folder", *options, "--calibrate", 0, "--out", "run").stdout
    assert "no floors measured: a model fault or abstention counts as the worst end" in shown and "0.17" in shown
    summary = json.loads(pixelproof("show", "run", "--json").stdout)
    for name in ("robust.miou", "robust.f1", "pixelarena.f1", "pixelarena.miou"):
        metric = summary["metrics"][name]
        assert metric["value"] == pytest.approx(1 / 6) and metric["n"] == 6 and metric["excluding_faults"] == 1
        assert metric["bounds"] == pytest.approx([1 / 6, 1]) and metric["lo"] <= metric["value"] <= metric["hi"]
    disc = summary["groups"]["class"]["disc"]
    assert all(part["value"] == pytest.approx(1 / 6) for part in disc.values())


def check_pooled(bench, answered, failed):
    """Faults do not raise a pooled metric, which lies between the floor and the other answers by their share."""
    measured = {m.name: failed[m.name] for m in bench.metrics if m.pool is not None and m.name in failed}
    known = {name: m for name, m in measured.items() if m["floor"] is not None and m["excluding_faults"] is not None}
    assert known
    for name, metric in known.items():
        value, rest, floor, share = (metric[key] for key in ("value", "excluding_faults", "floor", "faults"))
        assert value <= rest + 1e-12, name
        if not name.startswith("recall"):  # objects of a size are in few items, whose floor may be another
            assert value <= max(answered[name]["value"], floor) + 1e-12, name
            assert value == pytest.approx(rest + share * (floor - rest), abs=0.15), name
        assert metric["lo"] <= value <= metric["hi"], name
    return len(known)


WEIGHTS = pytest.mark.attack(
    "faults among answers whose ratio has a denominator of its own",
    before="panoptic.sq 0.79 -> 0.97",
    lost="weight of the answers at the floor",
)


def moved(labels):
    return np.roll(labels, (2, 2), (0, 1))


def boxes(seed):
    """A mask with a box of each label at random places."""
    rng, labels = np.random.default_rng(seed), np.zeros((96, 96), np.uint8)
    for label in range(1, 5):
        (y, x), (height, width) = rng.integers(0, 60, 2), rng.integers(20, 36, 2)
        labels[y : y + height, x : x + width] = label
    return labels


@WEIGHTS
@pytest.mark.parametrize("faults", [2, 6])
def test_trust4_faults_weigh_as_answers(tmp_path, pixelproof, record_property, faults):
    bad = set(np.random.default_rng(faults).choice(8, faults, replace=False).tolist())
    drawn = {index: PALETTE.paint(moved(boxes(index)) if index in bad else boxes(index)) for index in range(8)}
    torn = drawn | dict.fromkeys(bad, b"\x89PNG\r\n\x1a\n torn")
    runs = {}
    for name, answers in (("answered", drawn), ("failed", torn)):
        options = folder(tmp_path / name, 8, answers)
        for index in range(8):
            data = encode_indexed_png(boxes(index), PALETTE.colours).data
            (tmp_path / name / "masks" / f"case{index}.png").write_bytes(data)
        pixelproof("score", "arena", "--source", "folder", *options, "--out", f"run-{name}")
        runs[name] = json.loads(pixelproof("show", f"run-{name}", "--json").stdout)
    answered, failed = (runs[name]["metrics"] for name in ("answered", "failed"))
    record_property("tries", check_pooled(Arena(), answered, failed))
    sq = failed["panoptic.sq"]
    assert sq["calibrated"]["value"] < answered["panoptic.sq"]["calibrated"]["value"]
    parts = [runs[name]["groups"]["class"] for name in ("answered", "failed")]
    assert all(parts[1][label]["iou"]["value"] < scores["iou"]["value"] for label, scores in parts[0].items())
    shown = pixelproof("compare", "run-answered", "run-failed", "--metric", "panoptic.sq").stdout
    assert "better" not in shown


@WEIGHTS
@pytest.mark.parametrize("task", ["referring", "keypoints"])
def test_trust4_faults_weigh_as_answers_in_other_tasks(tmp_path, record_property, task):
    bench, source = Arena(task=task), Source("flat")
    items = {item.id: item for item in bench.items(source, 0, 6)}
    bad = set(list(items)[::2])

    def scores(name, fails):
        def model(prompt, item_id):
            truth = bench.controls()["ceiling-truth"](items[item_id], None).images[0]
            if item_id not in bad:
                return Answer(images=(truth,))
            return "no" if fails else Answer(images=(encode_png(moved(read_image(truth))),))

        plan = Plan(bench, source, limit=len(items))
        return run(plan, model, settings=Settings(out=tmp_path / name, workers=1)).summary["metrics"]

    record_property("tries", check_pooled(bench, scores("answered", False), scores("failed", True)))


@pytest.mark.parametrize("bench", [Swept(), Unsure()], ids=["faults", "abstentions"])
@pytest.mark.attack(
    "faults or abstentions on half of the answers, without floors",
    before="mean of the rest",
    lost="worse than any answer",
)
def test_trust4_no_answer_is_worse_than_a_fault(tmp_path, bench, record_property):
    refused = guesses(bench, tmp_path, "refused", "no").summary["metrics"]
    answered = [guesses(bench, tmp_path, digit, digit).summary["metrics"] for digit in "059"]
    record_property("tries", 6 * len(answered))
    for name in ("close", "far", "pooled", "wrong_bits", "ratio", "hit"):
        sign = -1 if name in ("far", "wrong_bits") else 1
        assert all(sign * refused[name]["value"] <= sign * other[name]["value"] + 1e-12 for other in answered), name
    assert refused["close"]["value"] == pytest.approx(0.5) and refused["far"]["value"] == pytest.approx(4.5)
    assert refused["ratio"]["value"] == pytest.approx(0.5) and refused["wrong_bits"]["bounds"] == [0, 0.5]
    lost = refused["open"]
    assert lost["value"] is None and "declares no range" in lost["interval_reason"] and lost["excluding_faults"] == 0
    assert refused["length"]["value"] > 0, "a descriptive metric has no worst end"


def test_every_view_has_the_same_number(tmp_path):
    done = guesses(Guess(), tmp_path, "run", "no")
    close = done.summary["metrics"]["close"]
    page = write_report([done.path], tmp_path / "page.html", Guess()).read_text()
    assert close["value"] == pytest.approx(0.5) and close["bounds"] == pytest.approx([0.5, 1])
    assert "0.50" in done._repr_html_() and ">0.50<" in page
    assert "no floors measured" in done._repr_html_() and "bounds 0.50 to 1.00" in page


def test_a_floor_that_was_measured_elsewhere_counts_in_a_group(tmp_path):
    done = guesses(Guess(), tmp_path, "run", "no", calibrate=1)
    groups = done.summary["groups"]["parity"]
    assert sum(group["close"]["n"] for group in groups.values()) == 20


@pytest.mark.parametrize("calibrated", [(0, 0), (None, 0), (0, None)])
@pytest.mark.attack("half of B's answers refused, against the gate, without floors", before="equal", lost="fires")
def test_trust4_the_gate_counts_faults_as_the_worst(tmp_path, calibrated):
    a = guesses(Swept(), tmp_path, "a", "5", calibrated[0])
    b = guesses(Swept(), tmp_path, "b", "no", calibrated[1])
    both = compare(a, b, bench=Swept())
    assert set(both.gate.worse) == {"close", "pooled"} and "open" not in {d.metric for d in both.differences}
    (close,) = [d for d in both.differences if d.metric == "close"]
    assert close.b == pytest.approx(0.5) and close.b < close.a
    assert "declares no range" in compare(a, b, ["open", "close"], Swept()).undefined["open"]


@pytest.mark.attack(
    "half of B's answers lost", before="exit code 0, 1.00 against 1.00", lost="exit code 4, the worst case"
)
def test_trust4_half_of_the_answers_lost(tmp_path, pixelproof):
    right = {index: PALETTE.paint(mask(index)) for index in range(10)}
    for name, answers in (("a", right), ("b", dict(list(right.items())[:5]))):
        options = folder(tmp_path / name, 10, answers)
        words = ("score", "arena", "--source", "folder", *options, "--calibrate", 0, "--out", f"run-{name}")
        pixelproof(*words, code=0 if name == "a" else 4)
    shown = " ".join(pixelproof("compare", "run-a", "run-b", "--fail-if-worse", code=4).stdout.split())
    assert "Gate: no verdict. 50% of the answers of a run are lost" in shown
    assert "robust.miou: A lost 0 of 10 answers, B 5 of 10; B − A is between -0.50 and +0.00" in shown
    lenient = pixelproof("compare", "run-a", "run-b", "--fail-if-worse", "--allow-missing", 0.5).stdout
    assert "B 5 of 10" in lenient and "no fall shown" in lenient


def lost(prompt, item_id, sample):
    if int(item_id[-1]) < 4 and sample == 0:
        raise ConnectionError("no route to host")
    return "5"


def crashes(prompt, item_id, sample):
    return "crash" if int(item_id[-1]) < 4 else "5"


def five(prompt):
    return "5"


@pytest.mark.parametrize(
    ("model", "samples", "share"),
    [(lost, 1, 0.4), (lost, 2, 0.2), (crashes, 1, 0.4), (five, 1, 0.0)],
    ids=["infrastructure", "one of two samples", "the scorer", "nothing"],
)
def test_losses_of_every_kind_are_counted(tmp_path, model, samples, share):
    runs = [
        run(Plan(Guess(), DIGITS, samples=samples), of, settings=Settings(out=tmp_path / name))
        for name, of in (("a", five), ("b", model))
    ]
    both = compare(*runs, bench=Guess())
    (losses, bounds) = both.gate.losses["close"]
    assert losses == Losses(0, round(share * 20 * samples), (20 * samples, 20 * samples))
    assert bool(both.gate.incomplete) == bool(share) and (bounds is None) == (not share)
    if bounds:
        assert bounds[0] < 0 < bounds[1], "the same model: the lost answers could be better or worse"
    assert not compare(*runs, bench=Guess(), allow_missing=share).gate.incomplete


@dataclass(frozen=True)
class NoFloor(Swept):
    """A metric that no control has, so that it is not known which items it applies to."""

    version: ClassVar = "2.0"

    def score(self, item, answer, judgements):
        result = super().score(item, answer, judgements)
        kept = {name: value for name, value in result.metrics.items() if name != "far" or answer.usage.output_tokens}
        return replace(result, metrics=kept)


def test_a_metric_that_no_control_has_counts_faults_too(tmp_path):
    def model(prompt, item_id):
        return Answer("5" if int(item_id[-1]) % 2 else "no", usage=Usage(output_tokens=1))

    done = run(Plan(NoFloor(), DIGITS), model, settings=Settings(out=tmp_path / "run"))
    far = done.summary["metrics"]["far"]
    assert far["n"] == 20 and far["floor"] is None and far["value"] > 4.5 > far["excluding_faults"]


def test_losses_that_both_runs_share_say_nothing(tmp_path):
    runs = [run(Plan(Guess(), DIGITS), lost, settings=Settings(out=tmp_path / name)) for name in "ab"]
    assert compare(*runs, bench=Guess()).gate.losses["close"][0].share == 0


def test_items_of_one_plan_are_no_losses(tmp_path):
    plans = {"a": Plan(Guess(), DIGITS), "b": Plan(Guess(), DIGITS, limit=8)}
    runs = [run(plan, five, settings=Settings(out=tmp_path / name)) for name, plan in plans.items()]
    assert compare(*runs, bench=Guess()).gate.losses["close"][0] == Losses(0, 0, (8, 8))
