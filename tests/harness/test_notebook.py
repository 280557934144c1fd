"""Runs and comparisons in notebooks and scripts: tables, data frames, short texts, blobs."""

import html.parser
import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import pixelproof as pp
import support
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Result
from pixelproof.harness import Run
from pixelproof.store import BlobStore
from support import Guess

pytestmark = pytest.mark.slow

PNG = b"\x89PNG\r\n\x1a\n...."


class Pictured(Guess):
    """Guess with evidence, and with notes that contain markup."""

    def score(self, item, answer, judgements):
        result = super().score(item, answer, judgements)
        evidence = {"overlay": Artefact(PNG + item.id.encode())}
        return Result(item.id, result.metrics, failure=result.failure, notes={"said": "<b>"}, evidence=evidence)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def run(tmp_path):
    return pp.run(Pictured(), "fn/support:mixed", samples=2, out=tmp_path / "run")


def test_a_frame_has_a_row_per_answer(run):
    frame = run.to_pandas(Pictured())
    assert len(frame) == 40 and frame[["item", "sample"]].drop_duplicates().shape == (40, 2)
    assert (frame["bench"] == "guess").all() and (frame["model"] == "fn/support:mixed").all()
    results = pq.read_table(run.path / "results.parquet").to_pandas()
    answers = pq.read_table(run.path / "answers.parquet").to_pandas()
    joined = results.merge(answers, on=["item", "sample"])
    assert frame["text"].tolist() == joined["text"].tolist()
    assert frame["status"].tolist() == results["status"].tolist()
    pd.testing.assert_series_equal(frame["close"], results["close"], check_names=False)
    counts = results["pooled"].map(lambda c: None if c is None else c[0] / c[1]).astype(float)
    pd.testing.assert_series_equal(frame["pooled"].astype(float), counts, check_names=False)
    assert set(frame["tag.parity"]) == {"odd", "even"} and set(frame["note.said"].dropna()) == {"<b>"}
    assert frame.groupby("tag.parity")["hit"].mean().notna().all()


@pytest.mark.parametrize("name", ["items", "answers", "results"])
def test_tables_are_joined_by_item(run, name):
    table = pq.read_table(run.path / f"{name}.parquet")
    assert set(table["item"].to_pylist()) == {item.id for item in run.items()}
    assert name == "items" or "sample" in table.column_names


def test_answers_that_never_came_have_rows(tmp_path):
    support.BROKEN[:] = [True]
    run = pp.run(Guess(n=6), "fn/support:failing", out=tmp_path / "run")
    frame = run.to_pandas(Guess())
    assert frame["fault"].tolist().count("infrastructure") == 2 and len(frame) == 6


def test_pandas_is_optional(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for what in (run, pp.compare(run, run, bench=Pictured())):
        with pytest.raises(PixelProofError, match="pip install pandas"):
            what.to_pandas(*([Pictured()] if what is run else []))
    assert len(list(run.rows(Pictured()))) == 40


def test_blobs_have_types_and_uses(run):
    uses = list(run.blobs(Pictured()))
    assert {use.role for use in uses} >= {"evidence.overlay"}
    overlay = next(use for use in uses if use.role == "evidence.overlay")
    assert overlay.media_type == "image/png" and overlay.size == len(run.blob(overlay.key))
    frame = run.to_pandas(Pictured()).merge(pd.DataFrame(uses), on=["item", "sample"])
    assert (frame["evidence.overlay"] == frame["key"]).all()
    key = BlobStore(run.path / "blobs").put(b"GIF89a")
    other = [use for use in run.blobs(Pictured()) if use.role == "other"]
    assert [(use.media_type, use.item) for use in other if use.key == key] == [("image/gif", "")]


class Balanced(html.parser.HTMLParser):
    """Fails on unbalanced tags; remembers text and tags."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def parsed(markup):
    parser = Balanced()
    parser.feed(markup)
    assert not parser.open and not {"script", "link", "img"} & set(parser.tags)
    return parser


def test_a_notebook_shows_the_headline(run):
    page = parsed(run._repr_html_())
    for word in ("close", "floor", "ceiling", "calibrated", "40 answers planned"):
        assert word in page.text
    value = run.summary["metrics"]["close"]["value"]
    assert f"{value:.2f}" in page.text


def test_names_in_a_notebook_are_escaped(run):
    about = replace(run.about, model="<script>alert(1)</script>", bench="<i>")
    card = replace(run.card, card=about)
    page = parsed(Run(run.path, card)._repr_html_())
    assert "<script>alert(1)</script>" in page.text and "i" not in page.tags


def test_a_run_without_a_summary_is_shown_as_such(run):
    (run.path / "summary.json").unlink()
    assert "no summary yet" in parsed(Run.open(run.path)._repr_html_()).text


def test_short_texts(run):
    assert repr(run) == f"Run(guess: fn/support:mixed on digits, {run.card['state']}, {str(run.path)!r})"
    comparison = pp.compare(run, run.path, bench=Pictured())
    assert repr(comparison).startswith("Comparison(B fn/support:mixed against A fn/support:mixed: 20 items")
    assert "not shown" in parsed(comparison._repr_html_()).text


def test_a_comparison_as_a_frame(tmp_path):
    truth, five = (pp.run(Guess(), f"control/{name}", out=tmp_path / name) for name in ("ceiling-truth", "floor-five"))
    comparison = pp.compare(five, truth, bench=Guess())
    frame = comparison.to_pandas().set_index("metric")
    assert frame.loc["close", "verdict"] == "better" and frame.loc["close", "b"] == 1
    assert np.isclose(frame.loc["close", "difference"], frame.loc["close", "b"] - frame.loc["close", "a"])
    assert frame["lo"].le(frame["hi"]).all()
    assert "better" in parsed(comparison._repr_html_()).text
    assert json.loads(frame.to_json())["n"]["close"] == 20


def test_unknown_metrics_get_a_suggestion(run):
    with pytest.raises(PixelProofError, match="did you mean 'close'"):
        pp.compare(run, run, metrics=["clsoe"], bench=Pictured())


def test_long_replies_are_whole(tmp_path):
    text = "x" * 100_000
    sys.modules[__name__].long_reply = lambda prompt: Answer(text, failure=Failure(Fault.MODEL, "chatty"))
    run = pp.run(Guess(n=1), f"fn/{__name__}:long_reply", out=tmp_path / "run")
    assert run.to_pandas(Guess())["text"].tolist() == [text]
    assert [use.media_type for use in run.blobs(Guess()) if use.role == "text"] == ["text/plain"]


def test_images_stand_first_beside_the_truth(tmp_path):
    run = pp.run("pixelart", model="control/ceiling-truth", limit=8, out=tmp_path / "drawings")
    page = run._repr_html_()
    assert page.count("<img") == 6 and page.index("<img") < page.index("<table")
    grid = run.gallery(3)
    assert repr(grid) == "ImageGrid(3 answers)" and grid._repr_html_().count("data:image/png;base64,") == 3
    for blob in (run.path / "blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    assert "<img" not in run._repr_html_() and "<table" in run._repr_html_()
