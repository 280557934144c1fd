"""Runs that belong together: the same bench on the same items, for the same metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import Run, bench_of

from ._views import View, conditions, open_view, settings_of

Identity = tuple[str, str, str, int]
"""Bench, major version, source and seed."""


@dataclass(frozen=True)
class Group:
    """Runs that are shown side by side. Items of equal id are the same item in all of them."""

    views: list[View]
    distinction: str = ""
    """What distinguishes it from other groups of the same bench: source, seed, options."""

    @property
    def bench(self) -> Bench:
        """The bench; its options may differ between the runs."""
        return self.views[0].bench

    @property
    def title(self) -> str:
        """Title of the bench, with the distinction."""
        return f"{self.bench.title} ({self.distinction})" if self.distinction else self.bench.title


@dataclass
class _Members:
    views: list[View]
    headline: set[str]


def open_groups(
    paths: Sequence[str | Path],
    bench: Bench | None = None,
    skip: Callable[[Path, PixelProofError], None] | None = None,
) -> list[Group]:
    """Open runs and group them; within a group, models come before controls.

    Args:
        paths: Run directories.
        bench: The bench of the runs with its name, if it is not an installed one.
        skip: Called with each run that cannot be shown, which is then left out; None: its error is raised.

    Raises:
        PixelProofError: There is no run, or one cannot be shown.
    """
    members: dict[Identity, list[_Members]] = {}
    for path in map(Path, paths):
        try:
            run = Run.open(path)
            known = bench is not None and bench.name == run.card["bench"]
            view = open_view(run, bench if known and bench is not None else bench_of(run.card))
            _join(members.setdefault(_identity(run), []), view)
        except PixelProofError as error:
            if skip is None:
                raise
            skip(path, error)
    groups = [group.views for alike in members.values() for group in alike]
    if not groups:
        raise PixelProofError("A report needs at least one run directory.")
    return [Group(_named(group), _distinction(group, [o for o in groups if o is not group])) for group in groups]


def _identity(run: Run) -> Identity:
    card = run.card
    return str(card["bench"]), str(card["version"]).partition(".")[0], str(card["source"]["name"]), int(card["seed"])


def _join(groups: list[_Members], view: View) -> None:
    """Add a run to the groups with which it shares a headline metric; without values, to one with its options."""
    headline = {name for name in view.bench.display.headline if name in view.summary["metrics"]}
    joined = [group for group in groups if group.headline & headline]
    if not headline:
        joined = [g for g in groups if any(other.card["options"] == view.card["options"] for other in g.views)][:1]
    views = [other for group in joined for other in group.views]
    place = groups.index(joined[0]) if joined else len(groups)
    groups[:] = [group for group in groups if group not in joined]
    groups.insert(place, _Members([*views, view], headline.union(*(group.headline for group in joined))))


def _named(views: Sequence[View]) -> list[View]:
    """Models before controls, with letters and settings."""
    ordered = sorted(views, key=lambda view: view.control)
    settings = settings_of([view.run for view in ordered])
    return [replace(view, key=_key(i), setting=settings[i]) for i, view in enumerate(ordered)]


def _distinction(views: Sequence[View], others: Sequence[Sequence[View]]) -> str:
    """The conditions in which all runs of a group agree, and in which it differs from the groups of the same bench."""
    rivals = [conditions(v.card) for group in others for v in group if v.card["bench"] == views[0].card["bench"]]
    own = [conditions(view.card) for view in views]
    bench = {"source", "seed", *views[0].card["options"]}
    names = [name for name in own[0] if name in bench and len({values.get(name) for values in own}) == 1]
    differing = [name for name in names if any(rival.get(name) != own[0][name] for rival in rivals)]
    return ", ".join(f"{name} {own[0][name]}" for name in differing)


def _key(index: int) -> str:
    """The letters of a run: A to Z, then AA, AB and so on."""
    return (_key(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)
