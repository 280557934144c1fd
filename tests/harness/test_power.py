"""A power cut at any moment: all answers that were acknowledged are on the disk, and the run goes on."""

import os
import shutil
import sys

import pytest

import pixelproof
from harness.damaged_runs import BENCH, make
from pixelproof.contract import PixelProofError
from pixelproof.harness import Run
from pixelproof.harness import _rows as rows
from pixelproof.harness._rundir import RunDirectory
from pixelproof.store import BlobStore, Records
from store.power import Disk

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/fd")]
CUTS = int(os.environ.get("PIXELPROOF_SOAK", "3"))


@pytest.fixture
def disk(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk", monkeypatch)
    yield disk
    disk.close()


def stored(path):
    """Orders of the answers in a run, all of whose blobs must be there."""
    blobs = BlobStore(path / "blobs")
    answers = Records(path, "answers", rows.ANSWER_SCHEMA)
    for row in answers.rows():
        rows.answer_of(row, blobs)
        rows.prompt_of(row, blobs)
    return set(answers)


def acknowledge(monkeypatch, then):
    """Call a function with the order of each answer, and then of each judgement, once it is acknowledged."""
    keep = RunDirectory.keep_answer

    def kept(self, ask, *given, **more):
        keep(self, ask, *given, **more)
        then(ask.order)

    monkeypatch.setattr(RunDirectory, "keep_answer", kept)


def test_acknowledged_answers_survive_a_cut_after_each(disk, tmp_path, monkeypatch):
    acknowledged, cuts = set(), []

    def cut(order):
        acknowledged.add(order)
        cuts.append(disk.cut(tmp_path / f"cut-{len(cuts)}"))
        assert stored(cuts[-1] / "runs" / "a") == acknowledged

    acknowledge(monkeypatch, cut)
    whole = make(disk.root / "runs" / "a")
    assert len(acknowledged) == 18 == whole.summary["counts"]["completed"]
    last = disk.cut(tmp_path / "end") / "runs" / "a"
    assert Run.open(last).summary == whole.summary and stored(last) == acknowledged
    monkeypatch.undo()
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    resumed = make(cuts[7] / "runs" / "a", resume=True)
    assert resumed.summary == whole.summary


@pytest.mark.soak
@pytest.mark.attack("a power cut during a run: all that was not synchronised is gone", lost="no acknowledged answer")
def test_cuts_between_any_two_synchronisations(disk, tmp_path, monkeypatch, record_property):
    """Shards are sealed and tables compacted in between; a cut is before each fsync, when most is at stake."""
    original = Records.__init__
    monkeypatch.setattr(Records, "__init__", lambda self, *given: original(self, *given, shard_rows=3))
    acknowledged, cuts = set(), 0
    fsync = disk.fsync

    def cut_before(descriptor):
        nonlocal cuts
        cuts += 1
        if acknowledged and (CUTS > 3 or cuts % 4 == 1):  # in the small version, every fourth one
            path = disk.cut(tmp_path / "cut") / "runs" / "a"
            assert acknowledged <= stored(path)
            shutil.rmtree(tmp_path / "cut")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", cut_before)
    acknowledge(monkeypatch, acknowledged.add)
    for number in range(-(-CUTS // 50)):
        shutil.rmtree(disk.root / "runs", ignore_errors=True)
        acknowledged.clear()
        make(disk.root / "runs" / "a", seed=number)
    record_property("tries", cuts)
    assert cuts > 50


def test_answers_that_cost_nothing_are_not_waited_for(disk, tmp_path):
    pixelproof.run(BENCH, "control/floor-five", out=disk.root / "free", samples=2, calibrate=0)
    free = disk.syncs
    make(disk.root / "paid", judge=None, calibrate=0)
    assert disk.syncs - free > free + 18


def test_a_run_whose_results_were_cut_off_is_scored_again(disk, tmp_path, monkeypatch):
    """Results are not waited for: a resumed run makes them again from the answers."""
    cuts = []
    acknowledge(monkeypatch, lambda order: cuts.append(disk.cut(tmp_path / f"cut-{len(cuts)}")))
    whole = make(disk.root / "runs" / "a")
    monkeypatch.undo()
    path = cuts[-1] / "runs" / "a"
    with pytest.raises(PixelProofError, match="no summary yet"):
        assert Run.open(path).summary
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    assert make(path, resume=True).summary == whole.summary
