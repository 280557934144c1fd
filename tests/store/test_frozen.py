import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.store import FrozenSet, digest, freeze

DIGESTS = {f"bench/set-v1/1/{index:04d}": digest(index) for index in range(5)}


def test_what_is_frozen_is_read_back_and_checks(tmp_path):
    made = freeze(tmp_path / "set.json", "set-v1", 7, DIGESTS)
    read = FrozenSet.load(tmp_path / "set.json")
    assert read == made and len(read) == 5 and read.seed == 7 and dict(read.items) == DIGESTS
    assert read.digest == made.digest != replace(made, seed=8).digest
    for index, value in enumerate(DIGESTS.values()):
        read.check(index, value)


@pytest.mark.parametrize(("index", "value"), [(0, digest(1)), (4, ""), (5, digest(5)), (-1, digest(4)), (99, "")])
def test_other_content_is_refused_in_one_sentence(tmp_path, index, value):
    frozen = freeze(tmp_path / "set.json", "set-v1", 7, DIGESTS)
    with pytest.raises(PixelProofError, match=f"Item {index} of set-v1 differs from the frozen one") as error:
        frozen.check(index, value)
    assert str(error.value).endswith(".") and ". " not in str(error.value)


def change(data, name):
    if name == "seed":
        data["seed"] += 1
    elif name == "order":
        data["items"] = dict(reversed(data["items"].items()))
    elif name == "item":
        data["items"][next(iter(data["items"]))] = digest("other")
    elif name == "fewer":
        data["items"].popitem()
    else:
        data["name"] = "set-v2"
    return data


@pytest.mark.parametrize("name", ["seed", "order", "item", "fewer", "name"])
def test_a_manifest_that_was_edited_is_refused(tmp_path, name):
    path = tmp_path / "set.json"
    freeze(path, "set-v1", 7, DIGESTS)
    path.write_text(json.dumps(change(json.loads(path.read_text()), name)))
    with pytest.raises(PixelProofError, match="was changed after it was made: reinstall"):
        FrozenSet.load(path)


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "[]",
        "{}",
        '{"name": "a", "seed": "x", "items": {}, "sha256": ""}',
        '{"name": 1, "seed": 1, "items": [1], "sha256": ""}',
        b"\xff",
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path, content):
    path = tmp_path / "set.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PixelProofError, match="reinstall pixelproof"):
        FrozenSet.load(path)


@pytest.mark.parametrize("name", ["name", "seed", "items", "sha256"])
def test_a_manifest_that_lacks_something_says_what(tmp_path, name):
    path = tmp_path / "set.json"
    freeze(path, "set-v1", 7, DIGESTS)
    path.write_text(json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != name}))
    with pytest.raises(
        PixelProofError, match=rf"set\.json is damaged \('{name}' is missing\): reinstall pixelproof\.$"
    ):
        FrozenSet.load(path)


@given(st.text(), st.integers(), st.dictionaries(st.text(), st.text()))
def test_any_names_survive(tmp_path_factory, name, seed, digests):
    path = tmp_path_factory.mktemp("frozen") / "set.json"
    made = freeze(path, name, seed, digests)
    assert FrozenSet.load(path) == made
