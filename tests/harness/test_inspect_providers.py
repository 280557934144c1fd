"""Our models as Inspect providers, our benches as Inspect tasks, and a judge for the native runner."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path

import anyio
import inspect_ai
import pytest
from click.testing import CliRunner
from inspect_ai._cli.main import inspect
from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model

import pixelproof
from harness.inspect_support import BRAINS, Paint, Stroll, ask, brain, mask_of, output
from pixelproof.benches.pixelart import PixelArt
from pixelproof.contract import Fault, PixelProofError, Prompt, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.harness import _registry as registry
from pixelproof.harness._inspect_judge import inspect_judge
from pixelproof.harness._inspect_task import build_task
from support import Guess

pytestmark = pytest.mark.slow  # imports Inspect AI

SETTINGS = dict(display="none", log_level="notset", ctl_server=False, log_realtime=False, score_display=False)


def evaluate(tmp_path, task, model, **more):
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), **(SETTINGS | more))
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(
    ("bench", "source"),
    [(Guess(n=5), "digits"), (Paint(), "masks"), (Stroll(), "lines")],
    ids=lambda v: getattr(v, "name", v),
)
def test_controls_answer_items_of_every_kind(tmp_path, bench, source):
    log = evaluate(tmp_path, build_task(Plan(bench, Source(source), samples=2)), "pp-control/ceiling-truth")
    metrics = log.results.scores[0].metrics
    assert metrics[bench.display.headline[0]].value == 1
    assert all(sample.output.usage is not None for sample in log.samples)
    if bench.name == "stroll":
        assert metrics["steps"].value == 1  # it answered the item, and no episode was played


def test_folders_functions_and_recorded_answers(tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    plan = Plan(Guess(n=4), Source("digits"))
    for _, item in plan.items():
        (folder / f"{item.id.replace('/', '__')}.txt").write_text(str(item.truth))
    log = evaluate(tmp_path, build_task(plan), f"pp-folder/{folder}")
    assert log.results.scores[0].metrics["hit"].value == 1
    log = evaluate(tmp_path, build_task(plan), "pp-fn/support:even_odd")
    assert [sample.output.completion for sample in log.samples] == [
        "7" if a.item.truth % 2 else "4" for a in plan.asks()
    ]
    log = evaluate(tmp_path, build_task(Plan(Guess(n=4), Source("recorded"))), "pp-recorded/answers")
    assert log.results.scores[0].metrics["hit"].value == 1


def test_a_missing_file_is_an_error_of_the_sample(tmp_path):
    (tmp_path / "some.txt").write_text("5")
    task = build_task(Plan(Guess(n=2), Source("digits")))
    log = evaluate(tmp_path, task, f"pp-folder/{tmp_path}", fail_on_error=False)
    assert all("missing-file" in sample.error.message for sample in log.samples)


def test_a_model_that_computes_is_asked_one_at_a_time(tmp_path, monkeypatch):
    busy, most = [0], [0]
    lock = threading.Lock()

    class Slow:
        name, answers_items = "gguf/slow", False

        def answer(self, prompt, item, sample, seed):
            with lock:
                busy[0] += 1
                most[0] = max(most[0], busy[0])
            threading.Event().wait(0.01)
            with lock:
                busy[0] -= 1
            return pixelproof.contract.Answer("5")

        def close(self):
            pass

    monkeypatch.setattr("pixelproof.harness._inspect_providers.open_model", lambda name, bench, decoding: Slow())
    evaluate(tmp_path, build_task(Plan(Guess(n=10), Source("digits"))), "pp-gguf/slow")
    assert most == [1]


def test_outside_our_tasks_they_say_so():
    async def alone():
        return await get_model("pp-control/floor-five", memoize=False).generate("hello")

    with pytest.raises(PixelProofError, match="answers only tasks of PixelProof"):
        anyio.run(alone)


def test_a_wrong_argument_is_one_sentence():
    with pytest.raises(PixelProofError, match="has no argument colour"):
        get_model("pp-gguf/smollm2", memoize=False, colour="red")
    with pytest.raises(PixelProofError, match="no decoding 'sideways'"):
        get_model("pp-gguf/smollm2", memoize=False, arm="sideways")


def test_every_bench_is_a_task_with_its_options_as_arguments(tmp_path):
    assert registry.__name__.endswith("_registry")
    name = registered_name("pixelart")
    arguments = {"grid": 32, "seed": 3, "limit": 2, "samples": 2}
    log = evaluate(tmp_path, name, "pp-control/ceiling-truth", task_args=arguments)
    assert log.eval.task_args["grid"] == 32 and log.eval.task_args["family"] == "original"
    assert len(log.samples) == 4
    metrics = log.results.scores[0].metrics
    assert metrics["strict.renders"].value == 1 and metrics["model_faults"].value == 0
    assert log.samples[0].metadata["recipe"]["options"]["grid"] == 32
    assert log.eval.task_version == PixelArt.version


def registered_name(bench):
    """Inspect puts the name of an installed package before it, and nothing before a source tree's."""
    installed = [point for point in entry_points(group="inspect_ai") if point.name == "pixelproof"]
    return f"pixelproof/{bench}" if installed else bench


