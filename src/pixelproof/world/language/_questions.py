"""Questions whose answers cannot be guessed from the text alone.

The wording is drawn first, from what could be asked whatever the answer. Three symmetries then make the answers
equally likely. *Foils*: the text is asked of a scene in which it has one answer, or of another scene in which it has
the other. *Mirrors*: left and right are equally likely. *Twins*: things of one noun with different colours, or the
leftmost and the rightmost thing, could change places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ._contrast import (
    CLAIMS,
    ask_between,
    ask_carries,
    ask_claim,
    ask_count,
    ask_distance,
    ask_look,
    ask_shared,
    ask_support,
)
from ._draft import Draft
from ._edits import LANGUAGES
from ._places import ask_end, ask_own, ask_rank, ask_relation, ask_which
from ._twins import ask_most, ask_twins
from ._validation import expect, expect_arguments, require_word
from .view import Kind, Sentence, View

_TRIES = 15
_REPEATS = 3
"""How often one form is tried in a row: rare forms would else give way to frequent ones."""
_SHARE = 6
"""No form has more than one in so many questions, as long as there are others."""


@dataclass(frozen=True)
class Asker:
    """A generator of questions of one form."""

    kind: Kind
    form: str
    ask: Callable[[View, View, np.random.Generator], Draft | None]
    foil: bool
    """Whether it needs a foil."""


def _askers() -> list[Asker]:
    claims = [Asker("yes-no", form, partial(ask_claim, form=form), True) for form in CLAIMS]
    by_mirror = [
        Asker("yes-no", "relation", ask_relation, False),
        Asker("yes-no", "own-frame", partial(ask_own, kind="yes-no"), False),
        Asker("open", "own-frame", partial(ask_own, kind="open"), False),
        Asker("open", "which", ask_which, False),
        Asker("choice", "rank", ask_rank, False),
        Asker("open", "colour", ask_end, False),
    ]
    by_twins = [
        Asker(kind, form, partial(ask_twins, kind=kind, form=form), False)
        for form in ("depth", "height", "comparison", "distance", "between", "support")
        for kind in ("yes-no", "open")
    ]
    by_foil = [
        Asker(kind, form, partial(ask_shared, kind=kind, form=form), True)
        for form in ("depth", "height", "comparison")
        for kind in ("yes-no", "open")
    ]
    return [
        *claims,
        *by_mirror,
        *by_twins,
        Asker("choice", "which", ask_most, False),
        *by_foil,
        Asker("yes-no", "support", partial(ask_shared, kind="yes-no", form="support"), True),
        Asker("yes-no", "support", ask_carries, True),
        Asker("yes-no", "between", ask_between, True),
        *(Asker("choice", form, partial(ask_look, form=form), True) for form in ("colour", "material")),
        Asker("choice", "count", ask_count, True),
        Asker("choice", "distance", ask_distance, True),
        Asker("choice", "support", ask_support, True),
    ]


ASKERS = _askers()
"""Generators of questions; a form may have several."""
KINDS = ("yes-no", "choice", "open")


def questions(
    view: View,
    foil: View,
    rng: np.random.Generator,
    n: int,
    kinds: Sequence[str] = KINDS,
    language: str = "en",
    forms: Sequence[str] | None = None,
    accept: Callable[[Sentence], bool] = lambda question: True,
) -> list[Sentence]:
    """Generate up to n different questions about a view, with answers; no two ask for one fact.

    Args:
        view: The scene to ask about.
        foil: Another view from the same distribution; many questions distinguish the two.
        rng: Random generator.
        n: Maximum number of questions.
        kinds: Some of `yes-no`, `choice`, `open`.
        language: `en` or `zh`. The same generator gives the same questions in both.
        forms: Forms to choose from, such as `depth`; None: all.
        accept: Which questions to keep, by their text: by the answer, words would reveal it.

    Raises:
        PixelProofError: There is no such kind, form or language, or the foil is not a view.
    """
    expect_arguments(view, rng, n)
    expect(foil, View, "Give a second View as foil, such as that of the next scene")
    for kind in kinds:
        require_word("kind of question", kind, KINDS)
    for form in forms or ():
        require_word("form of questions", form, sorted({asker.form for asker in ASKERS}))
    require_word("language", language, LANGUAGES)
    askers = [asker for asker in ASKERS if asker.kind in kinds and (forms is None or asker.form in forms)]
    # How many need the foil is drawn first, and these are asked first. Otherwise more of them would be asked of views
    # with few other questions, and what is true of such views would be true more often than false.
    needs = sorted((askers[int(rng.integers(len(askers)))].foil for _ in range(n if askers else 0)), reverse=True)
    drafts: dict[object, Draft] = {}

    def draw(asker: Asker) -> Draft | None:
        draft = asker.ask(view, foil, rng)
        return draft if draft and accept(draft.sentence(language)) else None

    for foiled in needs:
        _add(drafts, draw, rng, [asker for asker in askers if asker.foil is foiled], -(-n // _SHARE))
    by_view = [asker for asker in askers if not asker.foil]
    for _ in range(n - len(drafts) if by_view else 0):
        _add(drafts, draw, rng, by_view, n)
    order = rng.permutation(len(drafts))
    return [list(drafts.values())[index].sentence(language) for index in order]


def _add(
    drafts: dict[object, Draft],
    draw: Callable[[Asker], Draft | None],
    rng: np.random.Generator,
    askers: Sequence[Asker],
    limit: int,
) -> None:
    """Add a question whose fact is not asked for yet, if there is one, and if its form is not at its limit."""
    full = Counter((draft.kind, draft.form) for draft in drafts.values())
    askers = [asker for asker in askers if full[asker.kind, asker.form] < limit]
    for _ in range(_TRIES if askers else 0):
        asker = askers[int(rng.integers(len(askers)))]
        for _ in range(_REPEATS):
            draft = draw(asker)
            if draft and draft.key not in drafts:
                drafts[draft.key] = draft
                return
