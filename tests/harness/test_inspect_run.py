"""Through Inspect into a run directory: nothing lost, nothing asked twice, nothing spent beyond the budget."""

import json
import math
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelUsage

from harness.inspect_support import BRAINS, Paint, Stroll, ask, brain, log_of, mask_of, members, noise, output, stored
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Ledger, Plan, Prices, Settings, Silent, run
from pixelproof.harness import _inspect_run as adapter
from pixelproof.harness._ledger import ROOM_TO_THINK
from pixelproof.harness._rundir import RunDirectory
from pixelproof.models import Decoding
from support import Guess

pytestmark = pytest.mark.slow


def guess(samples=1, limit=None, seed=0):
    return Plan(Guess(), Source("digits"), seed, limit, samples)


def paint(samples=1, limit=None, **options):
    return Plan(Paint(**options), Source("masks"), 0, limit, samples)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    BRAINS.clear()


def test_every_answer_and_result_reaches_the_directory(tmp_path):
    puppet = brain(say=lambda call: "7" if "odd" in call.text else "4")
    rows = ask(tmp_path / "run", guess(samples=2, limit=5))
    assert puppet.n == len(rows) == 10 and {row["status"] for row in rows} == {"scored"}
    answers = stored(tmp_path / "run", guess())
    assert [row["order"] for row in answers] == [row["order"] for row in rows]
    assert all((a["input_tokens"], a["output_tokens"]) == (10, 2) and a["seconds"] > 0 for a in answers)
    assert all(call.config.max_tokens == 8 + ROOM_TO_THINK for call in puppet.calls)


def test_the_same_numbers_as_without_inspect(tmp_path):
    brain(say=lambda call: "7" if "odd" in call.text else "4")
    through = run(guess(), "pptest/x", settings=Settings(out=tmp_path / "inspect")).summary
    native = run(guess(), "fn/support:even_odd", settings=Settings(out=tmp_path / "native")).summary
    assert through["metrics"] == native["metrics"] and through["groups"] == native["groups"]
    assert through["counts"] == native["counts"]


def test_inspects_table_and_ours_have_the_same_numbers(tmp_path):
    said = ("5", "five?", "5", "crash", "")
    brain(say=lambda call: said[call.seed % len(said)])
    ours = run(guess(samples=2), "pptest/x", settings=Settings(out=tmp_path / "run", calibrate=0)).summary
    assert 0 < ours["counts"]["model_faults"] < 30 and ours["counts"]["unscored"] > 0
    theirs = read_eval_log(str(log_of(tmp_path / "run")), header_only=True).results.scores[0].metrics
    assert theirs["model_faults"].value == ours["counts"]["model_faults"]
    for label in theirs.keys() - {"model_faults"}:
        own = ours["metrics"].get(label.removesuffix(".faults_as_worst"), {"value": math.nan})["value"]
        assert theirs[label].value == pytest.approx(own, nan_ok=True), label
    assert {"hit", "close.faults_as_worst", "pooled.faults_as_worst"} <= theirs.keys()
    assert ours["metrics"]["close"]["faults"] == pytest.approx(
        ours["counts"]["model_faults"] / ours["counts"]["completed"]
    )


def test_seeds_differ_by_sample_and_are_the_same_next_time(tmp_path):
    seeds = []
    for name in ("a", "b"):
        puppet = brain()
        ask(tmp_path / name, guess(samples=3, limit=4))
        seeds.append(sorted(call.seed for call in puppet.calls))
    expected = sorted(a.seed for a in guess(samples=3, limit=4).asks())
    assert seeds[0] == seeds[1] == expected and len(set(expected)) == 12
    assert max(expected) < 2**31


def test_the_settings_of_decoding_reach_the_provider(tmp_path):
    puppet = brain()
    ask(tmp_path / "run", guess(limit=1), decoding=Decoding(temperature=0.25, max_tokens=99))
    assert (puppet.calls[0].config.temperature, puppet.calls[0].config.max_tokens) == (0.25, 99)
    with pytest.raises(PixelProofError, match="cannot decode by schema"):
        ask(tmp_path / "run2", guess(limit=1), decoding=Decoding(decoding="schema"))