def inspect_command(*arguments, cwd):
    env = {key: value for key, value in os.environ.items() if not key.startswith("INSPECT_")}
    env |= {"HOME": str(cwd), "XDG_DATA_HOME": str(cwd / "data"), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "inspect_ai", *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_from_inspects_own_command_line(tmp_path, monkeypatch):
    if registered_name("pixelart") == "pixelart":
        pytest.skip("pixelproof is not installed, so Inspect has no entry point to find")
    told = inspect_command(
        "eval", "pixelproof/pixelart", "--model", "pp-control/ceiling-truth", "-T", "grid=24", "-T", "seed=3", "-T",
        "limit=7", "-T", "samples=2", "--display", "plain", cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    first = read_eval_log(str(log), header_only=True)
    assert first.status == "success" and first.results.completed_samples == 14
    assert first.results.scores[0].metrics["strict.renders"].value == 1
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ["score", str(log), "--scorer", "pixelproof/pixelart", "--action", "overwrite", "--overwrite"]
    again = CliRunner().invoke(inspect, words)  # in this process, which has imported it
    assert again.exit_code == 0, again.output
    assert read_eval_log(str(log), header_only=True).results.scores[0].metrics["strict.renders"].value == 1


def test_a_judge_for_the_native_runner(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    BRAINS.clear()
    judge = brain("judge", say=lambda call: "yes" if call.seed % 2 else ConnectionError("down"))
    plan = Plan(Guess(n=8), Source("digits"))
    settings = Settings(out=tmp_path / "run", connections=4)
    done = run(plan, "control/floor-five", judge="pptest/judge", settings=settings)
    odd = sum(a.seed % 2 for a in plan.asks())
    assert done.summary["counts"]["unscored"] == 8 - odd
    about_controls = [call.text for call in judge.calls[8:]]  # the judge is asked about floors and ceilings, too
    assert "Is '5' polite?" in about_controls and done.summary["metrics"]["polite"]["floor"] is not None
    assert [r.metrics["polite"] for r in done.results(Guess()) if r.failure is None] == [1.0] * odd


def test_a_judge_may_be_asked_from_many_threads():
    brain("judge", say=lambda call: f"{call.text} {call.seed}", delay=0.01)
    judge = inspect_judge("pptest/judge")
    plan = Plan(Guess(), Source("digits"))
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda a: judge(Prompt((a.item.id,)), a), plan.asks()))
    assert [answer.text for answer in told] == [f"{a.item.id} {a.seed}" for a in plan.asks()]
    assert BRAINS["judge"].most_flying > 1


def test_a_judge_that_fails_says_how(monkeypatch):
    brain("judge", say=lambda call: TimeoutError("too late"))
    (first, *_) = Plan(Guess(), Source("digits")).asks()
    failure = inspect_judge("pptest/judge")(Prompt(("x",)), first).failure
    assert (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, "timeout")
    with pytest.raises(PixelProofError, match="nobody/x cannot be used"):
        inspect_judge("nobody/x")


def test_provider_names_of_ours_are_ours_alone(tmp_path):
    """Provider names are global in Inspect: `folder/x` may belong to somebody else, so ours have a prefix."""
    with pytest.raises(PixelProofError, match="control/floor-five cannot be used: .*not recognized"):
        ask(tmp_path / "run", Plan(Guess(n=1), Source("digits")), "control/floor-five")


def test_a_painted_control_reaches_the_log(tmp_path):
    brain(say=lambda call: output(mask_of([[1]])))
    log = evaluate(tmp_path, build_task(Plan(Paint(side=1), Source("masks"), limit=1)), "pp-control/ceiling-truth")
    (sample,) = log.samples
    assert sample.output.message.content[0].image.startswith(("data:image/png", "attachment:"))
    assert Path(log.location).exists()
