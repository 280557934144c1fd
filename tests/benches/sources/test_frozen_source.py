import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import digest


def numbers(seed, count):
    return [int(generator(seed, "numbers", index).integers(1000)) for index in range(count)]


def content_hash(index, number):
    return digest([item_id("toy", "toy-v1", 1, index), number])


def frozen(path, edition=1, count=6):
    source = FrozenSource(path, edition)
    hashes = {item_id("toy", "toy-v1", 1, i): content_hash(i, n) for i, n in enumerate(numbers(3, count))}
    source.freeze("toy-v1", 3, hashes)
    return source


def test_items_are_generated_from_the_seed_and_verified(tmp_path):
    source = frozen(tmp_path / "toy-v1.json")
    assert list(source.items(numbers, content_hash)) == numbers(3, 6)
    assert list(source.items(numbers, content_hash, 2)) == numbers(3, 2)
    assert list(source.items(numbers, content_hash, 99)) == numbers(3, 6)


@given(st.integers(0, 5), st.integers(1, 999))
def test_any_changed_item_is_refused_when_it_is_reached(tmp_path_factory, place, change):
    source = frozen(tmp_path_factory.mktemp("frozen") / "toy-v1.json")

    def other(seed, count):
        return [n + change * (index == place) for index, n in enumerate(numbers(seed, count))]

    given_out = []
    with pytest.raises(PixelProofError, match=f"Item {place} of toy-v1 differs from the frozen one"):
        given_out.extend(source.items(other, content_hash))
    assert list(source.items(other, content_hash, place)) == numbers(3, place)


def test_a_set_of_another_edition_is_refused_before_anything_is_generated(tmp_path):
    frozen(tmp_path / "toy-v1.json", edition=2)
    newer = FrozenSource(tmp_path / "toy-v1.json", 3)

    def never(seed, count):
        raise AssertionError("nothing may be generated")

    with pytest.raises(PixelProofError, match=r"edition 2.*generates edition 3: install pixelproof==\d"):
        list(newer.items(never, content_hash))


def test_manifests_without_an_edition_are_of_the_first(tmp_path):
    path = tmp_path / "toy-v1.json"
    source = frozen(path)
    facts = json.loads(path.read_text())
    del facts["edition"], facts["pixelproof"]
    path.write_text(json.dumps(facts))
    assert list(source.items(numbers, content_hash)) == numbers(3, 6)
    with pytest.raises(PixelProofError, match="install the version of pixelproof that it was published with"):
        list(FrozenSource(path, 2).items(numbers, content_hash))


def test_an_edited_manifest_is_refused(tmp_path):
    source = frozen(tmp_path / "toy-v1.json")
    source.path.write_text(source.path.read_text().replace('"seed": 3', '"seed": 4'))
    with pytest.raises(PixelProofError, match="was changed"):
        list(source.items(numbers, content_hash))


@given(st.integers(0, 10**7), st.integers(1, 6))
def test_ids_of_numbers_sort_in_order_and_names_are_kept(index, digits):
    one, other = (item_id("b", "s", 1, n, digits=8) for n in (index, index + 1))
    assert one < other and int(item_id("b", "s", 1, index, digits=digits).rpartition("/")[2]) == index
    assert item_id("b", "s", "2", "day/a") == "b/s/2/day/a"
