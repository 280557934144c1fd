"""Subjects that are recognised rather than checked, each with a plan to draw it."""

from pixelproof.benches.pixelart.subjects._kind import Thing
from pixelproof.benches.pixelart.subjects.things._nature import ANIMALS, NATURE
from pixelproof.benches.pixelart.subjects.things._objects import FOOD, OBJECTS, VEHICLES
from pixelproof.benches.pixelart.subjects.things._places import PLACES
from pixelproof.benches.pixelart.subjects.things._published import PUBLISHED_THINGS

THINGS: tuple[Thing, ...] = (*PUBLISHED_THINGS, *ANIMALS, *NATURE, *FOOD, *OBJECTS, *VEHICLES, *PLACES)

__all__ = ["PUBLISHED_THINGS", "THINGS"]
