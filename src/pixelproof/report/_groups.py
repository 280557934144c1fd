"""Runs that belong together: the same bench on the same items, for the same metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import Card, Run, bench_of
from pixelproof.store import digest

from ._views import View, conditions, open_view, settings_of

Identity = tuple[str, str, str, int, str]
"""Bench, major version, source, seed; and the judge, if headline metrics are judged: two judges are two scales."""


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

    @property
    def name(self) -> str:
        """Name of the bench, with the distinction."""
        return f"{self.bench.name}: {self.distinction}" if self.distinction else self.bench.name


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
    errors: list[PixelProofError] = []
    for path in map(Path, paths):
        try:
            run = Run.open(path)
            known = bench is not None and bench.name == run.about.bench
            view = open_view(run, bench if known and bench is not None else bench_of(run.about))
            _join(members.setdefault(_identity(view), []), view)
        except PixelProofError as error:
            if skip is None:
                raise
            skip(path, error)
            errors.append(error)
    groups = [group.views for alike in members.values() for group in alike]
    if not groups:
        reason = f" None of the {len(errors)} runs can be shown; of the first: {errors[0]}" if errors else ""
        raise PixelProofError(f"A report needs at least one run that can be shown.{reason}")
    return [Group(_named(group), _distinction(group, [o for o in groups if o is not group])) for group in groups]


def _identity(view: View) -> Identity:
    card = view.about
    judged = {metric.name for metric in view.bench.metrics if metric.judged} & set(view.bench.display.headline)
    judge = digest(card.judge_card) if judged & set(view.summary["metrics"]) else ""
    source = str(card.source)
    return str(card.bench), str(card.version).partition(".")[0], source, int(card.seed), judge


def _join(groups: list[_Members], view: View) -> None:
    """Add a run to the groups with which it shares a headline metric; without values, to one with its options."""
    headline = {name for name in view.bench.display.headline if name in view.summary["metrics"]}
    alike = [group for group in groups if any(other.about.options == view.about.options for other in group.views)]
    if headline:
        joined = [group for group in groups if group.headline & headline or (not group.headline and group in alike)]
    else:
        joined = alike[:1]
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
    """The fewest conditions that distinguish a group from every other group of its bench, found greedily."""
    rivals = [group for group in others if group[0].about.bench == views[0].about.bench]
    own = _common(views)
    differing = {
        name: {i for i, rival in enumerate(rivals) if _common(rival).get(name) != value} for name, value in own.items()
    }
    chosen: list[str] = []
    left = set(range(len(rivals)))
    while left and (best := max(differing, key=lambda name: len(differing[name] & left), default=None)) is not None:
        if not differing[best] & left:
            break
        chosen.append(best)
        left -= differing[best]
    return ", ".join(f"{name} {own[name]}" for name in own if name in chosen)


def _common(views: Sequence[View]) -> dict[str, str]:
    """Version, source, seed, judge and options, as far as all runs of a group agree on them."""
    names = ("source", "seed", "judge", "judge card", *views[0].about.options)
    values = [{"version": str(v.about.version), **conditions(v.about), **_judge_card(v.about)} for v in views]
    return {n: values[0][n] for n in (*names, "version") if n in values[0] and len({v.get(n) for v in values}) == 1}


def _judge_card(card: Card) -> dict[str, str]:
    """Hash of the judge's card, which differs between versions of a judge of one name."""
    return {"judge card": digest(card.judge_card)[:8]} if card.judge_card else {}


def _key(index: int) -> str:
    """The letters of a run: A to Z, then AA, AB and so on."""
    return (_key(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)
