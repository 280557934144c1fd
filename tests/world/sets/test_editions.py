"""Editions of worlds: a set names its edition, and a set of another edition is refused."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_features__

from pixelproof.contract import PixelProofError
from pixelproof.store import digest
from pixelproof.world.sets import (
    changed_software,
    check_set,
    freeze_set,
    load_manifest,
    make_set,
    read_card,
    read_set,
    recipe_class,
    software,
    verify_manifest,
)

Flat = recipe_class("flat")
FLAT = Flat("flat", 7, width=160, height=160, things=3)
GOLDEN = Path(__file__).with_name("editions.json")
"""For each kind: its edition, a recipe, the software that rendered it, and digests of the first items."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("editions") / "set"
    make_set(FLAT, 2, directory, workers=1)
    return directory


@pytest.fixture
def manifest(made, tmp_path):
    path = tmp_path / "flat-v1.json"
    freeze_set(made, "flat-v1", path)
    return path


def rewrite(path, change):
    """Change a manifest and seal it again, as another version would have written it."""
    data = json.loads(path.read_text())
    items, _ = data.pop("items"), data.pop("seal")
    change(data)
    path.write_text(json.dumps(data | {"seal": digest(data), "items": items}))


def test_cards_and_manifests_name_the_edition(made, manifest):
    assert read_card(made).edition == json.loads(manifest.read_text())["edition"] == Flat.edition


def test_files_without_an_edition_are_of_edition_one(made, manifest):
    rewrite(manifest, lambda data: data.pop("edition"))
    assert list(verify_manifest(manifest, workers=1)) == []
    card = json.loads((made / "card.json").read_text())
    del card["edition"]
    (made / "card.json").write_text(json.dumps(card))
    assert read_card(made).edition == 1 and list(check_set(made, workers=1)) == []


def test_the_edition_is_sealed(manifest):
    data = json.loads(manifest.read_text()) | {"edition": 2}
    manifest.write_text(json.dumps(data))
    with pytest.raises(PixelProofError, match="not an intact manifest"):
        load_manifest(manifest)


def test_a_manifest_of_another_edition_is_refused_with_the_version_that_makes_it(manifest):
    rewrite(manifest, lambda data: data.update(edition=2, software=data["software"] | {"pixelproof": "9.8.7"}))
    for use in (load_manifest, changed_software, lambda path: list(verify_manifest(path, workers=1))):
        with pytest.raises(
            PixelProofError, match=r"edition 2 of the kind 'flat'.*edition 1: install pixelproof==9\.8\.7"
        ):
            use(manifest)


def test_a_set_of_another_edition_can_be_read_but_not_continued_or_checked(made, monkeypatch):
    monkeypatch.setattr(Flat, "edition", 2)
    assert len(read_set(made)) == 2 and read_set(made)[0][1]["rgb"].shape == (160, 160, 3)
    for use in (lambda: make_set(FLAT, 3, made, workers=1), lambda: list(check_set(made, workers=1))):
        with pytest.raises(PixelProofError, match="edition 1 of the kind 'flat'.*has edition 2: install"):
            use()


def recipe_of(kind, given):
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return recipe_class(kind)(kind=kind, **given | lists)


def rendered(kind, given, count=2):
    """Digests of the first items of a recipe."""
    recipe = recipe_of(kind, given)
    items = [recipe.render(index, recipe.item(index)) for index in range(count)]
    return recipe, [digest({"scene": item.json, **item.arrays}) for item in items]


def entries():
    return json.loads(GOLDEN.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind if kind in ("flat", "clip") else pytest.param(kind, marks=pytest.mark.slow) for kind in entries()]
)
def test_the_same_edition_gives_the_same_bytes(kind):
    """If this fails on purpose, raise the edition of the kind and run `python tests/world/sets/test_editions.py`."""
    entry = entries()[kind]
    here = _versions(kind, entry["recipe"])
    if here != entry["software"]:
        pytest.skip(
            "recorded with other versions: " + str({k: v for k, v in here.items() if entry["software"].get(k) != v})
        )
    count = 1 if kind in ("tabletop-clip", "collage") else 2  # those take seconds
    recipe, digests = rendered(kind, entry["recipe"], count)
    assert (recipe.edition, digests) == (entry["edition"], entry["digests"][:count])


def _versions(kind, given):
    """Versions that must be equal for the bytes to be; solid things also depend on the instructions of the CPU."""
    recipe = recipe_of(kind, given)
    versions = {name: version for name, version in software(recipe).items() if name not in ("code", "pixelproof")}
    return versions | ({"simd": digest(__cpu_features__)} if "solid" in recipe.code else {})


def record(kinds):
    """Record all kinds, or some."""
    given = {
        "flat": {"seed": 7, "width": 256, "height": 256},
        "clip": {"seed": 7, "width": 256, "height": 256, "frames": 6, "movers": 2},
        "tabletop": {"seed": 7, "width": 64, "height": 48},
        "room": {"seed": 7, "width": 64, "height": 48},
        "shelf": {"seed": 7, "width": 64, "height": 48},
        "tabletop-clip": {"seed": 7, "width": 48, "height": 48, "frames": 6},
        "collage": {"seed": 7, "width": 64, "height": 64, "cutouts": "solid"},
        "pair": {"seed": 7, "width": 64, "height": 64, "operations": ["receptacle", "viewpoint"]},
    }
    golden = entries()
    for kind, wish in given.items() if not kinds else ((kind, given[kind]) for kind in kinds):
        wish = wish | {"layers": list(recipe_of(kind, wish).layers)}
        recipe, digests = rendered(kind, wish)
        values = {name: value for name, value in asdict(recipe).items() if name in wish}
        golden[kind] = {
            "edition": recipe.edition,
            "recipe": values,
            "software": _versions(kind, wish),
            "digests": digests,
        }
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:])
