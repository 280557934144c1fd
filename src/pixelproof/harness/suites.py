"""Suites: models × benches × options × seeds from one file, as runs with one budget."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from pixelproof.benches import available, get_bench
from pixelproof.contract import Bench, PixelProofError, unknown_name
from pixelproof.harness._card import directory_name, options_of
from pixelproof.harness._estimate import estimate
from pixelproof.harness._listing import run_info
from pixelproof.harness._opened import Run
from pixelproof.harness._plan import plan_run
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._run import run
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._rundir import read_card_alone
from pixelproof.harness._session import money_spent, prices_of
from pixelproof.options import Conditions, RunOptions, flags_of

__all__ = ["SETTINGS", "Suite", "SuiteResult", "SuiteRun", "read_suite", "run_suite", "suite_schema"]

Json = Any
"""What a TOML or JSON file can hold: text, numbers, lists and tables."""
Table = dict[str, Json]
_OF_THE_SUITE = ("shard", "out", "resume", "workers", "max_cost")
SETTINGS = {option.name: option for option in flags_of(RunOptions) if option.name not in _OF_THE_SUITE}
"""Settings of runs, for all of a suite, for a bench or for a model; a list of values stands for a run each."""
_IDENTITY = [option.name for option in flags_of(Conditions) if option.name not in ("shard", "limit", "samples")]
"""Settings that make another run; with other values of the rest, a run is continued."""
_TOP = ("title", "out", "max_cost", "models", "benches")
_FREE = ("control", "diffusers", "fn", "folder", "gguf", "nets", "recorded", "transformers")
"""Kinds of models that cost nothing unless a price is given."""


@dataclass(frozen=True)
class SuiteRun:
    """One run of a suite."""

    bench: Bench
    model: str
    options: RunOptions
    path: Path
    """Its directory."""

    def __str__(self) -> str:
        """Bench, model, source and options that differ from their defaults, and seed."""
        usual = options_of(type(self.bench)())
        changed = [f"{name} {value}" for name, value in options_of(self.bench).items() if value != usual[name]]
        source = [self.options.source] if self.options.source else []
        return ", ".join([f"{self.bench.name}: {self.model}", *source, *changed, f"seed {self.options.seed}"])

    @property
    def card(self) -> RunCard | None:
        """Its card; None if it has not begun."""
        return read_card_alone(self.path) if (self.path / "card.json").exists() else None

    @property
    def cost(self) -> float:
        """Dollars that it has cost so far."""
        return money_spent(self.path, self.bench, self.options) if self.card else 0.0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        if (known := self.card) is None or known.state.state != "complete":
            return False
        return (known.card.limit, known.card.samples) == (self.options.limit, self.options.samples)

    def estimate(self) -> Table:
        """What it would ask and cost at most; what is there already is not asked again."""
        options = replace(self.options, out=self.path, resume=True)
        return estimate(plan_run(self.bench, options), self.model, options, options, options.judge)


@dataclass(frozen=True)
class SuiteResult:
    """What became of one run of a suite."""

    planned: SuiteRun
    run: Run | None = None
    """None if it has no directory."""
    problem: str = ""
    """Why it could not be carried out."""

    @property
    def complete(self) -> bool:
        """Whether every planned answer is there and scored."""
        return self.run is not None and not self.problem and self.run.complete


@dataclass(frozen=True)
class Suite:
    """The runs of a suite, in the order of its benches."""

    title: str
    out: Path
    max_cost: float | None
    runs: tuple[SuiteRun, ...]


def read_suite(path: Path, out: Path | None = None, max_cost: float | None = None) -> Suite:
    """Read a suite.

    Args:
        path: A TOML file; docs/suites.md describes it.
        out: Directory of the runs, in place of that of the file.
        max_cost: Budget in dollars, in place of that of the file.

    Raises:
        PixelProofError: The file cannot be read, a key or value is wrong, or a run is listed twice.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise PixelProofError(
            f"There is no suite {path}: pass a TOML file, or an example of 'pixelproof suite --help'."
        ) from None
    except (OSError, ValueError) as error:
        raise PixelProofError(f"{path} cannot be read as a suite: {error}.") from error
    try:
        _check_keys("key", table, (*_TOP, *SETTINGS))
        for name in ("models", "benches"):
            _require_type(f"{name} of the suite", table.get(name), list)
        title, budget = _require_type("title", table.get("title", path.stem), str), table.get("max_cost")
        folder = out or Path(_require_type("out", table.get("out", f"runs/{path.stem}"), str))
        if "://" in str(table.get("out")):
            raise PixelProofError("out is a local directory: 'pixelproof data push' copies it to a URL.")
        if max_cost is not None or budget is not None:
            max_cost = _require_type("max_cost", budget if max_cost is None else max_cost, float)
        runs = tuple(_list_runs(table, folder))
        _check_runs(runs, max_cost)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error
    return Suite(title, folder, max_cost, runs)


