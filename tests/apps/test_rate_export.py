"""Tables that `judge mos`, `judge pairs` and `judge meta` read: the same numbers on both sides."""

import csv
import io
import json
import zipfile

import numpy as np
import pytest

from apps.rating import invoke, make_study, open_store, rate_all
from pixelproof.apps.rate import analysis_commands, export_archive, export_tables

HOSTILE = ['say "x", <b>y</b>', "=1+1", "two\nlines", "tab\there", "日本 é", "'; DROP TABLE votes; --"]


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))


@pytest.fixture
def rated(tmp_path):
    """Twelve images of two models, rated by three raters on two scales and one question, with checks."""
    gold = [{"image": "i0", "question": "perception", "answer": 5}]
    settings = {"questions": ["perception", "correspondence", "qa"], "votes_per_item": None, "gold": gold}
    prompts = HOSTILE
    columns = {"question": [f"Is it {number}?" for number in range(12)]}
    folder = make_study(tmp_path / "study", 12, settings | {"repeats": 0.2}, prompts=prompts, columns=columns)
    store = open_store(folder, ["Anna", "Ben", "Cleo"])
    draws = np.random.default_rng(1)
    truth = {item.images[0].key: draws.uniform(1, 5) for item in store.study.items.values()}

    def choose(item, question):
        score = truth.get(item["images"][0], 5) + draws.normal(0, 0.5)
        return int(score > 3) if question["kind"] == "yesno" else int(np.clip(round(score), 1, 5))

    for name in ("Anna", "Ben", "Cleo"):
        rate_all(store, name, choose)
    yield folder, store
    store.close()


