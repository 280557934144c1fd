"""Static analysis of a package's imports and string literals, for `test_layers.py`. Nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

LAYERS = (
    "contract", "options", "plugins", "pixels", "metrics", "stats", "store", "web", "world", "nets", "tools", "benches",
    "models", "harness", "envs", "learn", "report", "apps", "cli",
)  # fmt: skip
"""A layer imports itself and the layers before it."""
ABOVE_ALL = {"_api", "__init__", "__main__"}
PLUGIN_FILES = {"_commands": "cli", "_panels": "report"}
"""Files, or folders, of a bench folder or of `learn/` that belong to another layer. Only entry points load them."""
TRAINERS = {"evalmi": "judge", "spatial": "editor", "agent": "agent", "pixelart": "drawing"}
"""Bench → the folder of `learn/` that trains for it, and may therefore name it."""
DOORS = {"inspect_ai": ("harness",), "torch": ("learn",), "training": ()}
"""Library → the layers that may have an import statement of it. `training/` is not distributed, so none has."""


@dataclass(frozen=True, order=True)
class Violation:
    """A broken rule: its name, the file or package, and what is wrong there."""

    rule: str
    where: str
    what: str


@dataclass(frozen=True)
class Module:
    """A source file: its dotted name relative to the package, its imports and its string literals."""

    path: Path
    name: tuple[str, ...]
    """Relative to the package; of an `__init__.py`, the name of its folder."""
    is_package: bool

    @property
    def layer(self) -> str:
        if self.name[:1] == ("benches",) and len(self.name) >= 3:
            return PLUGIN_FILES.get(self.name[2], "benches")
        if self.name[:1] == ("learn",) and len(self.name) == 2:
            return PLUGIN_FILES.get(self.name[1], "learn")
        return self.name[0] if self.name else "__init__"

    @property
    def folder(self) -> tuple[str, ...]:
        return self.name if self.is_package else self.name[:-1]

    @property
    def import_nodes(self) -> list[ast.Import | ast.ImportFrom]:
        return self._content[0]

    @property
    def literals(self) -> set[str]:
        """String literals other than docstrings and strings that stand alone, which document what is before them."""
        return self._content[1]

    @cached_property
    def _content(self) -> tuple[list[ast.Import | ast.ImportFrom], set[str]]:
        """Import statements and string literals; the rest of the syntax tree, most of all memory, is dropped."""
        imports, literals, alone = [], set(), set()
        tree = ast.parse(self.path.read_text("utf-8"))
        for node in ast.walk(tree):  # parents first
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.append(node)
            elif isinstance(node, ast.Expr):
                alone.add(id(node.value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
                literals.add(node.value)
        return imports, literals


@dataclass(frozen=True)
class Package:
    """All source files below a folder, as a package."""

    root: Path
    benches: frozenset[str] = frozenset()
    """Names of the benches whose folders are in it."""
    modules: Mapping[tuple[str, ...], Module] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path, benches: frozenset[str] = frozenset()) -> Package:
        modules = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = parts[:-1] if is_package else parts
            modules[name] = Module(path, name, is_package)
        return cls(root, benches, modules)

    def imports(self, module: Module) -> list[tuple[str, ...]]:
        """Dotted names, relative to the package, of what a module imports from it, wherever in the file.

        Imports inside functions and under `TYPE_CHECKING` count: both make one file depend on another for whoever
        reads or moves it, and the first kind is how cycles are hidden.
        """
        return self._imports[module.name]

    @cached_property
    def _imports(self) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
        """Module → what it imports from this package."""
        imports: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for module in self.modules.values():
            names = imports[module.name] = []
            for base, of_base in _import_statements(module, self.root.name):
                if base[:1] == (self.root.name,):
                    names.extend([(*base[1:], name) for name in of_base] if of_base else [base[1:]])
        return imports

    def target(self, name: tuple[str, ...]) -> tuple[str, ...] | None:
        """The module that defines an imported name; names that an `__init__.py` re-exports are followed."""
        for _ in range(20):
            if name in self.modules:
                return name
            owner = name[:-1]
            if owner not in self.modules:
                return None
            if not self.modules[owner].is_package:
                return owner
            exported = self._exports[owner].get(name[-1])
            if exported is None:
                return owner
            name = exported
        return None

    @cached_property
    def _exports(self) -> dict[tuple[str, ...], dict[str, tuple[str, ...]]]:
        """Package → the names that its `__init__.py` imports from this package."""
        exports: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        for package, module in self.modules.items():
            if module.is_package:
                names = exports[package] = {}
                for node in module.import_nodes:
                    if isinstance(node, ast.ImportFrom):
                        base = _absolute(node, module, self.root.name)
                        if base[:1] == (self.root.name,):
                            names |= {alias.asname or alias.name: (*base[1:], alias.name) for alias in node.names}
        return exports

    def shown(self, module: Module) -> str:
        return module.path.relative_to(self.root).as_posix()


def _import_statements(module: Module, root: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    for node in module.import_nodes:
        if isinstance(node, ast.Import):
            yield from ((tuple(alias.name.split(".")), []) for alias in node.names)
        else:
            yield _absolute(node, module, root), [alias.name for alias in node.names]


def _absolute(node: ast.ImportFrom, module: Module, root: str) -> tuple[str, ...]:
    base = tuple((node.module or "").split(".")) if node.module else ()
    if not node.level:
        return base
    folder = (root, *module.folder)
    return folder[: len(folder) - node.level + 1] + base


def violations(package: Package) -> set[Violation]:
    """All broken rules of a package."""
    rules = (wrong_direction, private_imports, cycles, closed_doors, bench_names, plugin_imports, trainer_imports)
    return {violation for rule in rules for violation in rule(package)}


def wrong_direction(package: Package) -> Iterator[Violation]:
    """Imports of a later layer, and files that are in no layer."""
    for module in package.modules.values():
        if module.layer in ABOVE_ALL:
            continue
        if module.layer not in LAYERS:
            yield Violation("layer", package.shown(module), f"{module.layer} is no layer")
            continue
        for name in package.imports(module):
            target = (package.target(name) or name[:1] or ("__init__",))[:1] or ("__init__",)
            if target[0] in ABOVE_ALL or LAYERS.index(target[0]) > LAYERS.index(module.layer):
                yield Violation("direction", package.shown(module), f"{module.layer} imports {target[0]}")


def _unit(name: tuple[str, ...]) -> tuple[str, ...]:
    """What may share private names: a layer, or a folder of `benches/`."""
    return name[:2] if name[:1] == ("benches",) and len(name) > 2 else name[:1]


def private_imports(package: Package) -> Iterator[Violation]:
    """Imports of private modules and names of another layer, or of another folder of `benches/`."""
    for module in package.modules.values():
        if module.layer in ABOVE_ALL:
            continue
        own = _unit((*module.name, "__init__") if module.is_package else module.name)
        for name in package.imports(module):
            private = [part for part in name if part.startswith("_") and not part.startswith("__")]
            if private and name[: len(own)] != own:
                yield Violation("private", package.shown(module), ".".join(name))


def cycles(package: Package) -> Iterator[Violation]:
    """Groups of sub-packages and modules of one folder that import each other in a circle."""
    edges: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for module in package.modules.values():
        if module.layer != (module.name or ("__init__",))[0]:
            continue  # a plug-in file belongs to a later layer, and nothing imports it
        for name in package.imports(module):
            target = package.target(name)
            if target is None:
                continue
            common = 0
            while common < min(len(module.name), len(target)) and module.name[common] == target[common]:
                common += 1
            if common < min(len(module.name), len(target)):
                graph = edges.setdefault(module.name[:common], {})
                graph.setdefault(module.name[common], set()).add(target[common])
    for folder, graph in edges.items():
        for group in _circles(graph):
            yield Violation("cycle", "/".join(folder), " ".join(sorted(group)))


def _circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Strongly connected components of two or more nodes."""
    reach = {node: _reachable(graph, node) for node in graph}
    groups = {frozenset(other for other in reach[node] if node in reach.get(other, ())) for node in graph}
    return {group for group in groups if len(group) > 1}


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    todo = [start]
    while todo:
        new = graph.get(todo.pop(), set()) - reached
        reached |= new
        todo.extend(new)
    return reached


