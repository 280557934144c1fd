"""Export: weights as a numpy net, and the card that the run writes about it."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pixelproof.nets import quantise, write_weights
from pixelproof.store import write_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = Any
"""An array, or a JSON value."""
NET, CARD = "net.npz", "card.json"


def write_net(
    path: Path,
    net: str,
    weights: Mapping[str, torch.Tensor],
    arrays: Mapping[str, Value],
    facts: Mapping[str, Value],
    *,
    quantised: bool = True,
) -> None:
    """Write weights as a file that `nets/PATH` reads.

    Args:
        path: The file.
        net: Name of the entry point that reads it.
        weights: Matrices.
        arrays: Stored as they are.
        facts: What inference needs to know.
        quantised: Whether the matrices are stored in 8 bits, with a scale per row.
    """
    matrices = {name: weight.detach().float().cpu().numpy() for name, weight in weights.items()}
    write_weights(path, {**(quantise(matrices) if quantised else matrices), **arrays}, {"net": net, **facts})


def write_card(out: Path, config: DataclassInstance, **facts: object) -> None:
    """Write `out/card.json`: command, commit, config, device and libraries, hash of the exported net, and facts."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    ).stdout.strip()
    write_json(
        out / CARD,
        {
            "command": " ".join(["pixelproof", *sys.argv[1:]]),
            "commit": commit or None,
            "config": asdict(config),
            "device": f"{platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads used",
            "torch": torch.__version__,
            "net": {
                "file": NET,
                "bytes": (out / NET).stat().st_size,
                "sha256": hashlib.sha256((out / NET).read_bytes()).hexdigest(),
            },
            **facts,
        },
    )
