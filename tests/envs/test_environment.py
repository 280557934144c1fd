"""Environments: items, play, rewards, and what is no reward."""

from dataclasses import replace
from math import isclose
from statistics import fmean

import pytest

from envs.paid import Paid
from pixelproof.contract import Answer, Call, Failure, Fault, PixelProofError, Player, Source
from pixelproof.envs import open_environment, shaping_terms
from pixelproof.harness import TRAINING_SEEDS, Plan, Settings, play_batch, run
from pixelproof.models import chat_messages, chat_tools
from pixelproof.stats import generator


@pytest.fixture(scope="module")
def guesses():
    return open_environment(Paid(), calibrate=200)


def test_training_reads_its_own_seeds_and_its_own_split(guesses):
    assert (guesses.seed, guesses.split, guesses.source.name) == (TRAINING_SEEDS, "train", "digits")
    listed = [item for _, item in Plan(Paid(), Source("digits"), TRAINING_SEEDS, 30, split="train").items()]
    assert guesses.first(20) == [item for item in listed if item.truth != 9][:20]  # those that can be asked here
    assert open_environment("pixelart").source.name == "fresh"  # the first source that training may use


def test_an_item_is_known_by_its_id(guesses):
    item = guesses.first(7)[-1]
    assert guesses.item(item.id) is item
    with pytest.raises(PixelProofError, match="guess/digits/1/x is no item of guess in the split 'eval'"):
        open_environment(Paid(), split="eval").item("guess/digits/1/x")


def test_the_best_blind_strategy_is_paid_0_and_the_truth_1(guesses):
    items = guesses.first(200)
    truth = [guesses.reward(item, Answer(str(item.truth))).calibrated for item in items]
    fives = [guesses.reward(item, Answer("5")) for item in items]
    assert set(truth) == {1.0} and guesses.scales["close"].blind == "floor-five"
    assert isclose(fmean(reward.calibrated for reward in fives), 0, abs_tol=1e-9)
    assert min(reward.calibrated for reward in fives) < 0, "not clipped: clipping pays a guesser"
    assert [reward.exact for reward in fives] == [1 - abs(5 - item.truth) / 9 for item in items]


def test_a_fault_of_the_model_is_never_better_than_a_wrong_answer(guesses):
    item = next(item for item in guesses.first(50) if item.truth == 0)
    words, wrong = guesses.reward(item, Answer("no idea")), guesses.reward(item, Answer("9"))
    assert words.exact == wrong.exact == 0.0 and words.calibrated == wrong.calibrated < 0
    refusal = Answer(failure=Failure(Fault.MODEL, "refusal"))
    assert guesses.reward(item, refusal).calibrated == wrong.calibrated


def test_other_faults_have_no_reward(guesses):
    item = guesses.first(1)[0]
    for answer in (Answer("crash"), Answer(failure=Failure(Fault.INFRASTRUCTURE, "timeout"))):
        reward = guesses.reward(item, answer)
        assert reward.exact is None and reward.calibrated is None and not reward.shaped


def test_a_bench_that_only_a_judge_can_measure_has_no_reward():
    with pytest.raises(PixelProofError, match="evalmi has no reward: its answers are measured by a judge"):
        open_environment("evalmi")


def test_brevity_counts_only_as_far_as_an_answer_is_right(guesses):
    result = guesses.reward(guesses.first(1)[0], Answer("5")).result
    long = Answer("5" + " " * 3999)
    assert shaping_terms(long, result, right=0.0)["length"] == 0.0
    assert shaping_terms(long, result, right=1.0)["length"] == -0.1
    failed = replace(result, failure=Failure(Fault.MODEL, "not-a-digit"))
    assert shaping_terms(Answer("x"), failed, right=0.0)["format"] == -0.1
    assert all(-0.1 <= value <= 0 for value in shaping_terms(long, failed, 1.0).values())


def test_a_floor_that_lacks_items_does_not_count_beside_floors_that_do_not():
    class Partly(Paid):
        def controls(self):
            lost = Answer(failure=Failure(Fault.INSTRUMENT, "tool-failed"))
            lucky = lambda item, rng: Answer(str(item.truth)) if item.truth == 3 else lost  # noqa: E731
            return {**super().controls(), "floor-lucky": lucky}

    assert open_environment(Partly(), calibrate=100).scales["close"].blind == "floor-five"


@pytest.mark.slow
def test_a_reward_is_the_score_of_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    environment = open_environment("pixelart", calibrate=6)
    plan = Plan(environment.bench, environment.source, environment.seed, 6, split="train")
    done = run(plan, "control/floor-same-kind", settings=Settings(out=tmp_path / "run", calibrate=0, workers=1))
    answers = {item: answer for item, _, answer, _ in done.answers()}
    measured = {result.item: result.metrics for result in done.results()}
    for item in environment.first(6):
        reward = environment.reward(item, answers[item.id])
        assert reward.exact == measured[item.id][reward.metric]


@pytest.mark.slow
def test_an_episode_played_step_by_step_is_that_of_a_run():
    environment = open_environment("agent", task="largest-colour", calibrate=6)
    item = environment.first(1)[0]
    play = environment.play(item)
    names = [tool["function"]["name"] for tool in chat_tools(play.tools)]
    assert sorted(names) == ["OCR", "PROP", "SEG", "TEMP", "TRK", "ZOOM"]
    new = play.call("ZOOM", {"box": [0, 0, 500, 500]})
    (message,) = chat_messages(new)
    assert message["role"] == "tool" and {part["type"] for part in message["content"]} == {"text", "image_url"}
    assert not play.done and play.step("<answer>red</answer>").parts == () and play.done

    replies = iter([Answer(calls=(Call("call-0", "ZOOM", {"box": [0, 0, 500, 500]}),)), "<answer>red</answer>"])
    (played,) = play_batch(environment.bench, [item], lambda prompts: [next(replies)])
    assert play.answer.text == played.answer.text and play.prompt == played.turns[-1][0]
    assert environment.reward(item, play.answer).exact in (0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "controls", "n"),
    [
        ("arena", {"detail": "lean"}, ("floor-blank", "floor-copy"), 1),
        ("spatial", {"size": 64, "quality": "draft", "preset": "gsi"}, ("floor-copy",), 1),
        ("spatial", {"task": "understanding", "size": 64, "quality": "draft"}, ("floor-frequent",), 5),
    ],
)
def test_every_bench_pays_the_truth_1_and_floors_at_most_0(name, options, controls, n):
    environment = open_environment(name, calibrate=n, **options)
    items = environment.first(n)
    means = {}
    for control in ("ceiling-truth", *controls):
        paid = [environment.reward(item, answer_of(environment, item, control)).calibrated for item in items]
        means[control] = fmean(value for value in paid if value is not None)
    assert isclose(means.pop("ceiling-truth"), 1.0, abs_tol=1e-9)
    assert all(mean <= 1e-9 for mean in means.values()), means


def answer_of(environment, item, name):
    control = environment.bench.controls()[name]
    if not isinstance(control, Player):
        return control(item, generator(0, name))
    play = environment.play(item)
    while not play.done:
        play.step(control.reply(item, play.prompt, generator(0, name)))
    return play.answer
