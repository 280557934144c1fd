"""What the benches say of their numbers, and of which numbers they must not say it."""

import pytest

from finding_runs import contrast, numbers, numbers_of
from pixelproof.plugins import plugins
from pixelproof.stats import Evidence

LEADS = {
    "agent": "accuracy",
    "arena": "robust.miou",
    "evalmi": "judge.correspondence",
    "pixelart": "exact.solved",
    "spatial": "ic",
}


def said(bench, *runs, contrasts=()):
    findings = plugins("pixelproof.findings")[bench].load()(Evidence(LEADS[bench], runs, contrasts))
    return [" ".join(finding.text for finding in findings if finding.certain is certain) for certain in (True, False)]


def drawer(name="A", solved=0, n=40, passes=40, **options):
    share, ends = solved / n, {0: (0.0, 0.09), 40: (0.91, 1.0)}.get(solved, (solved / n - 0.15, solved / n + 0.15))
    of = {"exact.solved": numbers(share, *ends, n=n), "strict.renders": numbers(passes / n, 0.9, 1.0, n=n, reason="no")}
    return numbers_of(name, of, n=n, **options)


def test_format_without_content():
    text = "A passes every format test and solves 0 of 40 drawings; the reference drawings solve all."
    assert said("pixelart", drawer()) == [text, ""]
    assert "A passes the format tests in 31 of 40 replies and solves 0 of 40" in said("pixelart", drawer(passes=31))[0]
    all_solved = said("pixelart", drawer(solved=40))[0]
    assert "solves 40 of 40 drawings." in all_solved and "reference" not in all_solved


@pytest.mark.parametrize(
    "run",
    [
        drawer(n=12, passes=12),  # too few: 0 of 12 may be a quarter
        drawer(solved=14),  # in between: the general sentence has the interval
        drawer(faulty=40, passes=0),
        drawer(passes=0),
        numbers_of("A", {"strict.renders": numbers(1.0, 0.9, 1.0)}),
    ],
)
def test_format_without_content_is_not_said(run):
    certain, uncertain = said("pixelart", run)
    assert "passes" not in certain + uncertain


def test_two_decodings_that_solve_nothing_are_not_ranked():
    pair = [contrast("exact.solved", items=40)]
    certain, uncertain = said("pixelart", drawer("A"), drawer("B", passes=3), contrasts=pair)
    assert "better than" not in certain and "Which is better, A or B, cannot be told: 40 items" in uncertain


def editor(joint, complied=(0.8, 0.7, 0.9)):
    return numbers_of("A", {"ic": numbers(*complied), "joint": numbers(*joint)})


def test_edits_that_harm():
    assert "A changes more than it should: 80" in said("spatial", editor((0.3, 0.2, 0.4)))[0]
    for joint in ((0.8, 0.7, 0.9), (0.6, 0.45, 0.75), (0.3, None, None)):  # equal, overlapping, too few
        assert "more than it should" not in said("spatial", editor(joint))[0]


@pytest.mark.parametrize("bench", LEADS)
@pytest.mark.parametrize(
    "run",
    [
        numbers_of("A", {}),
        numbers_of("A", {}, completed=0),
        numbers_of("A", {name: numbers(0.4, None, None, n=6) for name in LEADS.values()}, n=6),
        numbers_of("A", {name: numbers(0.4, 0.1, 0.7, reason="no gap") for name in LEADS.values()}),
    ],
)
def test_no_bench_claims_anything_of_runs_without_calibration_or_interval(bench, run):
    certain, uncertain = said(bench, run)
    assert certain == "" and ("cannot be told" in uncertain or "too few" in uncertain)


@pytest.mark.parametrize("bench", LEADS)
def test_every_bench_says_that_all_answers_are_faults(bench):
    run = numbers_of("A", {LEADS[bench]: numbers(0.0, 0.0, 0.05, faults=1.0)}, faulty=40)
    assert "no usable answer: all 40" in said(bench, run)[0]
