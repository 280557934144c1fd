"""A pair of each operation on a small desk, made without sampling; and a bench of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from pixelproof.benches.spatial import Spatial
from pixelproof.contract import Item
from pixelproof.world.edits import Edit, apply
from pixelproof.world.pairs import Pair
from world.edits.scenes import desk

MOVE = Edit("move", "two", "right", 0.1)
BESIDE = Edit("place", "mug", "front", 0.25, "two")
STEPS = {
    "move": (MOVE,),
    "placement": (Edit("place", "one", "left", 0.2, "mug"),),
    "rotation": (Edit("turn", "mug", "anticlockwise", 120.0),),
    "receptacle": (Edit("put", "two", "left", 0.0, "table"),),
    "viewpoint": (Edit("turn camera", way="right", amount=6.0),),
    "removal": (Edit("remove", "two"),),
    "scaling": (Edit("scale", "two", amount=1.4),),
    "insertion": (BESIDE,),
    "swap": (Edit("swap", "two", anchor="mug"),),
    "stacking": (Edit("put", "one", "", 0.0, "book"),),
    "multi-step": (MOVE, Edit("turn", "mug", "clockwise", 90.0)),
}
TOO_FAR = (Edit("move", "two", "right", 2.0),)


def made(operation: str, steps: tuple[Edit, ...]) -> Pair:
    scene = desk()
    for step in steps:
        outcome = apply(scene, step)
        assert outcome.after is not None, (operation, outcome.why_not)
        scene = outcome.after
    difficulty = {"things": 4.0, "change": 0.1, "steps": float(len(steps))}
    return Pair(operation, desk(), scene, steps, f"Please do the {operation}.", difficulty=difficulty)


@lru_cache
def pairs() -> tuple[Pair, ...]:
    """One of each operation; then an impossible edit and its possible twin."""
    listed = [made(operation, steps) for operation, steps in STEPS.items()]
    place = list(STEPS).index("insertion")  # the same as placing the thing, in a scene that lacks it
    new = replace(BESIDE, action="insert", thing=replace(desk().thing("mug"), support=None))
    listed[place] = replace(listed[place], before=desk().without("mug"), steps=(new,))
    listed.append(Pair("impossible", desk(), desk(), TOO_FAR, "Move it 2 m.", why_not="unsupported"))
    listed.append(replace(listed[0], operation="impossible"))
    return tuple(listed)


@dataclass(frozen=True)
class DeskBench(Spatial):
    """The bench on the desk."""

    size: int = 256
    quality: str = "draft"
    perception: str = "oracle"

    def items(self, source, seed, n) -> Iterator[Item]:
        made = (self.pair_item("world", f"{place:05d}", place, pair.to_json()) for place, pair in enumerate(pairs()))
        return islice(made, n)
