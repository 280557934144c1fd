"""Subjects that are recognised rather than checked, each with a plan to draw it."""

from pixelproof.benches.pixelart.subjects._kind import Thing
from pixelproof.benches.pixelart.subjects.things._animals import ANIMALS
from pixelproof.benches.pixelart.subjects.things._food import FOOD
from pixelproof.benches.pixelart.subjects.things._nature import NATURE
from pixelproof.benches.pixelart.subjects.things._objects import OBJECTS
from pixelproof.benches.pixelart.subjects.things._places import PLACES
from pixelproof.benches.pixelart.subjects.things._published import PUBLISHED_THINGS
from pixelproof.benches.pixelart.subjects.things._vehicles import VEHICLES

THINGS: tuple[Thing, ...] = (*PUBLISHED_THINGS, *ANIMALS, *NATURE, *FOOD, *OBJECTS, *VEHICLES, *PLACES)

__all__ = ["PUBLISHED_THINGS", "THINGS"]