@pytest.mark.slow
def test_scales_go_to_judge_mos(rated, tmp_path):
    folder, store = rated
    done = invoke("rate", "export", folder, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    counted = [vote for vote in store.counted() if vote.question == "perception"]
    told = invoke("judge", "mos", tmp_path / "out" / "votes-perception.csv", "--json")
    assert told.exit_code == 0, told.output
    summary = json.loads(told.output)
    assert summary["counts"]["items"] == 11 and summary["counts"]["votes"] == len(counted) == 33
    assert summary["counts"]["repeated"] == 0  # repetitions are not in this table
    means = {one["name"]: one["mean"] for one in summary["raters"]}
    for name in ("Anna", "Ben", "Cleo"):
        own = [vote.value for vote in counted if vote.rater == name]
        assert means[name] == pytest.approx(np.mean(own))
    assert invoke("judge", "mos", tmp_path / "out" / "votes-qa.csv", "--json").exit_code == 0


@pytest.mark.slow
def test_means_go_to_judge_meta(rated, tmp_path):
    folder, store = rated
    assert invoke("rate", "export", folder, "--out", tmp_path / "out").exit_code == 0
    table = rows(tmp_path / "out" / "images.csv")
    assert {row["image_id"] for row in table} == set(store.study.items)
    assert {row["prompt"] for row in table} >= set(HOSTILE)  # as they are, whatever they contain
    for row in table:
        votes = [vote for vote in store.counted() if vote.item == row["image_id"]]
        own = [vote.value for vote in votes if vote.question == "perception"]
        assert float(row["perception"]) == pytest.approx(np.mean(own), abs=1e-5) and row["votes"] == "3"
        yes = [vote.value for vote in votes if vote.question == "qa"]
        assert int(row["qa"]) == round(np.mean(yes))
    scores = tmp_path / "scores.csv"
    scores.write_text("image_id,metric\n" + "".join(f"{row['image_id']},{row['perception']}\n" for row in table))
    command = analysis_commands(store.study, str(tmp_path / "out"))[-1].replace("YOURS.csv", str(scores)).split()
    told = invoke(*command[1:], "--resamples", "100", "--ceiling-images", "0", "--json")
    assert told.exit_code == 0, told.output
    metrics = json.loads(told.output)["metrics"]
    assert metrics["perception.srcc"]["value"] == pytest.approx(1.0) and metrics["perception.srcc"]["n"] == 11
    assert "correspondence.srcc" in metrics and "qa.auc" in metrics


@pytest.mark.slow
def test_checks_and_raters_have_tables(rated, tmp_path):
    folder, store = rated
    assert invoke("rate", "export", folder, "--out", tmp_path).exit_code == 0
    checks = rows(tmp_path / "checks.csv")
    gold = [row for row in checks if row["check"] == "gold"]
    assert len(gold) == 9 and {row["image_id"] for row in gold} == {"i0"}
    assert {row["expected"] for row in gold if row["question"] == "perception"} == {"5"}
    again = [row for row in checks if row["check"] == "repeat"]
    first = {(vote.rater, vote.item, vote.question): vote.value for vote in store.counted()}
    assert len(again) == 3 * 3 * 2
    for row in again:
        assert row["expected"] == str(first[row["rater"], row["image_id"], row["question"]])
        assert row["as_expected"] == str(int(row["answer"] == row["expected"]))
    raters = {row["rater"]: row for row in rows(tmp_path / "raters.csv")}
    assert (
        set(raters) == {"Anna", "Ben", "Cleo"} and raters["Anna"]["answers"] == "33" and raters["Anna"]["gold"] == "1"
    )
    assert not {row["image_id"] for row in rows(tmp_path / "votes-perception.csv")} & {"i0"}


@pytest.mark.slow
def test_excluded_raters_and_undone_answers_are_in_no_table(rated):
    _, store = rated
    newest = store.state("Anna")["undo"]
    before = {name: text.count("\n") for name, text in export_tables(store).items()}
    store.undo("Anna", newest)
    store.change_rater("Ben", "excluded")
    tables = export_tables(store)
    assert not any("Ben" in text for text in tables.values())
    assert sum(text.count("\n") for text in tables.values()) < sum(before.values())


@pytest.mark.slow
def test_pairs_go_to_judge_pairs(tmp_path):
    settings = {"questions": ["preference"], "votes_per_item": None, "repeats": 0.3}
    folder = make_study(tmp_path / "study", 36, settings, models=("fine", "poor", "mid"))
    store = open_store(folder, ["Anna", "Ben"])
    rank = {"fine": 2, "mid": 1, "poor": 0}
    models = {image.key: image.model for item in store.study.items.values() for image in item.images}
    draws = np.random.default_rng(2)

    def choose(item, question):
        left, right = (rank[models[key]] for key in item["images"])
        return int(draws.choice([1, -1, 0])) if draws.random() < 0.3 else 1 if left > right else -1

    for name in ("Anna", "Ben"):
        rate_all(store, name, choose)
    assert invoke("rate", "export", folder).exit_code == 0
    table = folder / "export" / "pairs-preference.csv"
    votes = store.counted()
    assert len(rows(table)) == len(votes) == 72 and {row["left"] for row in rows(table)} == set(rank)
    wins = {}
    for vote in votes:
        first, second = (image.model for image in store.study.items[vote.item].images)
        better, worse = (first, second) if vote.value > 0 else (second, first)
        if vote.value:
            wins[better, worse] = wins.get((better, worse), 0) + 1
    written = {}
    for row in rows(table):
        if row["winner"] != "tie":
            other = row["left"] if row["winner"] == row["right"] else row["right"]
            written[row["winner"], other] = written.get((row["winner"], other), 0) + 1
    assert written == wins
    told = json.loads(invoke("judge", "pairs", table, "--json").output)
    assert told["votes"] == 72 and told["ties"] == sum(vote.value == 0 for vote in votes)
    assert [one["name"] for one in told["strengths"]] == ["fine", "mid", "poor"]
    store.close()


def test_votes_on_images_that_are_gone_are_counted(tmp_path):
    folder = make_study(tmp_path, 4)
    store = open_store(folder, ["Anna"])
    rate_all(store, "Anna", 3)
    store.close()
    make_study(folder, 3)
    done = invoke("rate", "export", folder)
    assert "1 votes on images or questions that the study no longer has are left out" in done.output
    assert len(rows(folder / "export" / "votes-perception.csv")) == 3


@pytest.mark.slow
def test_the_archive_has_the_same_tables(rated):
    _, store = rated
    with zipfile.ZipFile(io.BytesIO(export_archive(store))) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == export_tables(store)


def test_a_study_without_votes_is_exported_empty_and_one_without_a_server_is_refused(tmp_path):
    folder = make_study(tmp_path / "study", 4)
    done = invoke("rate", "export", folder)
    assert done.exit_code != 0 and "has no votes yet" in str(done.exception)
    open_store(folder).close()
    before = (folder / "images.csv").read_bytes()
    assert "is the study itself" in str(invoke("rate", "export", folder, "--out", folder / "." / "").exception)
    assert (folder / "images.csv").read_bytes() == before
    assert invoke("rate", "export", folder).exit_code == 0
    assert rows(folder / "export" / "votes-perception.csv") == []
