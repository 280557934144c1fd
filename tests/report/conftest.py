"""Runs that a report is made of."""

import pytest

from pixelproof.contract import Source
from pixelproof.harness import Plan, Settings, run
from support import Guess


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def guess(tmp_path, own_cache):
    """Runs the guessing bench, and gives the directory."""

    def go(name, model, samples=1, limit=None, seed=0, judge=None, **options):
        plan = Plan(Guess(**options), Source("digits"), seed, limit, samples)
        return run(plan, model, judge=judge, settings=Settings(out=tmp_path / name)).path

    return go


@pytest.fixture(scope="session")
def drawings(tmp_path_factory):
    """Runs of the pixel art bench: noise, our own drawings, and two functions, of which one also fails and chatters."""
    from pixelproof.benches import get_bench

    folder = tmp_path_factory.mktemp("drawings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        plan = Plan(get_bench("pixelart"), Source("published"), samples=2)
        models = {"noise": "control/floor-noise", "truth": "control/ceiling-truth", "moody": "fn/report.models:moody"}
        models |= {"tidy": "fn/report.models:tidy"}
        for name, model in models.items():
            run(plan, model, settings=Settings(out=folder / name))
    return folder
