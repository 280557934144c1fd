"""Panels: sections of a report that a bench brings.

An entry point of the group `pixelproof.panels` names a `Panel` or a sequence of them, usually `PANELS` in the bench's
`_panels.py`. Panels are offered every group of runs, and say themselves to which they apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pixelproof.contract import PixelProofError
from pixelproof.plugins import load_plugin, plugins
from pixelproof.web import Html, tag

from ._views import View

GROUP = "pixelproof.panels"


@dataclass(frozen=True)
class Panel:
    """A section of a report."""

    title: str
    applies: Callable[[Sequence[View]], bool]
    """Whether these runs, which are of one bench on the same items, have anything to show."""
    render: Callable[[Sequence[View]], Html]
    """The content, made with `pixelproof.web`; called only if the panel applies."""
    note: str = ""
    """A sentence on how to read it."""


def installed_panels() -> list[Panel]:
    """All panels of installed packages, by the names of their entry points.

    Raises:
        PixelProofError: An entry point cannot be loaded, or names something else.
    """
    panels: list[Panel] = []
    for name, point in plugins(GROUP).items():
        loaded = load_plugin(point, "panel")
        offered = list(loaded) if isinstance(loaded, list | tuple) else [loaded]
        if not all(isinstance(panel, Panel) for panel in offered):
            raise PixelProofError(f"The entry point {name!r} of {GROUP} must name a Panel or a sequence of Panels.")
        panels += offered
    return panels


def panel_content(panel: Panel, views: Sequence[View]) -> Html | None:
    """The content of a panel, None if it does not apply; its exceptions become a sentence instead of no report."""
    try:
        return panel.render(views) if panel.applies(views) else None
    except Exception as error:
        return tag("p", f"This panel failed ({type(error).__name__}: {error}).", class_="note remark")
