"""The run card: what a reader must know to believe a number, and to make it again."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._plan import Plan
from pixelproof.harness._rundir import FORMAT
from pixelproof.models import Decoding

_IDENTITY = ("bench", "options", "source", "seed", "model", "decoding", "judge", "model_card")
_ROOT = Path(__file__).parent.parent
_PACKAGES = ("pixelproof", "numpy", "scipy", "pillow", "pyarrow", "inspect-ai", "xllamacpp", "torch", "diffusers")


def new_card(
    plan: Plan, model: str, decoding: Decoding, judge: str | None, model_card: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The card of a run that is about to begin."""
    return {
        "format": FORMAT,
        "bench": plan.bench.name,
        "version": plan.bench.version,
        "options": options_of(plan.bench),
        "source": {"name": plan.source.name, "data": None if plan.source.data is None else str(plan.source.data)},
        "seed": plan.seed,
        "limit": plan.limit,
        "samples": plan.samples,
        "model": model,
        "model_card": dict(model_card or {}),
        "decoding": asdict(decoding),
        "judge": judge,
        "scorer": scorer_fingerprint(plan.bench),
        "software": software(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "state": "running",
    }


def options_of(bench: Bench) -> dict[str, Any]:
    """The options that a bench was made with."""
    return {field.name: getattr(bench, field.name) for field in fields(bench)}  # type: ignore[arg-type]


def scored_options(bench: Bench) -> dict[str, Any]:
    """The options that can change what controls score."""
    scored = {field.name for field in fields(bench) if field.metadata.get("scored", True)}  # type: ignore[arg-type]
    return {name: value for name, value in options_of(bench).items() if name in scored}


def check_resumable(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> None:
    """Refuse to continue a run under other conditions."""
    changed = [name for name in _IDENTITY if old.get(name) != new.get(name)]
    if old["version"].partition(".")[0] != new["version"].partition(".")[0]:
        changed.append("version")
    if changed:
        told = "; ".join(f"{name} was {old.get(name)!r}, is {new.get(name)!r}" for name in changed)
        raise PixelProofError(f"{path} holds another run and cannot be resumed ({told}): choose another --out.")


def scorer_fingerprint(bench: Bench) -> str:
    """Hash of what scores: the bench's own folder, the rooms that all scorers use, and the weights of the networks."""
    own = Path(inspect.getfile(type(bench)))
    rooms = [_ROOT / "metrics", _ROOT / "pixels", _ROOT / "nets"]
    folders = [*rooms, *([own.parent] if (own.parent / "__init__.py").exists() else [])]
    tables = (file for kind in ("*.py", "*.json") for folder in folders for file in folder.rglob(kind))
    sources = {own, *_weights(), *tables}
    total = hashlib.sha256()
    for file in sorted(sources):
        total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def _weights() -> list[Path]:
    """The networks that come with the package."""
    return sorted((_ROOT / "nets" / "weights").glob("*.npz"))


def software() -> dict[str, str]:
    """Versions of what can change a number."""
    found = {"python": platform.python_version(), "platform": platform.platform(terse=True)}
    found |= {f"nets/{file.stem}": hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in _weights()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
