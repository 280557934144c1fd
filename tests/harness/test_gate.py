"""The gate for continuous integration: exit codes, JUnit files, Markdown summaries, limits of one run."""

import json
import shutil
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest

from benches.arena.folders import PALETTE, answer, make, mask
from commands import invoke
from pixelproof.contract import PixelProofError
from pixelproof.harness import Gate, Losses, Outcome, Run, check_limits
from pixelproof.pixels import encode_indexed_png
from pixelproof.report import write_report
from pixelproof.stats import Pairs, fall_tests

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


@pytest.fixture
def pixelproof(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return partial(invoke, capsys)


PICTURES = {
    "right": lambda index: PALETTE.paint(mask(index)),
    "black": lambda index: np.zeros((96, 96, 3), np.uint8),
    "torn": lambda index: b"\x89PNG\r\n\x1a\n torn",
}


@pytest.fixture
def score(tmp_path, pixelproof):
    """Score n arena masks, all painted in one way, as a run of that name."""

    def go(name, n=10, code=0):
        root = tmp_path / f"{name}-{n}"
        options = [word for key, value in make(root, n).items() for word in (f"--{key}", value)]
        for index in range(n):
            answer(root, index, PICTURES[name](index))
        words = ("score", "arena", "--source", "folder", *options, "--calibrate", 0, "--out", f"{name}{n}")
        return pixelproof(*words, code=code).stdout

    return go


def means(a, b, clusters=None):
    return Pairs.of_means(np.asarray(a, float), np.asarray(b, float), clusters)


def test_a_collapse_fires_and_equal_runs_pass(score, pixelproof):
    score("right"), score("black")
    pixelproof("compare", "right10", "right10", "--fail-if-worse", "--inconclusive", "fail")
    shown = pixelproof("compare", "--fail-if-worse", "right10", "black10", code=5).stdout
    assert "robust.miou: B is worse than A (one-sided p = 0.00098)" in shown and "Gate: worse" in shown
    assert "recall.large:" not in shown, "the headline alone is gated"
    pixelproof("compare", "right10", "black10", "--fail-if-worse", "1")
    pixelproof("compare", "right10", "black10", "--fail-if-worse=0.2", code=5)
    pixelproof("compare", "right10", "black10")  # without a gate there is nothing to fail


def test_too_few_items_are_inconclusive(score, pixelproof):
    score("right", 4), score("black", 4)
    shown = pixelproof("compare", "right4", "black4", "--fail-if-worse").stdout
    assert "left out: 4 independent items cannot show a fall" in shown and "at least 5 are needed" in shown
    assert "Gate: inconclusive" in shown
    pixelproof("compare", "right4", "black4", "--fail-if-worse", "--inconclusive", "fail", code=7)


@pytest.mark.attack(
    "a run of torn files alone, and the gate with it", before="exit code 0", lost="exit code 4, the reason"
)
def test_trust4_a_run_of_faults_alone(score, pixelproof):
    score("right")
    assert "Every answer is a model fault (" in score("torn", code=4)
    assert "failed entirely" in pixelproof("compare", "right10", "torn10", "--fail-if-worse", code=4).stdout
    assert "failed entirely" in pixelproof("compare", "right10", "torn10", code=3).stderr
    shown = pixelproof("compare", "torn10", "--fail-under", "robust.miou=0.5", code=4).stdout
    assert "Every answer is a model fault (" in shown and "no value: no answer has it" in shown


def test_limits_of_one_run(score, pixelproof):
    score("right"), score("black")
    assert "1.000" in pixelproof("compare", "right10", "--fail-under", "robust.miou=0.9").stdout
    under = ("--fail-under", "robust.miou=0.9", "--fail-under", "robust.invented=0.5")
    assert "robust.miou: 0.1" in pixelproof("compare", "black10", *under, code=5).stdout
    shown = json.loads(pixelproof("compare", "right10", "black10", *under, "--json", code=5).stdout)
    assert shown["a"] and shown["gate"]["outcome"] == "worse"
    told = json.loads(pixelproof("compare", "black10", *under, "--json", code=5).stdout)
    assert [check["outcome"] for check in told["checks"]] == ["worse", "passed"]
    for words in (("black10",), ("black10", "--fail-if-worse"), ("black10", "--fail-under", "robust.miou")):
        pixelproof("compare", *words, code=2)
    assert "robust.miou" in pixelproof("compare", "black10", "--fail-under", "robust.moiu=1", code=3).stderr


def test_a_limit_within_the_interval_is_inconclusive(score):
    score("black")
    run = Run.open("black10")
    f1 = run.summary["metrics"]["robust.f1"]
    limits = {"passed": f1["value"], "inconclusive": (f1["value"] + f1["hi"]) / 2, "worse": f1["hi"] + 1e-9}
    for outcome, limit in limits.items():
        assert check_limits(run, {"robust.f1": limit}).outcome == outcome
    (check,) = check_limits(run, {"robust.f1": limits["inconclusive"]}).checks
    assert "about 40 answers would show it" in check.message, "half of the width takes four times as many"
    with pytest.raises(PixelProofError, match="Neither end of audit.drift is better"):
        check_limits(run, {"audit.drift": 3.0})


@pytest.mark.parametrize("inconclusive", ["pass", "fail"])
def test_files_for_other_programs(score, pixelproof, tmp_path, inconclusive):
    score("right"), score("black"), score("right", 4)
    words = ("--junit", "gate.xml", "--markdown", "gate.md", "--inconclusive", inconclusive)
    pixelproof("compare", "right10", "black10", "--fail-if-worse", *words, code=5)
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["robust.miou", "robust.f1", "pixelarena.f1"] and suite.get("failures") == "3"
    assert suite.get("tests") == str(len(suite)) and suite.get("errors") == "0"
    page = (tmp_path / "gate.md").read_text()
    assert page.startswith("### PixelProof gate: worse") and "| `robust.miou` | 1.000 | " in page
    pixelproof("compare", "right4", "right4", "--fail-if-worse", *words, code=7 if inconclusive == "fail" else 0)
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    kind = "failures" if inconclusive == "fail" else "skipped"
    assert suite.get(kind) == suite.get("tests") == "3"
    pixelproof("compare", "right10", "--fail-under", "robust.f1=0.9", "--junit", "nowhere/gate.xml", code=3)


def test_a_fall_by_no_more_than_the_margin_is_none():
    a, b = np.full(12, 0.9), np.full(12, 0.7) + 0.01 * np.arange(12)
    assert [fall_tests([means(a, b)], by=by)[0].p < 0.05 for by in (0.0, 0.1, 0.14, 0.16)] == [True, True, False, False]
    lower = Pairs.of_means(b, a, higher_is_better=False)
    assert [fall_tests([lower], by=by)[0].p < 0.05 for by in (0.0, 0.1, 0.14)] == [True, True, False]


def test_a_margin_shifts_a_pooled_metric_like_a_mean():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 9))
    states = [np.stack([values, np.ones(9)], axis=1) for values in (a, b)]
    pooled = Pairs(*states, lambda sums: sums[..., 0] / sums[..., 1], np.arange(9))
    for by in (0.0, 0.05, 0.3):
        assert fall_tests([pooled], by=by)[0].p == pytest.approx(fall_tests([means(a, b)], by=by)[0].p)


