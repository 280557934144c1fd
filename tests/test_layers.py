"""The layers of `docs/architecture.md`: a layer imports only layers above it, by public names, without cycles."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import pixelproof
from layer_rules import ABOVE_ALL, LAYERS, Package, Violation, violations

ROOT = Path(pixelproof.__file__).parent

PENDING: set[Violation] = set()
"""Violations that are known and about to be removed. Only ever shrink it: an entry that no longer holds fails."""


def benches() -> frozenset[str]:
    """Benches of this package: registered ones, and folders with a bench that is not registered yet."""
    registered = {point.name for point in entry_points(group="pixelproof.benches") if _is_ours(point.module)}
    return frozenset(registered | {path.parent.name for path in (ROOT / "benches").glob("*/_bench.py")})


def _is_ours(module: str) -> bool:
    return module.startswith("pixelproof.benches.")


@pytest.fixture(scope="module")
def broken() -> set[Violation]:
    return violations(Package.of(ROOT, benches()))


def test_every_rule_is_kept(broken):
    new = broken - PENDING
    assert not new, "\n".join(f"{v.rule}: {v.where}: {v.what}" for v in sorted(new))


def test_no_pending_violation_is_stale(broken):
    stale = PENDING - broken
    assert not stale, f"remove these from PENDING: {sorted(stale)}"


def test_all_source_files_are_analysed():
    package = Package.of(ROOT, benches())
    layers = {module.layer for module in package.modules.values()} - ABOVE_ALL
    assert {"contract", "pixels", "metrics", "stats", "store", "world", "nets", "benches", "models", "cli"} <= layers
    assert layers <= set(LAYERS)
    assert {"arena", "pixelart"} <= package.benches
    assert ("contract",) in package.modules and ("world", "flat") in package.modules


def test_what_is_not_distributed_uses_public_names():
    checkout = Package.of(ROOT.parents[1] / "training")
    nodes = [node for module in checkout.modules.values() for node in module.import_nodes]
    names = [f"{getattr(node, 'module', '')}.{alias.name}" for node in nodes for alias in node.names]
    assert "pixelproof.nets.WEIGHTS" in names
    assert not [name for name in names if "pixelproof." in name and "._" in name]


SOUND = {
    "__init__.py": "from ._api import run\n",
    "_api.py": "run = 1\n",
    "cli/__init__.py": "",
    "contract.py": "",
    "pixels/__init__.py": "from ._colours import rgb\n",
    "pixels/_colours.py": "rgb = 1\n",
    "benches/__init__.py": "",
    "benches/toy/__init__.py": "from ._bench import Toy\n",
    "benches/toy/_bench.py": "from pixelproof.pixels import rgb\nToy = 'toy'\n",
    "benches/toy/_commands.py": "import pixelproof.harness\n",
    "harness/__init__.py": "'''toy'''\nimport inspect_ai\nhelp = 'such as toy'\n",
    "world/__init__.py": "",
    "world/flat/__init__.py": "from ._scene import Scene\n",
    "world/flat/_scene.py": "Scene = 1\n",
    "world/sets/__init__.py": "from pixelproof.world.flat import Scene\n",
}


@pytest.mark.parametrize(
    ("path", "code", "rule", "what"),
    [
        ("pixels/_colours.py", "import pixelproof.harness\n", "direction", "pixels imports harness"),
        ("pixels/_colours.py", "def f():\n    from pixelproof import harness\n", "direction", "pixels imports harness"),
        ("harness/_run.py", "from pixelproof import cli\n", "direction", "harness imports cli"),
        ("harness/_run.py", "from pixelproof._api import run\n", "direction", "harness imports _api"),
        ("harness/_run.py", "from pixelproof import run\n", "direction", "harness imports _api"),
        ("harness/_run.py", "import pixelproof\n", "direction", "harness imports __init__"),
        ("strange/__init__.py", "", "layer", "strange is no layer"),
        ("harness/_run.py", "from pixelproof.pixels._colours import rgb\n", "private", "pixels._colours.rgb"),
        ("harness/_run.py", "from pixelproof.pixels import _colours\n", "private", "pixels._colours"),
        ("benches/a/_b.py", "from pixelproof.benches.toy._bench import Toy\n", "private", "benches.toy._bench.Toy"),
        ("benches/other/__init__.py", "from ..toy._bench import Toy\n", "private", "benches.toy._bench.Toy"),
        ("world/flat/_recipe.py", "from pixelproof.world.sets import Scene\n", "", ""),  # Scene is flat's own
        ("world/flat/_recipe.py", "from pixelproof.world import sets\n", "cycle", "flat sets"),
        (
            "world/flat/_recipe.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pixelproof.world.sets\n",
            "cycle",
            "flat sets",
        ),
        ("pixels/_colours.py", "from ._other import x\n", "", ""),
        ("pixels/_colours.py", "import torch\n", "door", "torch"),
        ("nets/__init__.py", "from training.drawing import train\n", "door", "training"),
        ("models/__init__.py", "def f():\n    from inspect_ai.model import get_model\n", "door", "inspect_ai"),
        ("harness/_run.py", "from pixelproof.benches.toy import Toy\n", "bench", "imports toy"),
        ("harness/_run.py", "name = 'toy'\n", "bench", "names toy"),
        ("learn/toy/__init__.py", "from pixelproof.benches.toy import Toy\n", "", ""),
        ("cli/_run.py", "from pixelproof.learn.toy import train\n", "trainer", "imports learn"),
        ("learn/_commands.py", "import pixelproof.cli\n", "", ""),
        ("learn/kit/_log.py", "import pixelproof.cli\n", "direction", "learn imports cli"),
        ("learn/other/__init__.py", "from pixelproof.benches.toy import Toy\n", "bench", "imports toy"),
        ("benches/toy/_score.py", "from ._commands import main\n", "plugin", "benches.toy._commands"),
    ],
)  # fmt: skip
def test_each_violation_is_found(tmp_path, path, code, rule, what):
    root = tmp_path / "pixelproof"
    for name, text in (SOUND | {path: code}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    broken = {(violation.rule, violation.what) for violation in violations(Package.of(root, frozenset({"toy"})))}
    assert (rule, what) in broken if rule else not broken


def modules_after(code: str) -> set[str]:
    code += "; import sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_is_light():
    assert not modules_after("import pixelproof") & {"numpy", "pyarrow", "inspect_ai", "torch", "rich"}


@pytest.mark.slow
def test_harness_and_command_line_load_neither_inspect_nor_torch():
    loaded = modules_after("import pixelproof.harness, pixelproof.cli, pixelproof.report, pixelproof.world.sets")
    assert not loaded & {"inspect_ai", "torch"}
    assert not loaded & {"fsspec", "s3fs", "botocore", "aiohttp", "ray", "pixelproof.store.remote"}, "only on use"