def closed_doors(package: Package) -> Iterator[Violation]:
    """Import statements of a library outside of the layers that may have one."""
    for module in package.modules.values():
        for base, _ in _import_statements(module, package.root.name):
            if module.layer not in DOORS.get(base[0] if base else "", (module.layer,)):
                yield Violation("door", package.shown(module), base[0])


def trainer_imports(package: Package) -> Iterator[Violation]:
    """Imports of `learn/` from outside of it: its command is loaded by an entry point, and loads the loops."""
    for module in package.modules.values():
        if module.name[:1] != ("learn",) and any(name[:1] == ("learn",) for name in package.imports(module)):
            yield Violation("trainer", package.shown(module), "imports learn")


def bench_names(package: Package) -> Iterator[Violation]:
    """Imports of a bench, and string literals equal to its name, outside its folder and its trainer."""
    for bench in package.benches:
        homes = (("benches", bench), ("learn", TRAINERS.get(bench, bench)))
        for module in package.modules.values():
            if module.name[:2] in homes:
                continue
            if any(name[:2] == homes[0] for name in package.imports(module)):
                yield Violation("bench", package.shown(module), f"imports {bench}")
            if bench in module.literals:
                yield Violation("bench", package.shown(module), f"names {bench}")


def plugin_imports(package: Package) -> Iterator[Violation]:
    """Imports of files that only entry points may load."""
    for module in package.modules.values():
        for name in package.imports(module):
            target = package.target(name)
            own_folder = target is not None and len(target) > 3 and module.name[:3] == target[:3]
            if target and package.modules[target].layer != target[0] and not own_folder:
                yield Violation("plugin", package.shown(module), ".".join(target))
