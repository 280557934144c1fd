"""Runs that belong together: the same bench on the same items, for the same metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import Run, bench_of

from ._views import View, conditions, is_control, settings_of

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
    runs: list[Run] = field(default_factory=list)
    headline: set[str] = field(default_factory=set)


def open_groups(paths: Sequence[str | Path], bench: Bench | None = None) -> list[Group]:
    """Open runs and group them; within a group, models come before controls.

    Args:
        paths: Run directories.
        bench: The bench of the runs with its name, if it is not an installed one.

    Raises:
        PixelProofError: A path is not a usable run directory.
    """
    runs = [Run.open(path) for path in paths]
    if not runs:
        raise PixelProofError("A report needs at least one run directory.")
    benches = [bench if bench is not None and bench.name == run.card["bench"] else bench_of(run.card) for run in runs]
    members: dict[Identity, list[_Members]] = {}
    for run, its_bench in zip(runs, benches, strict=True):
        _join(members.setdefault(_identity(run), []), run, its_bench)
    of_run = {id(run): its_bench for run, its_bench in zip(runs, benches, strict=True)}
    groups = [group.runs for alike in members.values() for group in alike]
    return [
        Group(_views(group, of_run), _distinction(group, [other for other in groups if other is not group]))
        for group in groups
    ]


def _identity(run: Run) -> Identity:
    card = run.card
    return str(card["bench"]), str(card["version"]).partition(".")[0], str(card["source"]["name"]), int(card["seed"])


def _join(groups: list[_Members], run: Run, bench: Bench) -> None:
    """Add a run to the groups with which it shares a headline metric; without values, to one of its options."""
    view = View("", "", run, bench)
    if not view.in_progress:
        run.check_whole()
    headline = {name for name in bench.display.headline if name in view.summary["metrics"]}
    joined = [group for group in groups if group.headline & headline]
    if not headline:
        joined = [g for g in groups if any(other.card["options"] == run.card["options"] for other in g.runs)][:1]
    new = _Members([r for group in joined for r in group.runs] + [run], headline.union(*(g.headline for g in joined)))
    place = groups.index(joined[0]) if joined else len(groups)
    groups[:] = [group for group in groups if group not in joined]
    groups.insert(place, new)


def _views(runs: Sequence[Run], benches: dict[int, Bench]) -> list[View]:
    ordered = sorted(runs, key=is_control)
    settings = settings_of(ordered)
    return [View(_key(i), settings[i], run, benches[id(run)]) for i, run in enumerate(ordered)]


def _distinction(runs: Sequence[Run], others: Sequence[Sequence[Run]]) -> str:
    """The conditions in which all runs of a group agree, and in which it differs from the groups of the same bench."""
    rivals = [conditions(r.card) for group in others for r in group if r.card["bench"] == runs[0].card["bench"]]
    own = [conditions(run.card) for run in runs]
    bench = {"source", "seed", *runs[0].card["options"]}
    names = [name for name in own[0] if name in bench and len({told.get(name) for told in own}) == 1]
    differing = [name for name in names if any(rival.get(name) != own[0][name] for rival in rivals)]
    return ", ".join(f"{name} {own[0][name]}" for name in differing)


def _key(index: int) -> str:
    """The letters of a run: A to Z, then AA, AB and so on."""
    return (_key(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)
