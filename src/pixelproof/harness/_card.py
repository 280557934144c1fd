"""The run card: the conditions of a run, for readers and for reproduction."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._plan import Plan
from pixelproof.harness._rundir import FORMAT
from pixelproof.models import MACHINE
from pixelproof.options import Decoding, flags_of
from pixelproof.store import origin_of

IDENTITY = ("bench", "options", "source", "seed", "split", "shard", "model", "decoding", "judge", "model_card")
"""Fields of a card that make it the same run."""
_ROOT = Path(__file__).parent.parent
_PACKAGES = ("pixelproof", "numpy", "scipy", "pillow", "pyarrow", "inspect-ai", "xllamacpp", "torch", "diffusers")


def new_card(
    plan: Plan,
    model: str,
    decoding: Decoding,
    judge: str | None,
    model_card: Mapping[str, Any] | None,
    judge_card: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The card of a new run."""
    return {
        "format": FORMAT,
        "bench": plan.bench.name,
        "version": plan.bench.version,
        "options": options_of(plan.bench),
        "source": {"name": plan.source.name, "data": None if plan.source.data is None else origin_of(plan.source.data)},
        "seed": plan.seed,
        "split": plan.split,
        "limit": plan.limit,
        "samples": plan.samples,
        "shard": None if plan.shard is None else str(plan.shard),
        "model": model,
        "model_card": dict(model_card or {}),
        "decoding": {"arm": decoding.decoding} | {o.name: getattr(decoding, o.name) for o in flags_of(Decoding)[1:]},
        "judge": judge,
        "judge_card": None if judge_card is None else dict(judge_card),
        "scorer": scorer_fingerprint(plan.bench),
        "software": software(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "state": "running",
    }


def options_of(bench: Bench) -> dict[str, Any]:
    """The options of a bench."""
    return {field.name: getattr(bench, field.name) for field in fields(bench)}  # type: ignore[arg-type]


def scored_options(bench: Bench) -> dict[str, Any]:
    """The options that can change the scores of controls."""
    scored = {field.name for field in fields(bench) if field.metadata.get("scored", True)}  # type: ignore[arg-type]
    return {name: value for name, value in options_of(bench).items() if name in scored}


def identity_of(card: Mapping[str, Any], name: str) -> Any:
    """A field of a card, without what it says about the machine, on which a run may be continued or split."""
    value = card.get(name)
    return {key: value[key] for key in value if key != MACHINE} if name == "model_card" and value else value


def check_resumable(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> None:
    """Refuse to continue a run under other conditions."""
    changed = [name for name in IDENTITY if identity_of(old, name) != identity_of(new, name)]
    if old["judge_card"] != new["judge_card"]:
        changed.append("judge_card")
    if old["version"].partition(".")[0] != new["version"].partition(".")[0]:
        changed.append("version")
    if changed:
        changes = "; ".join(f"{name} was {old.get(name)!r}, is {new.get(name)!r}" for name in changed)
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
