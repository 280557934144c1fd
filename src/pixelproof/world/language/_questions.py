"""Questions with answers that cannot be told from their words.

Three symmetries make that so. *Foils*: a claim is drawn that is true of one of two scenes and false of the other, and
it is asked of either; as the scenes are drawn alike, each claim is true as often as it is false. *Mirrors*: left and
right are drawn like heads and tails. *Twins*: things of one noun that differ in colour take each other's place as often
as not, so what is asked of one against the other is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ._contrast import CLAIMS, contrast, contrast_count
from ._given import expect, expect_usual, require_word
from ._looks import ask_look
from ._places import ask_distance, ask_furthest, ask_rank, ask_relation, ask_which
from ._twins import ask_twins
from ._view import Sentence, View

Asker = Callable[[View, View, np.random.Generator], Sentence | None]
_TRIES = 15

FORMS: dict[str, dict[str, Asker]] = {
    "yes-no": {
        **{name: partial(contrast, claims=claims) for name, claims in CLAIMS.items()},
        "relation": ask_relation,
        "comparison": partial(ask_twins, kind="yes-no"),
    },
    "choice": {
        "colour": partial(ask_look, kind="choice", form="colour"),
        "material": partial(ask_look, kind="choice", form="material"),
        "which": ask_furthest,
    },
    "open": {
        "count": contrast_count,
        "rank": ask_rank,
        "colour": partial(ask_look, kind="open", form="colour"),
        "material": partial(ask_look, kind="open", form="material"),
        "which": ask_which,
        "comparison": partial(ask_twins, kind="open"),
        "distance": ask_distance,
    },
}
"""Kind → form → what asks it."""
CONTRASTS = (*(("yes-no", name) for name in CLAIMS), ("open", "count"))
"""Kinds and forms that need a foil.

How many of them are asked does not depend on what else can be asked of a view. Else more would be asked of views of
which little else can be, and for the things in those, yes would be right more often than no.
"""


def questions(
    view: View, foil: View, rng: np.random.Generator, n: int, kinds: Sequence[str] = ("yes-no", "choice", "open")
) -> list[Sentence]:
    """Up to n different questions about a view, with their answers.

    Args:
        view: What is asked about.
        foil: Another view, drawn as the first was; it decides, with the first, what is worth asking.
        rng: Where variety comes from.
        n: How many.
        kinds: Which of `yes-no`, `choice`, `open`.

    Raises:
        PixelProofError: There is no such kind of question, or no second view.
    """
    expect_usual(view, rng, n)
    expect(foil, View, "Give a second View as foil, such as that of the next scene")
    for kind in kinds:
        require_word("kind of question", kind, FORMS)
    found: dict[str, Sentence] = {}
    askers = [(kind, form) for kind in kinds for form in FORMS[kind]]
    for _ in range(n if askers else 0):
        drawn = askers[int(rng.integers(len(askers)))]
        alike = [asker for asker in askers if (asker in CONTRASTS) is (drawn in CONTRASTS)]
        for _ in range(_TRIES):
            kind, form = alike[int(rng.integers(len(alike)))]
            asked = FORMS[kind][form](view, foil, rng)
            if asked and asked.text not in found:
                found[asked.text] = asked
                break
    return list(found.values())
