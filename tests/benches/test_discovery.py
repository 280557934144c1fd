import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pixelproof import benches, plugins
from pixelproof.benches import available, get_bench
from pixelproof.benches.pixelart import PixelArt
from pixelproof.contract import Metric, PixelProofError, option

SRC = Path(benches.__file__).parents[2]


@dataclass(frozen=True)
class Sketch(PixelArt):
    """A third party's bench, with an option of every kind."""

    ratio: float = option(0.5, "a number")
    tidy: bool = option(True, "a switch")
    level: int = option(1, "a choice among numbers", choices=(1, 2, 3))


@pytest.fixture
def third_party(monkeypatch):
    entries = {
        "sketch": EntryPoint("sketch", f"{__name__}:Sketch", benches.GROUP),
        "broken": EntryPoint("broken", "no_such_module_anywhere:Bench", benches.GROUP),
        "odd": EntryPoint("odd", "json:dumps", benches.GROUP),
    }
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or type(sys)(__name__))
    monkeypatch.setattr(sys.modules[__name__], "Sketch", Sketch, raising=False)
    monkeypatch.setattr(plugins, "entry_points", lambda group: list(entries.values()))
    return entries


def test_own_benches_are_found_and_made():
    assert "pixelart" in available()
    assert get_bench("pixelart") == PixelArt()
    assert get_bench("pixelart", grid="16", colours="4", family="lite") == PixelArt(family="lite", grid=16, colours=4)
    assert get_bench("pixelart", grid=32).grid == 32


@pytest.mark.slow
def test_a_checkout_that_is_not_installed_has_its_own_benches():
    """Without any installed metadata in reach, the source tree alone is enough."""
    code = (
        "import importlib.metadata as m; m.entry_points = lambda **_: []\n"
        "from pixelproof.benches import available; print(*available())"
    )
    shown = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True)
    assert "pixelart" in shown.stdout.split(), shown.stderr


@pytest.mark.slow
def test_finding_imports_no_bench():
    code = (
        "import sys; from pixelproof.benches import available\n"
        "available(); print('pixelproof.benches.pixelart' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(SRC)}, capture_output=True, text=True)
    assert shown.stdout.strip() == "False", shown.stderr


def test_third_parties_stand_beside_our_own(third_party):
    assert {"pixelart", "sketch"} <= set(available())
    made = get_bench("sketch", ratio="0.25", tidy="no", level="3")
    assert (made.ratio, made.tidy, made.level) == (0.25, False, 3)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("pixelar", {}, ["'pixelar'", "did you mean 'pixelart'?", "sketch"]),
        ("zzz", {}, ["'zzz'", "Choose one of: ", "pixelart"]),
        ("broken", {}, ["no_such_module_anywhere:Bench", "reinstall"]),
        ("odd", {}, ["json:dumps", "not a subclass of Bench"]),
        ("pixelart", {"grids": "24"}, ["option 'grids'", "did you mean 'grid'?", "colours"]),
        ("pixelart", {"grid": "many"}, ["grid", "a whole number", "'many'"]),
        ("pixelart", {"grid": 24.0}, ["a whole number", "24.0"]),
        ("pixelart", {"grid": True}, ["a whole number", "True"]),
        ("pixelart", {"grid": "3"}, ["grid is 3", "4 to 128"]),
        ("pixelart", {"colours": 11}, ["colours is 11", "2 to 10"]),
        ("pixelart", {"family": "light"}, ["'light'", "original, lite"]),
        ("sketch", {"tidy": "perhaps"}, ["true or false", "'perhaps'"]),
        ("sketch", {"level": "4"}, ["level '4'", "1, 2, 3"]),
    ],
)
def test_mistakes_get_one_sentence(third_party, name, options, says):
    with pytest.raises(PixelProofError) as error:
        get_bench(name, **options)
    message = str(error.value)
    assert all(part in message for part in says), message
    assert message.endswith(".") and "\n" not in message


@pytest.mark.parametrize("names", [("seen", "seen.late"), ("a.b.c", "x", "a.b"), ("twice", "twice")])
def test_names_of_metrics_are_not_names_of_families(names):
    with pytest.raises(PixelProofError, match=f"Blurred has the metrics '{min(names)}' and "):
        type("Blurred", (PixelArt,), {"metrics": tuple(Metric(name, "") for name in names)})


def test_names_that_only_look_alike_are_allowed():
    names = ("seen", "seen_late", "seer.late", "a.seen", "a.seer")
    assert type("Clear", (PixelArt,), {"metrics": tuple(Metric(name, "") for name in names)})
