"""The run card: the conditions of a run, for readers and for reproduction."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._plan import Plan
from pixelproof.harness._run_card import Card, Entries
from pixelproof.models import MACHINE, Model
from pixelproof.options import Conditions, Decoding, flags_of
from pixelproof.store import digest, origin_of

_ROOT = Path(__file__).parent.parent
_PACKAGES = ("pixelproof", "numpy", "scipy", "pillow", "pyarrow", "inspect-ai", "xllamacpp", "torch", "diffusers")


def new_card(
    plan: Plan,
    name: str,
    decoding: Decoding,
    judge: str | None,
    model: Model | None,
    judge_card: Entries | None = None,
) -> Card:
    """The card of a new run."""
    return Card(
        bench=plan.bench.name,
        version=plan.bench.version,
        options=options_of(plan.bench),
        source=plan.source.name,
        data=None if plan.source.data is None else origin_of(plan.source.data),
        seed=plan.seed,
        split=plan.split,
        limit=plan.limit,
        samples=plan.samples,
        shard=None if plan.shard is None else str(plan.shard),
        model=name,
        model_card=dict(model.card() if model else {}),
        **{option.name: getattr(decoding, option.name) for option in flags_of(Decoding)},
        judge=judge,
        judge_card=None if judge_card is None else dict(judge_card),
        scorer=scorer_fingerprint(plan.bench),
        software=software(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def default_directory(card: Card) -> Path:
    """`runs/BENCH/MODEL-xxxxxxxx`; the same command gives the same directory, so that it can be resumed."""
    defaults = {option.name: option.default for option in flags_of(Conditions)}
    content = card.identity()
    identity = {
        name: content[name]
        for name in content.keys() - {"bench", "model_card"}
        if name in _HASHED or content[name] != defaults.get(name)
    }
    return Path("runs", card.bench, directory_name(card.model, identity))


def directory_name(model: str, identity: object) -> str:
    """`MODEL-xxxxxxxx`: the name of a model as a file name, and a hash of what makes a run another one."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[-60:]
    return f"{slug}-{digest(identity)[:8]}"


_HASHED = {"options", "source", "seed", "model", "decoding", "judge"}
"""Entries that are in the name of the directory even if they have their defaults."""


def options_of(bench: Bench) -> dict[str, Any]:
    """The options of a bench."""
    return {field.name: getattr(bench, field.name) for field in fields(bench)}  # type: ignore[arg-type]


def scored_options(bench: Bench) -> dict[str, Any]:
    """The options that can change the scores of controls."""
    scored = {field.name for field in fields(bench) if field.metadata.get("scored", True)}  # type: ignore[arg-type]
    return {name: value for name, value in options_of(bench).items() if name in scored}


def identity_of(card: Card, name: str) -> Any:
    """An entry of a card, without what it says about the machine, on which a run may be continued or split."""
    value = card.to_json()[name]
    return {key: value[key] for key in value if key != MACHINE} if name == "model_card" else value


def check_resumable(old: Card, new: Card, path: Path) -> None:
    """Refuse to continue a run under other conditions."""
    changed = [name for name in new.identity() if identity_of(old, name) != identity_of(new, name)]
    if old.judge_card != new.judge_card:
        changed.append("judge_card")
    if old.version.partition(".")[0] != new.version.partition(".")[0]:
        changed.append("version")
    if changed:
        before, now = old.to_json(), new.to_json()
        changes = "; ".join(f"{name} was {before[name]!r}, is {now[name]!r}" for name in changed)
        raise PixelProofError(f"{path} holds another run and cannot be resumed ({changes}): choose another --out.")


_SCORING = ("pixelproof.metrics", "pixelproof.pixels", "pixelproof.benches.sources")


def scorer_fingerprint(bench: Bench) -> str:
    """Hash of the code and data that scores: the bench's package, what all scorers use, and its `scorer_packages`."""
    own = Path(inspect.getfile(type(bench)))
    files = {own}
    folders = [own.parent] if (own.parent / "__init__.py").exists() else []
    for package in (*_SCORING, *bench.scorer_packages):
        folders += _folders_of(package, bench)
    for folder in folders:
        files.update(_files_in(folder))
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.parent.name}/{file.name}".encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def _files_in(folder: Path) -> Iterator[Path]:
    """All files of a folder and the folders in it, except for bytecode."""
    for here, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name != "__pycache__"]
        yield from (Path(path) for name in names if os.path.isfile(path := os.path.join(here, name)))


def _folders_of(package: str, bench: Bench) -> list[Path]:
    try:
        spec = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        spec = None
    if spec is None and package in _SCORING:
        return []
    if spec is None or not spec.submodule_search_locations:
        raise PixelProofError(f"{bench.name} names {package!r} in scorer_packages, which is not an installed package.")
    return [Path(location) for location in spec.submodule_search_locations]


def _weights() -> list[Path]:
    """The weights of the networks in the package."""
    return sorted((_ROOT / "nets" / "weights").glob("*.npz"))


def software() -> dict[str, str]:
    """Versions of all that can change a number."""
    return dict(_software())


@cache
def _software() -> dict[str, str]:
    """Looked up once: what a process has loaded does not change."""
    versions = {"python": platform.python_version(), "platform": platform.platform(terse=True)}
    versions |= {f"nets/{file.stem}": hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in _weights()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
