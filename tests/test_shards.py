"""Shards of every bench: their merge is the run of the whole plan."""

import json

import pyarrow.parquet as pq
import pytest

import pixelproof
from pixelproof.benches import available
from pixelproof.cli import main
from pixelproof.contract import PixelProofError

RUNS = {
    "agent": {"model": "control/floor-never-look", "task": "compare-areas,count-clutter"},
    "arena": {"model": "control/ceiling-channel", "limit": 2},
    "evalmi": {
        "model": "control/floor-other-prompt",
        "source": "flat",
        "judge": "fn/pixelproof.benches.evalmi.simulated:judge",
    },
    "pixelart": {"model": "control/floor-noise", "samples": 2},
    "spatial": {"model": "control/floor-copy", "size": 64, "quality": "draft", "perception": "oracle"},
}


def table(path, name):
    rows = pq.read_table(path / f"{name}.parquet").to_pylist()
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_every_bench_is_tried():
    assert set(RUNS) == set(available())


@pytest.mark.slow
@pytest.mark.parametrize("bench", sorted(RUNS))
def test_the_merge_of_shards_is_the_run_of_the_whole_plan(bench, tmp_path, shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    settings = {"limit": 3, "seed": 7, "workers": 1, **RUNS[bench]}
    whole = pixelproof.run(bench, out=tmp_path / "whole", **settings)
    parts = [pixelproof.run(bench, out=tmp_path / f"{k}", shard=f"{k}/2", **settings).path for k in (1, 2)]
    merged = pixelproof.merge(parts, out=tmp_path / "merged")
    assert merged.complete and whole.complete
    assert merged.summary == whole.summary, "pooled metrics, intervals, calibrated scores, groups"
    assert any(metric["lo"] is not None for metric in whole.summary["metrics"].values())
    for name in ("answers", "results", "items", "controls"):
        assert repr(table(merged.path, name)) == repr(table(whole.path, name)), name  # NaN is not equal to itself
    other = pixelproof.run(bench, out=tmp_path / "other", shard="2/2", **settings | {"seed": 8}).path
    with pytest.raises(PixelProofError, match="not runs of one plan: seed is 8 in the first and 7 in the second"):
        pixelproof.merge([parts[0], other], out=tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_missing_shards_are_named(tmp_path, shared_cache, monkeypatch, capsys):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))
    settings = {"model": "control/floor-blank", "limit": 5, "workers": 1, "calibrate": 0}
    parts = [str(pixelproof.run("pixelart", out=tmp_path / k, shard=f"{k}/5", **settings).path) for k in "135"]
    with pytest.raises(SystemExit):
        main(["runs", "merge", *parts, "--out", str(tmp_path / "merged"), "--calibrate", "0"])
    said = " ".join(capsys.readouterr().out.split())
    assert "max-cost" not in said and "without --shard, with --resume and the --out of this run" in said
    remarks = json.loads((tmp_path / "merged" / "card.json").read_text())["remarks"]
    assert "Shards are missing: 2/5, 4/5 (2 of 5)." in remarks
    rest = [str(pixelproof.run("pixelart", out=tmp_path / k, shard=f"{k}/5", **settings).path) for k in "24"]
    whole = pixelproof.merge([str(tmp_path / "merged"), *rest], out=tmp_path / "all", calibrate=0)
    assert whole.complete and not any("missing" in remark for remark in whole.card["remarks"])