def test_a_metric_with_few_clusters_does_not_hide_the_others():
    collapse = means(np.ones(10), np.zeros(10), np.arange(10) // 2)
    rise = means(np.zeros(10), np.ones(10), np.arange(10) // 2)
    few = means(np.ones(3), np.zeros(3))
    gate = Gate.test({"collapse": collapse, "rise": rise, "few": few})
    assert gate.worse == ["collapse"] and gate.untestable == ["few"]
    assert gate.verdict.outcome is Outcome.WORSE
    assert Gate.test({"few": few}).verdict.outcome is Outcome.INCONCLUSIVE
    lost = {"collapse": (Losses(0, 2, (10, 10)), (-1.0, 0.0))}
    assert Gate.test({"collapse": collapse}, losses=lost).verdict.outcome is Outcome.NO_VERDICT
    assert Gate.test({"collapse": collapse}, losses=lost, allow_missing=0.2).verdict.outcome is Outcome.WORSE
    assert Gate.test({}).verdict.outcome is Outcome.NO_VERDICT


def test_few_items_have_no_interval_of_a_mean_over_classes(score, pixelproof, tmp_path):
    for n, few in ((6, True), (15, False)):
        shown = score("right", n)
        assert ("robust.miou: too few items for an interval (n = 6)." in shown) is few
        metric = json.loads(pixelproof("show", f"right{n}", "--json").stdout)["metrics"]["robust.miou"]
        assert 0.5 < metric["lo"] < metric["hi"] == 1 and bool(metric["interval_reason"]) is few
        page = write_report([tmp_path / f"right{n}"], tmp_path / "page.html").read_text()
        assert ("too few items for an interval (n = 6)" in page) is few
        assert (f"{metric['lo']:.2f} to 1.00" in page) is not few
        assert ("too few items" in Run.open(f"right{n}")._repr_html_()) is few


def test_masks_that_changed_since_the_first_run_are_not_compared(score, pixelproof, tmp_path):
    score("right")
    for path in (tmp_path / "right-10" / "masks").iterdir():
        path.write_bytes(encode_indexed_png(np.roll(mask(0), 9, 1), PALETTE.colours).data)
    shutil.copytree(tmp_path / "right-10" / "answers", tmp_path / "right-10" / "others")
    files = {"reference": "masks", "palette": "palette.json", "photos": "photos", "generated": "others"}
    options = [f"--{name}={tmp_path / 'right-10' / file}" for name, file in files.items()]
    pixelproof("score", "arena", "--source", "folder", *options, "--calibrate", 0, "--out", "later")
    shown = pixelproof("compare", "right10", "later", "--fail-if-worse", code=3).stderr
    assert "differ, so their results cannot be paired" in shown


def test_limits_that_cannot_be_checked_are_no_pass(score, pixelproof):
    score("right")
    shown = pixelproof("compare", "right10", "--fail-under", "depth.delta1=0.9", code=4).stdout
    assert "depth.delta1 has no value" in shown and "Gate: no verdict" in shown
    twice = ("--fail-under", "robust.miou=1", "--fail-under", "robust.miou=0.1")
    assert "two limits of robust.miou" in pixelproof("compare", "right10", *twice, code=2).stderr
    for limit in ("inf", "-inf", "nan"):
        pixelproof("compare", "right10", "--fail-under", f"robust.miou={limit}", code=2)


def test_items_of_one_run_alone_are_named_in_files(score, pixelproof, tmp_path):
    score("right"), score("black", 6)
    pixelproof(
        "compare", "right10", "black6", "--fail-if-worse", "--markdown", "gate.md", "--junit", "gate.xml", code=5
    )
    for name in ("gate.md", "gate.xml"):
        text = (tmp_path / name).read_text("utf-8")
        assert "on 6 common items (4 items are only in A, 0 only in B)" in text.replace("\\", "")
