"""Calls of tools: schemas, canonical arguments, and errors for everything else."""

import json
import math

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import Call
from pixelproof.tools import GRID, NAMES, TOOLS, ErrorCode, ToolError, parse_call

SCHEMAS = {tool.name: dict(tool.parameters) for tool in TOOLS}
VALID = {
    "ZOOM": {"box": [0, 0, 500, 500]},
    "SEG": {"point": [10, 1000]},
    "PROP": {"ref": "0123456789ab"},
    "OCR": {"box": [1, 2, 3, 4], "frame": 3},
    "TRK": {"box": [1, 2, 3, 4], "t0": 0, "t1": 7},
    "TEMP": {"t0": 0, "t1": 7, "n": 2},
}


def code_of(tool, arguments):
    with pytest.raises(ToolError) as caught:
        parse_call(Call("1", tool, arguments))
    assert caught.value.message.endswith((".", "!")) and len(caught.value.message) < 400
    return caught.value.code


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_valid_and_allow_canonical_arguments(tool):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[tool.name])
    args = parse_call(Call("1", tool.name, VALID[tool.name])).args
    jsonschema.validate(args, SCHEMAS[tool.name])
    assert tool.about.endswith(".") and SCHEMAS[tool.name]["additionalProperties"] is False


def test_one_meaning_has_one_canonical_form():
    forms = [
        '{"frame": 0, "box": [0, 0, 500, 500]}',
        '{"box": [0.0, 0, 5e2, 500]}',
        {"box": (0, 0, 500, 500), "frame": None},
        {"box": [0, 0, 500, 500]},
    ]
    parsed = {json.dumps(parse_call(Call("1", name, form)).args) for form in forms for name in ("ZOOM", " zoom")}
    assert parsed == {'{"box": [0, 0, 500, 500], "frame": 0}'}


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("ZOOM", "{box: 1", ErrorCode.BAD_JSON),
        ("ZOOM", "[1, 2]", ErrorCode.BAD_JSON),
        ("ZOOM", "[" * 100_000, ErrorCode.BAD_JSON),
        ("ZOOM", '{"box": [0, 0, 1' + "0" * 30_000 + ", 1]}", ErrorCode.BAD_JSON),
        ("ZOOM", 7, ErrorCode.BAD_JSON),
        ("ZOOMS", {}, ErrorCode.UNKNOWN_TOOL),
        ("", {}, ErrorCode.UNKNOWN_TOOL),
        (None, {}, ErrorCode.UNKNOWN_TOOL),
        ("ZOOM", {}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, 1, 1], "zoom": 3}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, 1, 1], 3: 3}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": "0,0,1,1"}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, 0.5, 0.5]}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, math.nan, 1]}, ErrorCode.BAD_ARGS),
        ("ZOOM", '{"box": [0, 0, NaN, 1]}', ErrorCode.BAD_ARGS),
        ("ZOOM", '{"box": [0, 0, 1e999, 1]}', ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, True, 1]}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [500, 0, 500, 9]}, ErrorCode.BAD_ARGS),
        ("ZOOM", {"box": [0, 0, 1001, 1]}, ErrorCode.OUT_OF_BOUNDS),
        ("ZOOM", {"box": [0, 0, 10**6000, 1]}, ErrorCode.OUT_OF_BOUNDS),
        ("ZOOM", {"box": [0, 0, 9, 9], "frame": -1}, ErrorCode.OUT_OF_BOUNDS),
        ("SEG", {}, ErrorCode.BAD_ARGS),
        ("SEG", {"point": [1, 2, 3]}, ErrorCode.BAD_ARGS),
        ("PROP", {"ref": 12}, ErrorCode.BAD_ARGS),
        ("PROP", {"ref": "abcdef", "keys": ["weight"]}, ErrorCode.BAD_ARGS),
        ("TRK", {"t1": 3}, ErrorCode.BAD_ARGS),
        ("TRK", {"t1": 3, "box": [0, 0, 9, 9]}, ErrorCode.BAD_ARGS),
        ("TRK", {"t1": 3, "box": [0, 0, 9, 9], "ref": "abcdef", "t0": 0}, ErrorCode.BAD_ARGS),
        ("TEMP", {"t0": 10**6000, "t1": 2}, ErrorCode.OUT_OF_BOUNDS),
        ("TEMP", {"t0": 3, "t1": 2}, ErrorCode.BAD_ARGS),
        ("TEMP", {"t0": 0, "t1": 2, "n": 5}, ErrorCode.BAD_ARGS),
    ],
)  # fmt: skip
def test_each_error_has_its_code(tool, arguments, code):
    assert code_of(tool, arguments) is code


numbers = st.integers() | st.floats() | st.integers(0, GRID)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["box", "point", "frame", "t0", "t1", "n", "ref", "keys"]) | st.text(max_size=4)
boxes = st.lists(numbers, min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NAMES) | st.text(max_size=6), st.dictionaries(names, values | boxes, max_size=4) | st.text())
def test_anything_is_either_canonical_or_an_error(tool, arguments):
    try:
        parsed = parse_call(Call("1", tool, arguments))
    except ToolError as error:
        assert error.code in tuple(ErrorCode) and error.message
        return
    jsonschema.validate(parsed.args, SCHEMAS[parsed.tool])
    again = parse_call(Call("2", parsed.tool, json.dumps(parsed.args)))
    assert again == parsed, "canonical arguments are their own canonical form"