def run_suite(suite: Suite, resume: bool = False, progress: Progress | None = None) -> Iterator[SuiteResult]:
    """Carry out the runs of a suite, one after the other; finished runs are not touched.

    A run that cannot be carried out does not stop the others. Once the budget is spent, models with a price are not
    asked any more.

    Args:
        suite: The suite.
        resume: Continue the runs that are there.
        progress: Is notified of every run and answer.

    Raises:
        PixelProofError: The directory holds runs, and `resume` is False.
    """
    if not resume and any(planned.card for planned in suite.runs):
        raise PixelProofError(f"{suite.out} has runs of this suite: add --resume to continue, or choose another --out.")
    progress, stopped = progress or Silent(), False
    for number, planned in enumerate(suite.runs, 1):
        if planned.finished:
            yield SuiteResult(planned, Run.open(planned.path))
            continue
        progress.announce(f"[{number}/{len(suite.runs)}] {planned}")
        priced, limit = planned.options.price is not None, None
        if priced and stopped:
            yield SuiteResult(planned, problem="not asked: the budget is spent")
            continue
        if priced and suite.max_cost is not None:
            limit = max(0.0, suite.max_cost - sum(peer.cost for peer in suite.runs if peer is not planned))
        options = replace(planned.options, out=planned.path, resume=True, max_cost=limit)
        try:
            done = run(plan_run(planned.bench, options), planned.model, options, options.judge, options, progress)
        except PixelProofError as error:
            yield SuiteResult(planned, Run.open(planned.path) if planned.card else None, str(error))
            continue
        stopped |= run_info(planned.path).state == "stopped"
        yield SuiteResult(planned, done)


def suite_schema() -> Table:
    """The JSON Schema of suites, with the benches that are installed and their options."""
    settings = {
        name: _several({"enum": list(option.choices)} if option.choices else _KINDS[option.type], option.flag.help)
        for name, option in SETTINGS.items()
    }
    text, model = {"type": "string"}, {"$ref": "#/$defs/model"}
    named = [_bench_schema(get_bench(name), settings) for name in sorted(available())]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A suite of PixelProof",
        "type": "object",
        "required": ["models", "benches"],
        "additionalProperties": False,
        "properties": {
            "title": text,
            "out": text | {"description": "directory of the runs"},
            "max_cost": {"type": "number", "minimum": 0, "description": "budget of all runs, in US dollars"},
            "models": {"type": "array", "items": model},
            "benches": {"type": "array", "minItems": 1, "items": {"anyOf": [{"enum": sorted(available())}, *named]}},
            **settings,
        },
        "$defs": {
            "model": {
                "anyOf": [
                    text,
                    {
                        "type": "object",
                        "required": ["name"],
                        "additionalProperties": False,
                        "properties": {"name": text, **settings},
                    },
                ]
            }
        },
    }


