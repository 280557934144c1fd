"""One scripted policy for every face: what it calls and says depends on the item alone."""

from pixelproof.contract import Answer, Call
from pixelproof.envs import open_environment
from pixelproof.harness import play_batch

BOXES = ([0, 0, 500, 500], [500, 500, 1000, 1000])
COLOURS = ("red", "yellow", "green", "blue", "orange", "purple")


def open_agent():
    return open_environment("agent", task="largest-colour", calibrate=6)


def calls_of(number):
    """Calls of the policy for the item with a number, one per turn."""
    return [("ZOOM", {"box": box}) for box in BOXES[: number % 3]]


def text_of(number):
    return f"<answer>{COLOURS[number % len(COLOURS)]}</answer>"


def natively(environment, items):
    """Item → what a run sees and pays: texts and images of results, the reply, exact and calibrated reward."""
    expected = {}
    for number, item in enumerate(items):
        replies = [Answer(calls=(Call(f"call-{k}", *call),)) for k, call in enumerate(calls_of(number))]
        script = iter([*replies, text_of(number)])
        (played,) = play_batch(environment.bench, [item], lambda prompts, script=script: [next(script)])
        prompt, reward = played.turns[-1][0], environment.reward(item, played.answer)
        shown = [part for turn in prompt.history if turn.role == "tool" for part in turn.parts]
        expected[item.id] = (shown, played.answer.text, reward.exact, reward.calibrated)
    return expected
