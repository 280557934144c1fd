import math
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import Artefact, Fault
from pixelproof.store import digest

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
plain = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner), max_leaves=12
)


def canonical(obj):
    """Equal exactly if two contents are equal, with types; written differently from the code under test."""
    if isinstance(obj, dict):
        return "dict", frozenset((canonical(key), canonical(value)) for key, value in obj.items())
    if isinstance(obj, list | tuple):
        return "list", tuple(canonical(value) for value in obj)
    if isinstance(obj, float):
        return "float", "nan" if math.isnan(obj) else obj.hex()
    return type(obj).__name__, obj


@pytest.mark.slow
@given(plain, plain)
def test_equal_exactly_if_the_content_is(one, other):
    assert (digest(one) == digest(other)) == (canonical(one) == canonical(other))


@given(st.dictionaries(st.text(), leaves, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_a_dict_does_not_matter(content, random):
    items = list(content.items())
    random.shuffle(items)
    assert digest(dict(items)) == digest(content) == digest(MappingProxyType(content))


@given(st.lists(st.binary() | st.text(), max_size=4), st.lists(st.binary() | st.text(), max_size=4))
def test_parts_do_not_run_into_one_another(one, other):
    assert (digest(one) == digest(other)) == (one == other)
    assert digest([one, other]) != digest([*one, *other])


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True)
class Vector:
    x: int
    y: int = 0


def test_dataclasses_by_name_and_fields():
    assert digest(Point(1)) == digest(Point(1, 0))
    assert len({digest(Point(1)), digest(Point(2)), digest(Vector(1)), digest({"x": 1, "y": 0})}) == 4
    assert digest(Artefact(b"a")) == digest(Artefact(b"a")) != digest(Artefact(b"a", "image/jpeg"))
    touched = Artefact(b"a")
    assert touched.sha256 and digest(touched) == digest(Artefact(b"a"))


def test_arrays_by_value_shape_and_type():
    grid = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert digest(grid) == digest(np.asfortranarray(grid)) == digest(grid.astype(">i4")) == digest(grid[::-1][::-1])
    others = [grid.T, grid.astype(np.int64), grid.reshape(3, 2), grid + 1, grid.tolist(), grid.astype(np.uint32)]
    assert len({digest(other) for other in [grid, *others]}) == 7
    assert (
        digest(np.float64(0.5)) == digest(0.5) and digest(np.int8(3)) == digest(3) and digest(np.True_) == digest(True)
    )
    assert digest(Fault.MODEL) == digest("model")


@pytest.mark.parametrize("obj", [{1, 2}, object(), Point, np.array([object()]), [{"a": lambda: 0}], 1j])
def test_what_has_no_content_is_a_type_error(obj):
    with pytest.raises(TypeError, match="no canonical form"):
        digest(obj)


CONTENT = {"b": [1, 2.5, None, True], "a": (b"\0", "é"), 3: {"x": -1}}
GOLDEN = "8e0a7a5ab4255f1bd7c5f96203059dc8e9adce7667e6807b2181b78b31f55d91"


@pytest.mark.slow
def test_stable_across_processes_and_versions():
    assert digest(CONTENT) == GOLDEN
    code = f"from pixelproof.store import digest; print(digest({CONTENT!r}))"
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        assert run.stdout.strip() == GOLDEN


@dataclass(frozen=True)
class Constant:
    name: str
    parts: tuple = ()


@dataclass(frozen=True)
class Holder:
    values: list


def test_hashes_are_kept_with_constants_only():
    constant, holder, mixed = Constant("a", (1, (2.0, None))), Holder([1]), Constant("a", ([1],))
    before = [digest(constant), digest(holder), digest(mixed)]
    assert digest(constant) == digest(Constant("a", (1, (2.0, None)))) == before[0]
    assert digest(constant) != digest(Constant("a", (True, (2.0, None))))
    assert replace(constant, name="b") != constant and digest(replace(constant, name="b")) != before[0]
    holder.values.append(2)
    mixed.parts[0].append(2)
    assert digest(holder) != before[1] and digest(mixed) != before[2]
    assert pickle.loads(pickle.dumps(constant)) == constant
