"""With `--detail lean`, a run refers to the files of existing answers by path and hash."""

import base64

import pytest
from click.testing import CliRunner

from benches.arena.folders import PALETTE, answer, make, mask
from pixelproof.benches.arena import Arena
from pixelproof.cli._app import program
from pixelproof.contract import PixelProofError, Source
from pixelproof.harness import Plan, Run, Settings, compare, find_damage, repair, rescore, run

pytestmark = pytest.mark.slow

FOLDER = Source("folder")


@pytest.fixture(autouse=True)
def own_place(tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    monkeypatch.chdir(tmp_path)


def scored(root, name="run", detail="lean", workers=1):
    options = make(root, 3)
    for index in range(3):
        answer(root, index, PALETTE.paint(mask(index)))
    settings = Settings(out=root / name, calibrate=0, workers=workers)
    return run(Plan(Arena(**options, detail=detail), FOLDER), "recorded", settings=settings)


def blobs_of(done):
    return [path for path in (done.path / "blobs").glob("??/*")]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_lean_runs_refer_to_answers_and_say_so(tmp_path, workers):
    done = scored(tmp_path, workers=workers)
    files = {str(tmp_path / "answers" / f"case{index}.png") for index in range(3)}
    assert {str(path.readlink()) for path in blobs_of(done)} == files
    assert done.card["portable"] is False
    assert any("not portable" in remark for remark in done.card["remarks"])
    shown = CliRunner().invoke(program, ["show", str(done.path)], standalone_mode=False)
    assert shown.exception is None and "not portable" in " ".join(shown.stdout.split())
    assert [done.blob(key) for _, _, _, keys in done.answers() for key in keys] == [
        (tmp_path / "answers" / f"case{index}.png").read_bytes() for index in range(3)
    ]


def test_full_runs_have_copies(tmp_path):
    done = scored(tmp_path, detail="full")
    assert done.card["portable"] is True and not any(path.is_symlink() for path in blobs_of(done))


def test_answers_that_are_no_files_are_copied(tmp_path):
    options = make(tmp_path, 2)
    del options["generated"]
    plan = Plan(Arena(**options, detail="lean"), FOLDER)
    done = run(plan, "control/ceiling-truth", settings=Settings(out=tmp_path / "run", calibrate=0))
    assert done.card["portable"] is True and not any(path.is_symlink() for path in blobs_of(done))


def changed(root):
    answer(root, 1, PALETTE.paint(mask(2)))


def missing(root):
    (root / "answers" / "case1.png").unlink()


@pytest.mark.parametrize("harm, reason", [(changed, "has changed since"), (missing, "is missing")])
def test_a_file_that_is_changed_or_gone_is_named_and_nothing_is_dropped(tmp_path, harm, reason):
    done, other = scored(tmp_path), scored(tmp_path, "other")
    before = done.summary
    harm(tmp_path)
    file = tmp_path / "answers" / "case1.png"
    with pytest.raises(PixelProofError, match=f"{file}, which {reason}: restore that file"):
        rescore(done.path)
    assert [(path, why) for path, why in find_damage(done.path)] == [(file, f"it {reason}")]
    mended = repair(done.path)
    assert str(file) in mended.open and not mended.lost and not mended.files
    assert Run.open(done.path).summary == before
    assert compare(other.path, done.path)
    answer(tmp_path, 1, PALETTE.paint(mask(1)))
    assert rescore(done.path).summary["metrics"] == before["metrics"]


def test_a_report_has_copies_of_what_it_shows(tmp_path):
    done = scored(tmp_path)
    first = base64.b64encode((tmp_path / "answers" / "case0.png").read_bytes()).decode()
    told = CliRunner().invoke(program, ["report", str(done.path), "--out", "page.html"], standalone_mode=False)
    assert told.exception is None
    page = (tmp_path / "page.html").read_text()
    assert first in page


def test_equal_answers_share_a_reference_to_the_newest(tmp_path):
    options = make(tmp_path, 2)
    for index in range(2):
        answer(tmp_path, index, PALETTE.paint(mask(0)))
    plan = Plan(Arena(**options, detail="lean"), FOLDER)
    done = run(plan, "recorded", settings=Settings(out=tmp_path / "run", calibrate=0))
    assert [path.readlink().name for path in blobs_of(done)] == ["case1.png"]