def test_painted_answers_reach_the_blobs_whole(tmp_path):
    picture = mask_of([[1, 0], [0, 1]])
    puppet = brain(say=lambda call: output("done", noise(3), picture))
    rows = ask(tmp_path / "run", paint(limit=1, side=2))
    assert puppet.calls[0].config.modalities == ["image"]
    assert [part.type for part in puppet.calls[0].messages[-1].content] == ["text", "image", "text"]
    with RunDirectory(tmp_path / "run", Paint(side=2)) as directory:
        (answer,) = directory.answers.rows()
        assert [directory.blobs.get(key) for key in answer["images"]] == [noise(3).data, picture.data]
        assert answer["image_count"] == 2
        overlay = json.loads(rows[0]["evidence"])["overlay"]
        assert directory.blobs.get(overlay).startswith(b"\x89PNG")


def test_no_picture_is_the_models_fault(tmp_path):
    brain(say=lambda call: "I cannot paint.")
    (row,) = ask(tmp_path / "run", paint(limit=1))
    assert (row["status"], row["failure"], row["area"]) == ("model-fault", "no-image", None)


def test_an_episode_is_played_with_its_history(tmp_path):
    puppet = brain(say=lambda call: "right")
    rows = ask(tmp_path / "run", Plan(Stroll(), Source("lines")))
    assert [(row["arrived"], row["steps"]) for row in rows] == [(1, 1), (1, 2), (1, 3)]
    last = max(puppet.calls, key=lambda call: len(call.messages)).messages
    assert [message.role for message in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    answers = stored(tmp_path / "run", Plan(Stroll(), Source("lines")))
    assert [a["input_tokens"] for a in answers] == [10, 20, 30]
    assert json.loads(answers[1]["trace"]) == [{"said": "right", "place": 1}, {"said": "right", "place": 2}]


def test_what_fails_is_named_counted_and_asked_again(tmp_path):
    down = ConnectionError("no route, api_key=abc123")
    puppet = brain(say=lambda call: down if "even" in call.text else "4")  # four: Inspect AI draws tracebacks of each
    first = run(guess(samples=2, limit=10), "pptest/x", settings=Settings(out=tmp_path / "run"))
    even = [a for a in guess(samples=2, limit=10).asks() if not a.item.truth % 2]
    assert first.summary["counts"]["errored"] == len(even) in range(2, 19)
    assert first.card["state"] == "incomplete"
    assert puppet.n == 20 + len(even)  # each failure was tried twice
    lost = [result for result in first.results(Guess()) if result.failure]
    assert {result.failure.name for result in lost} == {"api-error"} and len(lost) == len(even)
    assert "abc123" not in lost[0].failure.detail and "no route" in lost[0].failure.detail
    log = read_eval_log(str(log_of(tmp_path / "run")), header_only=True)
    assert log.status == "success"  # which is why the counts above stand beside every mean
    assert log.results.completed_samples == 20 - len(even) < log.results.total_samples

    puppet = brain(say=lambda call: "7")
    again = run(guess(samples=2, limit=10), "pptest/x", settings=Settings(out=tmp_path / "run", resume=True))
    assert sorted(call.seed for call in puppet.calls) == sorted(a.seed for a in even)
    assert again.complete and again.summary["counts"]["completed"] == 20


def test_more_samples_later_ask_only_what_is_missing(tmp_path):
    brain()
    ask(tmp_path / "run", guess(samples=1, limit=3))
    puppet = brain()
    rows = ask(tmp_path / "run", guess(samples=3, limit=4))
    assert puppet.n == 9 and len(rows) == 12
    puppet = brain()
    ask(tmp_path / "run", guess(samples=3, limit=4))
    assert puppet.n == 0


def test_a_sample_that_succeeds_at_the_second_try_is_no_failure(tmp_path):
    seen = set()

    def say(call):
        if call.seed in seen:
            return "5"
        seen.add(call.seed)
        return TimeoutError("once")

    brain(say=say)
    rows = ask(tmp_path / "run", guess(limit=3))
    assert [row["status"] for row in rows] == ["scored"] * 3


def test_a_budget_per_picture_holds_with_ten_calls_in_flight(tmp_path):
    puppet = brain(say=lambda call: output(mask_of([[1]])), delay=0.01)
    ledger = Ledger(Prices(image=0.04), max_cost=1.0)
    rows = ask(tmp_path / "run", paint(samples=10, limit=8, side=1), ledger=ledger, connections=10)
    assert puppet.most_flying > 1
    assert puppet.n == len(rows) == 25 and ledger.stopped
    assert ledger.total.cost == pytest.approx(1.0)
    assert {row["status"] for row in rows} == {"scored"}


def test_a_budget_is_used_up_although_calls_in_flight_might_have_cost_more(tmp_path):
    puppet = brain(say=lambda call: output("5", usage=ModelUsage(output_tokens=1)), delay=0.005)
    ledger = Ledger(Prices(output=1e6 / 8), max_cost=2.5)  # a call may cost 1 dollar, and costs an eighth
    ask(tmp_path / "run", guess(samples=2), ledger=ledger, connections=10, decoding=Decoding(max_tokens=8))
    assert ledger.stopped and puppet.n == 13  # spent 12/8, which leaves room for one more at full price
    assert ledger.total.cost <= 2.5


def test_no_budget_at_all_asks_nothing(tmp_path):
    puppet = brain()
    ledger = Ledger(Prices(output=10.0), max_cost=0.0)
    assert ask(tmp_path / "run", guess(), ledger=ledger) == [] and puppet.n == 0 and ledger.stopped


def test_a_stopped_run_goes_on_with_more_money(tmp_path):
    brain(say=lambda call: output(mask_of([[1]])))
    price = "image=0.04"
    settings = Settings(out=tmp_path / "run", price=price, max_cost=0.2)
    first = run(paint(limit=12, side=1), "pptest/x", settings=settings)
    assert first.card["state"] == "stopped" and first.summary["counts"]["completed"] == 5
    puppet = brain(say=lambda call: output(mask_of([[1]])))
    settings = Settings(out=tmp_path / "run", price=price, max_cost=10, resume=True)
    assert run(paint(limit=12, side=1), "pptest/x", settings=settings).complete and puppet.n == 7


def test_a_judge_is_asked_and_paid(tmp_path):
    brain()
    judge = brain("judge", say=lambda call: "yes, it is")
    ledger = Ledger(Prices(output=1e6))
    rows = ask(tmp_path / "run", guess(limit=3), judge="pptest/judge", ledger=ledger)
    assert [row["polite"] for row in rows] == [1.0] * 3 and judge.n == 3
    assert ledger.total.cost == pytest.approx(3 * 2 + 3 * 2)
    assert judge.calls[0].text == "Is '5' polite?" and judge.calls[0].config.max_tokens == 4 + ROOM_TO_THINK


def test_a_failed_judge_leaves_an_answer_unscored_and_is_asked_again(tmp_path):
    brain()
    brain("judge", say=lambda call: TimeoutError("judge"))
    first = run(guess(limit=4), "pptest/x", judge="pptest/judge", settings=Settings(out=tmp_path / "run"))
    assert first.summary["counts"]["unscored"] == 4 and first.summary["failures"] == {"judge-failed": 4}
    samples = read_eval_log(str(log_of(tmp_path / "run"))).samples
    assert all(sample.scores["guess"].reason == "grader_failed" for sample in samples)
    assert all(sample.scores["guess"].value != 0 for sample in samples)
    puppet, judge = brain(), brain("judge", say=lambda call: "yes")
    settings = Settings(out=tmp_path / "run", resume=True)
    again = run(guess(limit=4), "pptest/x", judge="pptest/judge", settings=settings)
    about_answers, about_controls = judge.calls[:4], judge.calls[4:]
    assert puppet.n == 0 and {call.text for call in about_answers} == {"Is '5' polite?"} and again.complete
    assert len({call.text for call in about_controls}) == len(about_controls) > 0


def test_one_of_our_own_models_may_judge(tmp_path):
    brain()
    rows = ask(tmp_path / "run", guess(limit=2), judge="fn/support:rude")
    assert [row["polite"] for row in rows] == [0.0, 0.0]


def test_a_crash_of_the_scorer_is_ours(tmp_path):
    brain(say=lambda call: "crash")
    (row,) = ask(tmp_path / "run", guess(limit=1))
    assert (row["status"], row["failure"]) == ("instrument-fault", "scorer-crashed")
    (sample,) = read_eval_log(str(log_of(tmp_path / "run"))).samples
    assert sample.scores["guess"].reason == "scoring_failed" and sample.error is None


@pytest.mark.parametrize("text", ["\ud800 lone", "a\x00b", "x" * 200_000, ""])
def test_odd_replies_are_kept_as_they_are(tmp_path, text):
    brain(say=lambda call: text)
    (row,) = ask(tmp_path / "run", guess(limit=1))
    assert row["status"] == "model-fault" and row["length"] == len(text)


def test_pictures_stay_out_of_the_log_of_a_large_run(tmp_path, monkeypatch):
    monkeypatch.setattr(adapter, "MAX_LOGGED_PICTURES", 2)
    big = noise(9, 200)
    brain(say=lambda call: output("x", big))
    rows = ask(tmp_path / "run", paint(limit=3, side=200, overlay=200))
    assert all(size < len(big.data) / 2 for size in members(log_of(tmp_path / "run")).values())
    assert all(json.loads(row["evidence"])["overlay"] for row in rows)
    told = read_eval_log(str(log_of(tmp_path / "run"))).samples[0].output.message.content[1].image
    assert told == f"sha256:{big.sha256}"


@pytest.mark.parametrize(
    ("model", "judge", "words"),
    [
        ("nobody/model", None, "The model nobody/model cannot be used: .*nobody.* not recognized"),
        ("anthropic/claude", None, "The model anthropic/claude cannot be used: .*(ANTHROPIC_API_KEY|pip install)"),
        ("pptest/x", "nobody/judge", "nobody/judge.* not recognized"),
        ("just-a-name", None, "cannot be used: .*<api_name>/<model_name>"),
    ],
)
def test_a_model_that_cannot_be_used_is_one_sentence(tmp_path, monkeypatch, model, judge, words):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    brain()
    with pytest.raises(PixelProofError, match=words) as caught:
        ask(tmp_path / "run", guess(limit=1), model, judge=judge)
    assert "\n" not in str(caught.value)


def test_a_store_that_fails_stops_the_run_at_once(tmp_path, monkeypatch):
    puppet = brain(delay=0.01)
    kept = []

    def keep(self, ask, answer, prompt):
        if len(kept) == 3:
            raise PixelProofError("The disk is full: make room.")
        kept.append(ask)

    monkeypatch.setattr(RunDirectory, "keep_answer", keep)
    with pytest.raises(PixelProofError, match="The disk is full"):
        ask(tmp_path / "run", guess(samples=10), connections=2)
    assert puppet.n <= 3 + 2 * 2


SCRIPT = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    sys.path[:0] = [{tests!r}, {src!r}]
    from harness.inspect_support import ask, brain, stored
    from pixelproof.contract import Source
    from pixelproof.harness import Plan
    from support import Guess
    import tiktoken
    def offline(*args, **more): raise ConnectionError("no network")
    tiktoken.get_encoding = tiktoken.encoding_for_model = offline
    plan = Plan(Guess(), Source("digits"), 0, None, {samples})
    def say(call):
        {say}
    puppet = brain(say=say, delay={delay})
    try:
        ask(Path({out!r}), plan, {more})
    except KeyboardInterrupt:
        assert len(stored(Path({out!r}), plan)) > 0
        print("interrupted", flush=True)
    """
)


def script(tmp_path, samples=1, say="return '5'", delay=0.0, more=""):
    tests = Path(__file__).parents[1]
    src = Path(adapter.__file__).parents[2]
    places = dict(tests=str(tests), src=str(src), out=str(tmp_path / "run"))
    home = tmp_path / "home"
    home.mkdir()
    here = tmp_path / "here"
    here.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "INSPECT_"))}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(samples=samples, say=say, delay=delay, more=more, **places)],
        cwd=here,
        env=env | {"HOME": str(home), "TMPDIR": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_offline_and_silent_and_nothing_is_written_elsewhere(tmp_path):
    say = "if 'odd' in call.text: raise ConnectionError('sk-secret1234')\n    return '5'"
    told, errors = script(tmp_path, say=say, samples=2).communicate(timeout=120)
    assert (told, errors) == ("", "")
    assert not list((tmp_path / "here").iterdir())
    assert not [path for path in (tmp_path / "home").rglob("*") if not path.name.startswith(".")]
    assert {path.name for path in (tmp_path / "run").iterdir()} <= {
        "logs", "answers.parts", "results.parts", "blobs", ".lock",
    }  # fmt: skip
    assert [path.suffix for path in (tmp_path / "run" / "logs").iterdir()] == [".eval"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_answered_and_passes_on(tmp_path):
    process = script(tmp_path, samples=50, delay=0.2, more="connections=4")
    journal = tmp_path / "run" / "answers.parts" / "journal.jsonl"
    while not (journal.exists() and journal.stat().st_size > 1000):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    told, errors = process.communicate(timeout=60)
    assert (told, errors) == ("interrupted\n", "")


@pytest.mark.slow
def test_kill_nine_loses_nothing_that_was_answered(tmp_path):
    process = script(tmp_path, samples=3, delay=0.2, more="connections=4")
    journal = tmp_path / "run" / "answers.parts" / "journal.jsonl"
    while not (journal.exists() and journal.stat().st_size > 2000):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    process.communicate()
    kept = {row["order"] for row in stored(tmp_path / "run", guess(samples=3))}
    puppet = brain()
    rows = ask(tmp_path / "run", guess(samples=3))
    assert 0 < len(kept) < 60 and puppet.n == 60 - len(kept)
    assert sorted(call.seed for call in puppet.calls) == sorted(
        a.seed for a in guess(samples=3).asks() if a.order not in kept
    )
    assert {row["status"] for row in rows} == {"scored"} and len(stored(tmp_path / "run", guess())) == 60


def test_progress_is_told_of_each_result(tmp_path):
    class Watch(Silent):
        seen: list = []

        def advance(self, status="scored", spent=None):
            self.seen.append((status, spent.output_tokens))

    brain(say=lambda call: ConnectionError("x") if "odd" in call.text else "4")
    (tmp_path / "run").mkdir()
    with RunDirectory(tmp_path / "run", Guess()) as directory:
        adapter.run_inspect(directory, guess(limit=12), "pptest/x", Decoding(), Ledger(), Watch(), connections=1)
    statuses = [status for status, _ in Watch.seen]
    assert len(statuses) == 12 and set(statuses) == {"scored", "infrastructure-fault"}
    assert Watch.seen[-1][1] == 2 * statuses.count("scored")


def test_without_inspect_the_extra_is_named(tmp_path):
    code = (
        "import sys; sys.modules['inspect_ai'] = None\n"
        "from pixelproof.contract import PixelProofError\n"
        "for name in ('run', 'judge'):\n"
        "    try: __import__(f'pixelproof.harness._inspect_{name}')\n"
        "    except PixelProofError as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.count("needs the extra: pip install 'pixelproof[inspect]'") == 2


def test_a_run_that_reaches_nobody_is_given_up(tmp_path):
    puppet = brain(say=lambda call: PermissionError("401: wrong key sk-12345678"))
    with pytest.raises(PixelProofError, match=r"The first 20 calls all failed \(PermissionError: 401"):
        ask(tmp_path / "run", guess(samples=10), connections=2)
    assert puppet.n <= 20 + 2
    puppet = brain()
    assert len(ask(tmp_path / "run", guess(samples=2))) == 40 and puppet.n == 40


def test_a_prompt_that_crashes_is_an_instrument_fault_and_the_run_goes_on(tmp_path, monkeypatch):
    puppet = brain()
    plain = Guess.prompt

    def prompt(self, item):
        if item.id.endswith("7"):
            raise ZeroDivisionError("a bug")
        return plain(self, item)

    monkeypatch.setattr(Guess, "prompt", prompt)
    rows = ask(tmp_path / "run", guess(), connections=1)
    crashed = [row["item"][-2:] for row in rows if row["failure"] == "episode-crashed"]
    assert crashed == ["07", "17"] and puppet.n == 18 and len(rows) == 20


def test_a_control_that_does_not_exist_is_one_sentence(tmp_path):
    with pytest.raises(PixelProofError, match="no guess control 'zzz'"):
        ask(tmp_path / "run", guess(limit=2), "pp-control/zzz")
