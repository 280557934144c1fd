"""Count what may only fall: names that say nothing, untyped look-ups, private imports in tests.

    python .ci/house.py               a table
    python .ci/house.py --list NAME   file:line of every hit of one count
    python .ci/house.py --check       fail if a file has more hits than .ci/house.json says, or fewer (see --write)
    python .ci/house.py --write       write .ci/house.json, unless a total rises

A new file has no hits. Where files are renamed or merged, write the baseline again in the same commit.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE, TESTS = (Path("src/pixelproof"), Path("training")), Path("tests")
BASELINE = Path(".ci/house.json")
LONG_FUNCTION, LONG_FILE, MANY_PARAMETERS = 60, 500, 6
IRREGULAR_PARTICIPLES = set(
    "begun bent born borne bound broken brought built burnt bought caught chosen done drawn driven drunk eaten fallen "
    "fed felt flown forgotten found frozen given gone grown heard held hidden kept known laid led left lent lost made "
    "meant met paid quoted risen said seen sent sewn shaken shone shown slept sold spent spoken spun stood struck "
    "stuck sung sunk swept taken taught thought thrown told torn understood won woven worn written".split()
)
NO_PARTICIPLES = set(
    "bed feed need seed speed shed embed red run set cut come hundred indeed unified exceed proceed".split()
)
FILLERS = set("found one told taken given thing things other another made kept held those these it them".split())
UNTYPED = re.compile(r"\b(?:dict|Mapping|MutableMapping)\[str, (?:Any|object)\]")
EMPTY = re.compile(r"\{\}|\[\]|set\(\)|dict\(\)|(?:Weak\w+|defaultdict|OrderedDict|deque|Counter)\(")
SHARED = re.compile(r"(?:threading\.)?(?:R?Lock|Condition|local)\(|ContextVar[\[(]")

Hit = tuple[str, int, str]
"""Name of the count, line, and what is there."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_participle(word: str) -> bool:
    """Whether a word is a past participle; the name of a function that returns something is a verb."""
    return word not in NO_PARTICIPLES and (word in IRREGULAR_PARTICIPLES or (len(word) > 4 and word.endswith("ed")))


def hits_of_function(node: Function) -> Iterator[Hit]:
    """Length, parameters, its own name and those of its local variables."""
    if (node.end_lineno or node.lineno) - node.lineno >= LONG_FUNCTION:
        yield "functions over 60 lines", node.lineno, node.name
    parameters = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if len(parameters) - (parameters[:1] in (["self"], ["cls"])) > MANY_PARAMETERS:
        yield "functions with more than 6 positional parameters", node.lineno, node.name
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    first, _, rest = node.name.strip("_").partition("_")
    if is_participle(first) and not any(name.endswith(("property", ".setter")) for name in decorators):
        yield (
            f"functions named by a {'phrase with a participle' if rest else 'bare participle'}",
            node.lineno,
            node.name,
        )
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in FILLERS:
            yield "filler names", part.lineno, part.id


def hits_of_node(node: ast.AST) -> Iterator[Hit]:
    """Look-ups by string, branches on types and names of sources, long calls."""
    match node:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))) if _is_card(value):
            yield "run card look-ups by string", node.lineno, key
        case ast.Subscript(value=ast.Attribute(attr="inputs" | "truth"), slice=ast.Constant()):
            yield "item.inputs / item.truth look-ups by string", node.lineno, ast.unparse(node)
        case ast.Call(
            func=ast.Attribute(value=value, attr="get" | "setdefault" | "pop"), args=[ast.Constant(value=key), *_]
        ):
            if _is_card(value):
                yield "run card look-ups by string", node.lineno, str(key)
        case ast.Call(func=ast.Name(id="isinstance"), args=[first, kind]) if ast.unparse(first).endswith(".truth"):
            yield "isinstance on a truth", node.lineno, ast.unparse(kind)
        case ast.Compare(left=left, comparators=others):
            if any(re.search(r"source\.name$", ast.unparse(side)) for side in (left, *others)):
                yield "comparisons of a source's name", node.lineno, ast.unparse(node)
        case ast.Global():
            yield "module-level mutable state", node.lineno, "global"
    if isinstance(node, ast.Call) and len(node.args) >= 8 and not any(isinstance(a, ast.Starred) for a in node.args):
        yield "calls with 8 or more positional arguments", node.lineno, ast.unparse(node.func)


