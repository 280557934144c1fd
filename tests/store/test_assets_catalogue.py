"""The catalogue itself: complete, consistent, and silent about hosts."""

import json
import re

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import Carrier, assets, get_asset, verify_asset
from pixelproof.store._catalogue import MANIFEST

SPDX = {
    "Apache-2.0", "MIT", "CC0-1.0", "GPL-2.0-or-later", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "OFL-1.1", "LicenseRef-free-for-any-use",
}  # fmt: skip
EVERY = sorted(assets().values(), key=lambda asset: asset.name)


def test_names_are_unique_and_can_be_folders():
    names = [entry["name"] for entry in json.loads(MANIFEST.read_text("utf-8"))]
    assert len(set(names)) == len(names) == len(assets())
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.-]+", name) for name in names)


@pytest.mark.parametrize("asset", EVERY, ids=lambda asset: asset.name)
def test_an_entry_is_complete(asset):
    assert set(asset.licence.split(" AND ")) <= SPDX
    assert re.fullmatch("[0-9a-f]{64}", asset.sha256) and asset.size > 0 and asset.files > 0
    assert len(asset.about) <= 120 and asset.terms.endswith(".") and asset.project
    assert "://" not in repr(asset)
    assert any(source.kind != "installed" for source in asset.sources)
    for source in asset.sources:
        assert source.words and source.parts >= 1
        if source.kind == "installed":
            assert asset.file
            continue
        assert source.size > 0 and source.archive() and "{" not in "".join(part.archive() for part in source.each())
        if source.kind == "hub":
            assert re.fullmatch("[0-9a-f]{40}", source.revision), "a branch may change under us"
            assert asset.file == source.file and source.size == asset.size
        else:
            assert source.version and all(folder == "" or folder.endswith("/") for folder in source.take)


@pytest.mark.parametrize(
    ("source", "member", "place"),
    [
        (Carrier("npm", take={"package/": ["LICENSE"], "package/svg/": ["*.svg"]}), "package/LICENSE", "LICENSE"),
        (Carrier("npm", take={"package/": ["LICENSE"], "package/svg/": ["*.svg"]}), "package/svg/a/b.svg", "a/b.svg"),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}), "package/svg.svg", None),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}), "other/package/svg/a.svg", None),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}, skip=["x.svg", "x-*.svg"]), "package/svg/x-1.svg", None),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}, skip=["x.svg"]), "package/svg/xx.svg", "xx.svg"),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}), "package/svg/.hidden.svg", None),
        (Carrier("npm", take={"package/svg/": ["*.svg"]}), "package/svg/.git/a.svg", None),
        (Carrier("npm", take={"package/svg/": ["*.SVG"]}), "package/svg/a.svg", None),
    ],
)
def test_what_is_taken_from_a_package(source, member, place):
    assert source.place(member) == place


@pytest.mark.parametrize(
    ("source", "fits", "does_not"),
    [
        (Carrier("pypi", "a-b.c", "1.0"), "a_b_c-1.0-py3-none-any.whl", "a_b_c-1.0.1-py3-none-any.whl"),
        (Carrier("pypi", "a-b", "1.0", sdist=True), "a-b-1.0.tar.gz", "a-b-1.0-py3-none-any.whl"),
        (Carrier("npm", "@a/b", "1.0"), "a-b-1.0.tgz", "b-1.0.tgz"),
        (Carrier("debian", "a", "2:1.0+b-1"), "a_2%3a1.0+b-1_all.deb", "a_1.1-1_all.deb"),
        (Carrier("debian-source", "a", "2:1.0-1.1"), "a_1.0.orig.tar.xz", "a_1.0.orig.tar.xz.asc"),
        (Carrier("hub", file="deep/a.bin"), "a.bin", "a.bin.partial"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_archives_are_known_by_their_names(tmp_path, source, fits, does_not):
    from pixelproof.store._carriers import find

    (tmp_path / does_not).touch()
    assert find(source, tmp_path) is None
    (tmp_path / fits).touch()
    assert find(source, tmp_path) == tmp_path / fits


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pixelarticons", "craftax-tiles"])
def test_the_real_thing_where_there_is_a_network(tmp_path, monkeypatch, name):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    try:
        get_asset(name)
    except PixelProofError as error:
        if "failed (" in str(error) or "not installed" in str(error):
            pytest.skip(str(error))
        raise
    assert verify_asset(name) == tmp_path / "assets" / name
