"""Judged metrics are calibrated: the judge is asked about controls, once per judge and question."""

import shutil
from dataclasses import replace

import pytest

from pixelproof.contract import Answer, PixelProofError, Prompt, Question, Source, Turn, Usage
from pixelproof.harness import Plan, Settings, rescore, run
from pixelproof.harness._judge import CachedJudge
from support import Guess, edit_json

ASKED: list[str] = []


def courteous(prompt):
    """A judge that finds large digits polite."""
    ASKED.append(prompt.text)
    polite = any(digit in prompt.text for digit in "56789")
    return Answer("yes" if polite else "no", usage=Usage(output_tokens=4))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    metrics = tuple(replace(m, calibrated=True, range=(0, 1)) if m.name == "polite" else m for m in Guess.metrics)
    monkeypatch.setattr(Guess, "metrics", metrics)
    ASKED.clear()


def go(path, model="control/wrong", **more):
    return run(
        Plan(Guess(), Source("digits")),
        model,
        judge="fn/harness.test_judge:courteous",
        settings=Settings(out=path, **more),
    )


def asked():
    import harness.test_judge as module  # the name under which the judge is opened

    return module.ASKED


@pytest.mark.slow
def test_judged_metrics_have_floor_and_ceiling(tmp_path):
    polite = go(tmp_path / "run").summary["metrics"]["polite"]
    items = list(Guess().items(Source("digits"), 0, None))
    assert polite["floor"] == 1.0  # floor-five is always polite, and the best floor counts
    assert polite["ceiling"] == pytest.approx(sum(item.truth >= 5 for item in items) / len(items))
    assert polite["value"] == pytest.approx(sum((item.truth + 5) % 10 >= 5 for item in items) / len(items))


@pytest.mark.slow
def test_the_judge_is_asked_about_controls_once(tmp_path):
    asked().clear()
    go(tmp_path / "one")
    first = len(asked())
    distinct = {text for text in asked()[20:]}
    assert first == 20 + len(distinct), "no question about a control is asked twice"
    shutil.rmtree(tmp_path / "cache" / "controls")  # as after a change of the scorer
    asked().clear()
    go(tmp_path / "two")
    assert len(asked()) == 20


@pytest.mark.slow
def test_rescoring_asks_no_judge_and_keeps_the_judged_floors(tmp_path):
    before = go(tmp_path / "run").summary["metrics"]["polite"]
    shutil.rmtree(tmp_path / "cache" / "controls")
    asked().clear()
    after = rescore(tmp_path / "run", Guess()).summary["metrics"]["polite"]
    assert asked() == [] and after == before
    shutil.rmtree(tmp_path / "cache")
    without = rescore(tmp_path / "run", Guess()).summary["metrics"]["polite"]
    assert asked() == [] and without["floor"] is None and without["value"] == before["value"]


@pytest.mark.slow
def test_a_budget_that_ends_among_the_controls_leaves_a_summary(tmp_path):
    done = go(tmp_path / "run", price="input=1e6,output=0", max_cost=20 * 10.0)
    assert done.summary["counts"]["completed"] + done.summary["counts"]["unscored"] <= 20
    assert "close" in done.summary["metrics"]


def test_questions_that_differ_in_their_history_are_different_questions(tmp_path):
    asked().clear()
    judge = CachedJudge({"name": "j"}, lambda prompt, ask: Answer(str(len(prompt.history))))
    ask = next(Plan(Guess(), Source("digits")).asks())
    plain = Prompt(("Is it polite?",))
    shown = replace(plain, history=(Turn("user", ("an example",)),))
    assert [judge(prompt, ask).text for prompt in (plain, shown, plain)] == ["0", "1", "0"]


@pytest.mark.slow
def test_a_resumed_run_keeps_its_ledger_and_its_judge(tmp_path, monkeypatch):
    first = go(tmp_path / "run", price="input=10,output=10")
    again = go(tmp_path / "run", price="input=10,output=10", resume=True)
    assert again.card["ledger"]["cost"] == first.card["ledger"]["cost"] > 0
    edit_json(tmp_path / "run" / "card.json", judge_card={**first.card["judge_card"], "sha256": "another"})
    with pytest.raises(PixelProofError, match="judge_card"):
        go(tmp_path / "run", price="input=10,output=10", resume=True)


@pytest.mark.slow
@pytest.mark.parametrize("questions", [None, ["text"], "generator", "twins"])
def test_questions_that_cannot_be_asked_are_an_instrument_fault(tmp_path, monkeypatch, questions):
    def generate(self, item, answer):
        yield Question("polite", Prompt(("Is it?",)))
        raise ZeroDivisionError("a bug")

    twins = [Question("polite", Prompt(("Is it?",)))] * 2
    special = {"generator": generate, "twins": lambda *given: twins}
    chosen = special.get(questions) if isinstance(questions, str) else lambda *given: questions
    monkeypatch.setattr(Guess, "questions", chosen)
    done = go(tmp_path / "run")
    assert done.summary["counts"]["unscored"] == 20 and set(done.summary["failures"]) == {"judge-failed"}