def _is_card(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name == "card" or name.endswith("_card")


def hits_of_module(tree: ast.Module) -> Iterator[Hit]:
    """Mutable state and caches of a module."""
    for statement in tree.body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and value is not None:
            text = ast.unparse(value)
            if EMPTY.match(text) or SHARED.match(text):
                yield "module-level mutable state", statement.lineno, text
        for decorator in getattr(statement, "decorator_list", ()):
            if re.match(r"(?:functools\.)?(?:lru_)?cache\b", ast.unparse(decorator)):
                yield "module-level caches", statement.lineno, getattr(statement, "name", "")


def hits_of_source(text: str) -> Iterator[Hit]:
    """All hits of a source file."""
    lines = text.split("\n")
    if len(lines) > LONG_FILE:
        yield "files over 500 lines", len(lines), ""
    for number, line in enumerate(lines, 1):
        yield from (("untyped mappings in annotations", number, "") for _ in UNTYPED.finditer(line))
        yield from ((mark, number, "") for mark in ("type: ignore", "noqa") if f"# {mark}" in line)
    tree = ast.parse(text)
    yield from hits_of_module(tree)
    for node in ast.walk(tree):
        yield from hits_of_node(node)
        if isinstance(node, Function):
            yield from hits_of_function(node)


def hits_of_test(text: str) -> Iterator[Hit]:
    """Imports of private modules and names."""
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        private = [name for name in names if re.match(r"pixelproof\.(?:.*\.)?_(?!_)", name)]
        if private:
            yield "private imports in tests", getattr(node, "lineno", 0), private[0]


def count() -> dict[str, list[tuple[str, int, str]]]:
    """Count → its hits, as file, line and what is there."""
    hits: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
    files = [(path, hits_of_source) for root in SOURCE for path in sorted(root.rglob("*.py"))]
    for path, hits_of in [*files, *((path, hits_of_test) for path in sorted(TESTS.rglob("*.py")))]:
        for name, line, text in hits_of(path.read_text("utf-8")):
            hits[name].append((path.as_posix(), line, text))
    return dict(sorted(hits.items()))


def main() -> int:
    """Print a table or hits, or compare with the baseline."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="NAME", help="file:line of every hit of one count")
    parser.add_argument("--check", action="store_true", help="compare with the baseline")
    parser.add_argument("--write", action="store_true", help="write the baseline, unless a total rises")
    options = parser.parse_args()
    hits = count()
    if options.list:
        print("\n".join(f"{path}:{line} {text}" for path, line, text in hits.get(options.list, ())) or ", ".join(hits))
        return 0
    now = {name: dict(sorted(Counter(path for path, _, _ in places).items())) for name, places in hits.items()}
    totals = {name: sum(files.values()) for name, files in now.items()}
    if not (options.check or options.write):
        print("\n".join(f"{name:50} {total}" for name, total in totals.items()))
        return 0
    before: dict[str, dict[str, int]] = json.loads(BASELINE.read_text()) if BASELINE.exists() else now
    risen = [
        f"{name}: {sum(before.get(name, {}).values())} → {total}; --list {name!r} shows where"
        for name, total in totals.items()
        if total > sum(before.get(name, {}).values())
    ]
    if options.write and not risen:
        BASELINE.write_text(json.dumps(now, indent=1) + "\n")
        return 0
    places = {(name, path) for counted in (before, now) for name, files in counted.items() for path in files}
    changes = [(name, path, before.get(name, {}).get(path, 0), now.get(name, {}).get(path, 0)) for name, path in places]
    lines = [f"{path}: {name}: {old} → {new}" for name, path, old, new in sorted(changes) if new > old]
    if not lines and not risen and any(new < old for _, _, old, new in changes):
        lines = ["Counts have fallen: run 'python .ci/house.py --write' and commit .ci/house.json."]
    print("\n".join([*risen, *lines]) or "No count has risen.")
    return bool(risen or lines)


if __name__ == "__main__":
    sys.exit(main())
