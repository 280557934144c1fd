"""Episodes of the agent bench with tools that make no errors, played by functions."""

from pixelproof.benches.agent import Agent
from pixelproof.benches.agent.scripted import ScriptedAgent
from pixelproof.contract import Source
from pixelproof.harness._conversation import converse
from pixelproof.stats import generator
from pixelproof.tools import Backends, Oracle

SEED = 11


def oracle_of(challenge):
    """Tools without errors."""

    def masks(frame):
        known = challenge.truth(frame)
        return [known.visible_mask(sprite.id) for sprite in known.scene.sprites]

    def texts(frame):
        known = challenge.truth(frame)
        plates = [sprite for sprite in known.scene.sprites if sprite.text]
        return [(plate.text, known.seen[plate.id].box) for plate in plates if known.seen[plate.id].box]

    return Oracle(masks, texts)


class PerfectTools(Backends):
    """Back ends that know the truth of whatever frames they are given, of all challenges that were registered."""

    def __init__(self):
        super().__init__()
        self._known = {}

    def register(self, challenge):
        frames = challenge.frames if challenge.frames.ndim == 4 else challenge.frames[None]
        for number, frame in enumerate(frames):
            self._known[frame.tobytes()] = challenge, number

    def segmenter(self):
        return self

    reader = tracker = segmenter
    name = "perfect"
    version = "1"

    def segment(self, picture, point, box, frame):
        challenge, number = self._known[picture.tobytes()]
        return oracle_of(challenge).segment(picture, point, box, number)

    def read(self, crop, box, frame):
        for challenge, number in self._known.values():
            pixels = challenge.frames if challenge.frames.ndim == 3 else challenge.frames[number]
            if number == frame and (pixels[box[1] : box[3], box[0] : box[2]] == crop).all():
                return oracle_of(challenge).read(crop, box, number)
        raise AssertionError("a crop of unknown media")

    def track(self, pictures, box, mask, frames):
        challenge, _ = self._known[pictures[0].tobytes()]
        return oracle_of(challenge).track(pictures, box, mask, frames)


def first_items(n=1, seed=SEED, **options):
    """A bench, and its first items."""
    bench = Agent(**options)
    return bench, list(bench.items(Source("world"), seed, n))


def play(bench, item, reply):
    """The result of an item that a function of the prompt plays, and the answer."""
    answer = converse(bench, item, reply).answer
    return bench.score(item, answer, {}), answer


def scripted(prompt):
    """The next reply of the scripted agent."""
    return ScriptedAgent().answer(prompt, generator(1, "scripted"))
