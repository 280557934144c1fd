"""Images that show edits: before, after, and which pixels changed, with a caption."""

from __future__ import annotations

import numpy as np

from pixelproof.world.flat import draw
from pixelproof.world.sheets import Pixels
from pixelproof.world.solid.render import Quality, render_pair

from ._flat_edit import FlatOutcome
from ._mask import ChangeMask, change_mask
from ._outcome import Outcome

_OBJECT, _EDGE, _LIGHT = (232, 98, 30), (250, 200, 70), (46, 110, 220)


def edit_panels(outcome: Outcome | FlatOutcome, size: int = 320, quality: Quality = "draft") -> list[Pixels]:
    """Pictures before and after an edit that was carried out, and its change mask.

    In the mask, edited things are orange, their anti-aliased edges yellow, and changes of light blue.

    Args:
        outcome: The edit; `after` must exist.
        size: Side of the pictures of solid scenes in pixels; flat scenes have their own size.
        quality: Quality of the renders of solid scenes.
    """
    if isinstance(outcome, FlatOutcome):
        assert outcome.after is not None
        one, other = draw(outcome.before), draw(outcome.after)
        return [one, other, shown_mask(one, change_mask(outcome.before, outcome.after))]
    assert outcome.after is not None
    pair = render_pair(outcome.before, outcome.after, size, quality=quality, layers=("rgb", "ids", "depth"))
    mask = change_mask(outcome.before, outcome.after, size, quality=quality, rendered=pair)
    return [pair[0].rgb, pair[1].rgb, shown_mask(pair[0].rgb, mask)]


def shown_mask(picture: Pixels, mask: ChangeMask) -> Pixels:
    """A change mask in colours on a faint grey copy of a picture."""
    grey = picture.mean(axis=2, keepdims=True).repeat(3, axis=2) * 0.35 + 150
    for part, colour in ((mask.object, _OBJECT), (mask.edge, _EDGE), (mask.light, _LIGHT)):
        grey[part] = 0.3 * grey[part] + 0.7 * np.array(colour)
    return np.asarray(np.clip(grey, 0, 255), np.uint8)
