"""Archives that are damaged or made to harm: refused in one sentence, and nothing is written outside the folder."""

import gzip
import io
import lzma
import stat
import tarfile
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.store import Carrier, get_asset
from pixelproof.store import _archives as archives
from store.asset_support import NPM, PICTURES, PYPI, WEIGHTS, deb, entry, file_asset, folder_asset, tarball, wheel

pytestmark = pytest.mark.attack("hostile and damaged archives of assets")

SVG = {f"package/svg/{name}": data for name, data in PICTURES.items()}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


def everything(folder):
    return {path for path in folder.rglob("*") if "cache" not in path.parts}


def refused(asset, path, reason):
    before = everything(path.parent)
    with pytest.raises(PixelProofError, match=reason) as caught:
        get_asset(asset, path)
    assert str(path) in str(caught.value) and str(caught.value).endswith(".")
    assert everything(path.parent) == before
    assert not (path.parent / "cache" / "assets" / asset.name).exists()


@pytest.mark.parametrize(
    "name",
    [
        "../evil.svg",
        "a/../../evil.svg",
        "/evil.svg",
        "a\\..\\..\\evil.svg",
        "C:evil.svg",
        "a//b.svg",
        "bell\x07.svg",
        "x" * 500 + ".svg",
    ],
)
def test_names_that_lead_elsewhere(tmp_path, name):
    path = tarball(tmp_path / "art-icons-1.0.0.tgz", {f"package/svg/{name}": b"evil"})
    refused(folder_asset(NPM), path, "contains a file named .* outside of the folder")


@pytest.mark.parametrize("name", ["../evil.svg", "/evil.svg", "a\\..\\..\\evil.svg"])
def test_names_in_a_wheel_that_lead_elsewhere(tmp_path, name):
    source = Carrier("pypi", "icons", "1", {"icons/": ["*.svg"]})
    refused(folder_asset(source), wheel(tmp_path, "icons", "1", {f"icons/{name}": b"evil"}), "outside of the folder")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices(tmp_path, kind):
    path = tmp_path / "art-icons-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(entry("package/svg/heart.svg", kind=kind, target="/etc/passwd"))
    refused(folder_asset(NPM), path, "heart.svg, which is a link, not a file")


def test_links_in_a_wheel(tmp_path):
    path = tmp_path / "some_weights-0.1.0-py3-none-any.whl"
    link = zipfile.ZipInfo("some_weights/weights.bin")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(file_asset(PYPI), path, "weights.bin, which is a link")


def test_links_that_are_not_taken_do_no_harm(tmp_path):
    path = tmp_path / "art-icons-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(entry("package/latest", kind=tarfile.SYMTYPE, target="/"))
        archive.addfile(entry("package/svg", kind=tarfile.DIRTYPE))
        for name, data in SVG.items():
            archive.addfile(entry(name, len(data)), io.BytesIO(data))
    assert (get_asset(folder_asset(NPM), path) / "heart.svg").read_bytes() == PICTURES["heart.svg"]


@pytest.mark.slow
def test_a_member_that_is_larger_than_the_asset(tmp_path):
    bomb = wheel(tmp_path, "some-weights", "0.1.0", {"some_weights/weights.bin": bytes(50 << 20)})
    assert bomb.stat().st_size < 100_000
    refused(file_asset(PYPI), bomb, r"more than the 1,024,000 bytes of weights")
    asset = folder_asset(NPM)
    refused(
        asset,
        tarball(tmp_path / "art-icons-1.0.0.tgz", {"package/svg/heart.svg": bytes(1000)}),
        "more than the 716 bytes",
    )


def test_more_files_than_the_asset_has(tmp_path):
    many = {**SVG, "package/svg/z.svg": b""}
    refused(folder_asset(NPM), tarball(tmp_path / "art-icons-1.0.0.tgz", many), "more than the 2 files of pictures")


def test_the_same_file_twice(tmp_path):
    path = tmp_path / "art-icons-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for _ in range(2):
            archive.addfile(entry("package/svg/heart.svg", 1), io.BytesIO(b"x"))
    refused(folder_asset(NPM), path, "heart.svg twice")


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_tarball_that_unpacks_for_ever(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(archives, "_SLACK", 1 << 20)
    path = tmp_path / "art-icons-1.0.0.tgz"
    huge = 300 << 20
    path.write_bytes(pack(entry("package/ignored", huge).tobuf() + bytes(16 << 20)))
    refused(folder_asset(NPM), path, "contains more than 200 times its packed size")
    # A header that wants to be read into memory as a whole.
    path.write_bytes(pack(entry("././@PaxHeader", huge, kind=tarfile.XHDTYPE).tobuf() + bytes(16 << 20)))
    refused(folder_asset(NPM), path, "contains more than 200 times its packed size")


def test_too_many_members(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 5)
    many = {f"package/{n}": b"" for n in range(20)}
    refused(folder_asset(NPM), tarball(tmp_path / "art-icons-1.0.0.tgz", many), "more than 5 files")
    path = wheel(tmp_path, "some-weights", "0.1.0", many)
    refused(file_asset(PYPI), path, "more than 5 files")


def test_zstd_is_a_sentence(tmp_path):
    path = deb(tmp_path / "game-data_1_all.deb", {"usr/heart.svg": b""})
    path.write_bytes(path.read_bytes().replace(b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd\x00\x00"))
    refused(folder_asset(Carrier("debian", "game-data", "1", {"usr/": ["*"]})), path, "compressed with zstd")


def test_an_encrypted_wheel_is_a_sentence(tmp_path):
    path = wheel(tmp_path, "some-weights", "0.1.0", {"some_weights/weights.bin": WEIGHTS})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(file_asset(PYPI), path, "cannot be read .*encrypted")


def made(folder):
    """An archive of each format with the pictures in it, and the asset that it carries."""
    files = {f"game/{name}": data for name, data in PICTURES.items()}
    take = {"game/": ["*.svg"]}
    return {
        "wheel": (wheel(folder, "game", "1", files), Carrier("pypi", "game", "1", take)),
        "tgz": (tarball(folder / "game-1.tgz", files), Carrier("npm", "game", "1", take)),
        "xz": (tarball(folder / "game_1.orig.tar.xz", files, "w:xz"), Carrier("debian-source", "game", "1-1", take)),
        "bz2": (tarball(folder / "game_2.orig.tar.bz2", files, "w:bz2"), Carrier("debian-source", "game", "2-1", take)),
        "deb": (deb(folder / "game_1_all.deb", files), Carrier("debian", "game", "1", take)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wheel", "tgz", "xz", "bz2", "deb"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_gives_the_asset_or_a_sentence(tmp_path_factory, record_property, form, data):
    record_property("tries", 1)
    folder = tmp_path_factory.mktemp(form)
    path, source = made(folder)[form]
    whole = path.read_bytes()
    where = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        path.write_bytes(whole[:where])
    else:
        harmed = data.draw(st.binary(min_size=1, max_size=8))
        path.write_bytes(whole[:where] + harmed + whole[where + len(harmed) :])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        try:
            found = get_asset(folder_asset(source), path)
        except PixelProofError as error:
            assert str(error).endswith(".") and "Cannot write" not in str(error)
        else:
            assert {name: (found / name).read_bytes() for name in PICTURES} == PICTURES
