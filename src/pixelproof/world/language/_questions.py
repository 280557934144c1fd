"""Questions whose answers cannot be guessed from the text alone.

Three symmetries ensure that. *Foils*: a claim is chosen that is true of one of two scenes and false of the other, and
it is asked about a random one; both scenes come from the same distribution, so each claim is true as often as false.
*Mirrors*: left and right are equally likely. *Twins*: things of one noun with different colours are exchangeable, so a
comparison of the two has no prior.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ._appearance import ask_look
from ._contrast import CLAIMS, contrast, contrast_count
from ._places import ask_distance, ask_furthest, ask_rank, ask_relation, ask_which
from ._twins import ask_twins
from ._validation import expect, expect_arguments, require_word
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
"""Kind → form → generator."""
CONTRASTS = (*(("yes-no", name) for name in CLAIMS), ("open", "count"))
"""Kinds and forms that need a foil.

Their number does not depend on what else can be asked about a view. Otherwise more of them would be asked about views
with few other questions, and for the things in those, yes would be right more often than no.
"""


def questions(
    view: View, foil: View, rng: np.random.Generator, n: int, kinds: Sequence[str] = ("yes-no", "choice", "open")
) -> list[Sentence]:
    """Generate up to n different questions about a view, with answers.

    Args:
        view: The scene to ask about.
        foil: Another view from the same distribution; yes/no questions distinguish the two.
        rng: Random generator.
        n: Maximum number of questions.
        kinds: Some of `yes-no`, `choice`, `open`.

    Raises:
        PixelProofError: There is no such kind of question, or the foil is not a view.
    """
    expect_arguments(view, rng, n)
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