def _bench_schema(bench: Bench, settings: Table) -> Table:
    options = {}
    for field in _options(bench):
        choices = field.metadata.get("choices")
        kind = {"enum": list(choices)} if choices else _KINDS[type(field.default)]
        options[field.name] = _several(kind, field.metadata.get("help", ""))
    return {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"const": bench.name},
            "models": {"type": "array", "items": {"$ref": "#/$defs/model"}},
            **settings,
            **options,
        },
    }


_KINDS: Mapping[type, Table] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def _several(kind: Table, about: str) -> Table:
    several = {"type": "array", "minItems": 1, "items": kind}
    return {"anyOf": [kind, several], "description": about}


def _list_runs(table: Table, folder: Path) -> Iterator[SuiteRun]:
    """The runs of a file, with their directories below a folder."""
    common = {name: table[name] for name in SETTINGS if name in table}
    for entry in map(_entry_reader("bench"), table["benches"]):
        known = [field.name for field in _options(get_bench(entry["name"]))]
        _check_keys(f"key of {entry['name']}", entry, ("name", "models", *SETTINGS, *known))
        of_bench = {f"option {name}": value for name, value in entry.items() if name in known}
        for model in map(_entry_reader("model"), entry["models"] if "models" in entry else table["models"]):
            _check_keys(f"key of {model['name']}", model, ("name", *SETTINGS))
            settings = {name: value for name, value in (common | entry | model).items() if name in SETTINGS}
            for values in _combinations(settings | of_bench):
                of = f"of {entry['name']}"
                options = RunOptions(**{n: _require_type(f"{n} {of}", values[n], SETTINGS[n].type) for n in settings})
                bench = get_bench(entry["name"], **{n.removeprefix("option "): str(values[n]) for n in of_bench})
                yield SuiteRun(bench, model["name"], options, folder / _place(bench, model["name"], options))


def _options(bench: Any) -> tuple[Field[Json], ...]:
    """The options of a bench, which is a data class although its base is none."""
    return fields(bench)


def _entry_reader(kind: str) -> Callable[[Json], Table]:
    """A function that reads an entry of a list: a name, or a table with a name."""

    def read(entry: Json) -> Table:
        table = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(table, dict) or not isinstance(table.get("name"), str):
            raise PixelProofError(f"A {kind} is a name or a table with a name, not {entry!r}.")
        return table

    return read


def _combinations(values: Table) -> Iterator[Table]:
    """Every choice of one value for each name; lists hold several."""
    if empty := [name for name, value in values.items() if value == []]:
        raise PixelProofError(f"{empty[0].removeprefix('option ')} is an empty list: give one value or more.")
    several = [value if isinstance(value, list) else [value] for value in values.values()]
    for choice in product(*several):
        yield dict(zip(values, choice, strict=True))


def _check_keys(kind: str, table: Table, known: tuple[str, ...]) -> None:
    for name in table:
        if name not in known:
            raise unknown_name(kind, name, known)


def _require_type(what: str, value: Json, kind: type) -> Json:
    """The value, if it is of the type; whole numbers are numbers, too."""
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
    raise PixelProofError(f"{what} must be {names[kind]}, not {value!r}.")


def _place(bench: Bench, model: str, options: RunOptions) -> Path:
    """`BENCH/MODEL-xxxxxxxx`, the same for the same conditions, whatever else is in the suite."""
    source = plan_run(bench, options).source.name
    conditions = {name: getattr(options, name) for name in _IDENTITY} | {"source": source}
    return Path(bench.name, directory_name(model, [options_of(bench), model, conditions]))


def _check_runs(runs: tuple[SuiteRun, ...], max_cost: float | None) -> None:
    paths = [planned.path for planned in runs]
    for number, planned in enumerate(runs):
        if planned.path in paths[:number]:
            raise PixelProofError(f"{planned}: this run is listed twice.")
        hosted = [name for name in (planned.model, planned.options.judge) if name and name.split("/")[0] not in _FREE]
        if prices_of(planned.options) is None and max_cost is not None and hosted:
            raise PixelProofError(f"max_cost needs the price of {hosted[0]}: add price = 'input=…,output=…,image=…'.")
