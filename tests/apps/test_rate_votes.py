"""Votes: stored once, balanced, undone once, and still there when the server starts again."""

import sqlite3
import threading
from collections import Counter
from itertools import count

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.rating import answer, make_study, open_store, rate_all
from pixelproof.apps.rate import agreements, rater_reports
from pixelproof.contract import PixelProofError


class Clock:
    """Time that passes when a test says so."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        self.now += 0.001
        return self.now


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "study", 6)


def head(state):
    """What the first question of a state is about, and its attempt."""
    item = state["queue"][0]
    return item["presentation"], item["questions"][0]["question"], item["questions"][0]["attempt"]


def test_an_answer_counts_once_however_often_it_is_sent(study):
    store = open_store(study, ["Anna"])
    key = head(store.state("Anna"))
    outcomes = [store.vote("Anna", *key, value)["outcome"] for value in (4, 4, 2, 4)]
    assert outcomes == ["stored", "known", "answered", "known"]
    assert [vote.value for vote in store.counted()] == [4]
    with pytest.raises(sqlite3.IntegrityError):  # not even by a bug of ours
        with store.database.write() as connection:
            sql = "INSERT INTO votes (presentation, question, attempt, value, seconds, time) VALUES (?, ?, 7, 1, 0, 0)"
            connection.execute(sql, key[:2])
    store.close()


def test_only_the_newest_answer_can_be_undone(study):
    store = open_store(study, ["Anna"])
    first = answer(store, "Anna", 1)
    second = answer(store, "Anna", 2)
    assert store.undo("Anna", first["undo"])["outcome"] == "final"
    undone = store.undo("Anna", second["undo"])
    assert undone["outcome"] == "undone" and undone["undo"] is None  # the one before stays final
    assert store.undo("Anna", second["undo"])["outcome"] == "undone"  # sent again
    assert [vote.value for vote in store.counted()] == [1]
    assert head(undone)[2] == 1
    again = answer(store, "Anna", 5, undone)
    assert [vote.value for vote in store.counted()] == [1, 5] and again["undo"] not in (None, second["undo"])
    store.close()


def test_an_answer_that_arrives_after_its_undo_does_not_return(study):
    store = open_store(study, ["Anna"])
    key = head(store.state("Anna"))
    voted = store.vote("Anna", *key, 3)
    state = store.undo("Anna", voted["undo"])
    assert store.vote("Anna", *key, 3)["outcome"] == "answered" and store.counted() == []
    assert head(state) == (key[0], key[1], 1)
    assert store.vote("Anna", *head(state), 2)["outcome"] == "stored"
    assert [vote.value for vote in store.counted()] == [2]
    store.close()


def test_a_rater_cannot_answer_for_another_nor_anything_else(study):
    store = open_store(study, ["Anna", "Ben"])
    presentation, question, attempt = head(store.state("Anna"))
    store.state("Ben")
    assert store.vote("Ben", presentation, question, attempt, 3)["outcome"] == "taken"
    assert store.vote("Anna", 10**9, question, attempt, 3)["outcome"] == "taken"
    for wrong in ((presentation, "beauty", 0, 3), (presentation, question, 0, 6), (presentation, question, 0, 0),
                  (presentation, question, 1, 3), (presentation, question, -1, 3)):  # fmt: skip
        with pytest.raises(PixelProofError, match="reload the page"):
            store.vote("Anna", *wrong)
    assert store.counted() == []
    with pytest.raises(PixelProofError, match="no longer valid"):
        store.state("Zoe")
    store.close()


def test_everything_is_there_after_a_restart(study):
    store = open_store(study, ["Anna"])
    answer(store, "Anna", 4)
    before = store.state("Anna")
    store.close()
    again = open_store(study)
    assert again.state("Anna") == before and [vote.value for vote in again.counted()] == [4]
    again.close()


def test_the_page_learns_neither_model_nor_role_nor_file_name(tmp_path):
    gold = [{"image": "i0", "question": "perception", "answer": 5}]
    folder = make_study(tmp_path, 12, {"gold": gold, "gold_every": 3, "repeats": 0.3}, models=("secret-a", "secret-b"))
    store = open_store(folder, ["Anna"])
    state = store.state("Anna")
    shapes = set()
    while state and state["queue"]:
        for item in state["queue"]:
            assert not any(word in str(item) for word in ("secret", "pictures", "gold", "repeat", "'i0'", "'i1"))
            shapes.add(tuple(item))
        state = answer(store, "Anna", 3, state)
    assert len(shapes) == 1
    roles = Counter(vote.role for vote in store.counted(("rated", "repeat", "gold")))
    assert roles == {"rated": 11, "gold": 1, "repeat": 3}
    store.close()


@pytest.mark.slow
def test_repeats_come_later_and_once(tmp_path):
    store = open_store(make_study(tmp_path, 40, {"repeats": 0.2, "votes_per_item": None}), ["Anna"])
    rate_all(store, "Anna", 3)
    votes = store.counted(("rated", "repeat"))
    place = {(vote.item, vote.role): number for number, vote in enumerate(votes)}
    repeated = [vote.item for vote in votes if vote.role == "repeat"]
    assert len(repeated) == 8 == len(set(repeated))
    assert all(place[item, "repeat"] - place[item, "rated"] > 5 for item in repeated)
    store.close()


@pytest.mark.slow
def test_sides_of_pairs_are_balanced_and_stored_by_image(tmp_path):
    settings = {"questions": ["preference"], "repeats": 1, "votes_per_item": None}
    store = open_store(make_study(tmp_path, 80, settings), ["Anna"])
    better = {item.images[0].key for item in store.study.items.values()}
    rate_all(store, "Anna", lambda item, question: 1 if item["images"][0] in better else -1)
    votes = store.counted(("rated", "repeat"))
    assert {vote.value for vote in votes} == {1}  # the first image of the pair, wherever it was shown
    sides = [vote.swapped for vote in votes if vote.role == "rated"]
    assert 8 < sum(sides) < 32
    side = {vote.item: vote.swapped for vote in votes if vote.role == "rated"}
    assert all(vote.swapped != side[vote.item] for vote in votes if vote.role == "repeat")
    store.close()


@pytest.mark.slow
@settings(max_examples=6)
@example(seed=91120, wanted=3, raters=3)
@given(seed=st.integers(0, 10**6), wanted=st.integers(1, 3), raters=st.integers(3, 5))
def test_every_item_gets_its_votes_whoever_disappears(tmp_path_factory, seed, wanted, raters):
    """Raters come and go, undo, send again, and stay away longer than their lease; two of them never come back."""
    folder = make_study(tmp_path_factory.mktemp("study"), 6, {"votes_per_item": wanted, "lease_minutes": 1})
    clock, draws = Clock(), np.random.default_rng(seed)
    store = open_store(folder, [f"r{k}" for k in range(raters + 2)], clock=clock)
    acknowledged = {}
    for _ in range(40):
        name = f"r{draws.integers(raters + 2)}"
        state = store.state(name)
        if draws.random() < 0.2:
            clock.now += 61
        if draws.random() < 0.2 and state["undo"] is not None:
            store.undo(name, state["undo"])
            acknowledged.pop((name, state["undo"]))
        elif state["queue"] and draws.random() < 0.8:
            key, value = head(state), int(draws.integers(1, 6))
            for _ in range(int(draws.integers(1, 3))):
                result = store.vote(name, *key, value)
            if result["outcome"] in ("stored", "known"):
                acknowledged[name, result["undo"]] = value
    clock.now += 61
    for k in range(raters):
        for name, before in ((f"r{k}", len(store.counted())),):
            count = rate_all(store, name, 3)
            assert len(store.counted()) == before + count
            acknowledged |= {(name, -n): 3 for n in range(1, count + 1)}
    assert set(store.finished().values()) == {wanted}
    votes = store.counted()
    assert len(votes) == 6 * wanted == len({(vote.rater, vote.item) for vote in votes})
    assert Counter(vote.value for vote in votes) == Counter(acknowledged.values())
    assert store.finished() == Counter(vote.item for vote in votes)
    store.close()


def test_raters_who_are_here_do_not_get_the_same_last_item(study):
    clock = Clock()
    store = open_store(make_study(study, 1, {"votes_per_item": 1}), ["Anna", "Ben"], clock=clock)
    anna = store.state("Anna")
    ben = store.state("Ben")
    assert len(anna["queue"]) == 1 and ben["queue"] == [] and ben["later"] == 1
    clock.now += 16 * 60
    ben = store.state("Ben")
    assert len(ben["queue"]) == 1 and ben["later"] == 0
    assert answer(store, "Ben", 4, ben)["outcome"] == "stored"
    late = store.vote("Anna", *head(anna), 2)
    assert late["outcome"] == "taken" and late["queue"] == [] and late["later"] == 0
    assert store.finished() == {"i0": 1}
    store.close()


def test_an_item_that_was_given_up_after_an_undo_can_come_back(study):
    clock = Clock()
    store = open_store(make_study(study, 1, {"votes_per_item": 1}), ["Anna", "Ben"], clock=clock)
    voted = answer(store, "Anna", 4)
    store.undo("Anna", voted["undo"])
    clock.now += 16 * 60
    ben = answer(store, "Ben", 2)
    assert store.state("Anna")["queue"] == []
    store.undo("Ben", ben["undo"])
    clock.now += 16 * 60  # Ben does not return
    assert answer(store, "Anna", 5)["outcome"] == "stored"
    assert [(vote.rater, vote.value) for vote in store.counted()] == [("Anna", 5)] and store.finished() == {"i0": 1}
    store.close()


def test_many_threads_at_once(study):
    store = open_store(make_study(study, 10, {"votes_per_item": 3}), [f"r{k}" for k in range(5)])
    threads = [threading.Thread(target=rate_all, args=(store, f"r{k}", 2)) for k in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(store.finished().values()) == {3}
    store.close()


def test_limits_of_raters_and_all_for_all(tmp_path):
    store = open_store(make_study(tmp_path / "a", 6, {"items_per_rater": 2}), ["Anna"])
    assert rate_all(store, "Anna", 3) == 2
    store.close()
    store = open_store(make_study(tmp_path / "b", 6, {"votes_per_item": None}), ["Anna", "Ben", "Cleo"])
    assert [rate_all(store, name, 3) for name in ("Anna", "Ben", "Cleo")] == [6, 6, 6]
    store.close()


def test_progress_ends_at_its_total(tmp_path):
    gold = [{"image": "i0", "question": "perception", "answer": 5}]
    folder = make_study(tmp_path, 21, {"gold": gold, "repeats": 0.2, "votes_per_item": 1})
    store = open_store(folder, ["Anna"])
    state, totals = store.state("Anna"), []
    while state["queue"]:
        totals.append(state["total"])
        assert state["done"] < state["total"]
        state = answer(store, "Anna", 3, state)
    assert state["done"] == state["total"] == totals[0] == 25
    store.close()


def test_excluded_raters_do_not_count_and_their_items_go_to_others(study):
    store = open_store(study, ["Anna", "Ben", "Cleo"])
    rate_all(store, "Anna", 1)
    rate_all(store, "Ben", 4)
    assert rate_all(store, "Cleo", 4) == 0
    store.change_rater("Anna", "excluded")
    assert store.find_rater("x") is None and {vote.rater for vote in store.counted()} == {"Ben"}
    assert rate_all(store, "Cleo", 4) == 6 and set(store.finished().values()) == {2}
    with pytest.raises(PixelProofError, match="no longer valid"):
        store.state("Anna")
    store.change_rater("Anna", "active")
    assert len(store.counted()) == 18 and set(store.finished().values()) == {3}
    store.close()


def test_names_of_raters(study):
    store = open_store(study, ["Anna"])
    for name in ("", " ", " x", "x\ny", "x" * 61, "\x1b[31m"):
        with pytest.raises(PixelProofError, match="no name for a rater"):
            store.add_rater(name, "k")
    with pytest.raises(PixelProofError, match="already"):
        store.add_rater("Anna", "k")
    with pytest.raises(PixelProofError, match="no rater"):
        store.change_rater("Ben", "closed")
    with pytest.raises(PixelProofError, match="one of"):
        store.change_rater("Anna", "gone")
    store.close()


def test_a_study_that_changes_under_its_votes_is_refused(study):
    store = open_store(study, ["Anna"])
    rate_all(store, "Anna", 3)
    store.close()
    kept = (study / "pictures/000.png").read_bytes()
    (study / "pictures/000.png").write_bytes((study / "pictures/001.png").read_bytes())
    with pytest.raises(PixelProofError, match="'i0' has changed since it was rated"):
        open_store(study)
    (study / "pictures/000.png").write_bytes(kept)
    other = {"id": "perception", "kind": "yesno", "text": "Is it good?"}
    make_study(study, 6, {"questions": [other]})
    with pytest.raises(PixelProofError, match="question 'perception' has changed"):
        open_store(study)
    make_study(study, 8, {"questions": ["perception", other | {"id": "good"}]})  # more images, one more question
    open_store(study).close()


def test_questions_that_are_gone_are_not_waited_for(study):
    both = ["perception", {"id": "good", "kind": "yesno", "text": "Is it good?"}]
    store = open_store(make_study(study, 6, {"questions": both}), ["Anna"])
    answer(store, "Anna", 3)  # the first question of an image, and not the second
    store.close()
    store = open_store(make_study(study, 6))
    assert all(item["questions"] for item in store.state("Anna")["queue"])
    assert rate_all(store, "Anna", 3) == 5 and store.finished() == {f"i{k}": 1 for k in range(6)}
    store.close()


@pytest.mark.slow
def test_reports_find_careless_raters(tmp_path):
    """Three careful raters, one who clicks through without looking, one who always gives the same answer."""
    gold = [{"image": f"i{k}", "question": "perception", "answer": [4, 5]} for k in range(5)]
    folder = make_study(tmp_path, 35, {"votes_per_item": None, "repeats": 0.2, "gold": gold, "gold_every": 6})
    clock = Clock()
    careful = ["Anna", "Ben", "Cleo"]
    store = open_store(folder, [*careful, "Rash", "Same"], clock=clock)
    draws = np.random.default_rng(3)
    truth = {item.images[0].key: 1 + number % 5 for number, item in enumerate(store.study.items.values())}
    truth |= {item.images[0].key: 5 for item in store.study.gold.values()}

    def rate(name, seconds, choose):
        state = store.state(name)
        while state and state["queue"]:
            clock.now += seconds
            state = answer(store, name, choose, state)

    for name in careful:
        rate(name, 4, lambda item, q: int(np.clip(round(truth[item["images"][0]] + draws.normal(0, 0.4)), 1, 5)))
    clicks = count()
    rate("Rash", 0.3, lambda item, q: 1 + 2 * next(clicks) % 5)
    rate("Same", 4, lambda item, q: 3)
    votes = store.counted(("rated", "repeat", "gold"))
    reports = {one.name: one for one in rater_reports(store.study, votes, [*careful, "Rash", "Same"])}
    assert all(not reports[name].warnings and reports[name].agreement > 0.7 for name in careful)
    assert reports["Anna"].gold == (5, 5) and reports["Anna"].repeats[0] == 6
    text = "; ".join(reports["Rash"].warnings)
    for part in ("too fast: 0.3 s", "gold items", "levels apart", "hardly agrees"):
        assert part in text
    assert "100 % of the answers are the same (3)" in "; ".join(reports["Same"].warnings)
    assert "gold items: 0 of 5 right" in reports["Same"].warnings
    before = agreements(store.study, store.counted())[0]
    for name in ("Rash", "Same"):
        store.change_rater(name, "excluded")
    after = agreements(store.study, store.counted())[0]
    assert before.votes == 150 and after.votes == 90 and before.icc < 0.6 < 0.85 < after.icc < after.icc_mean
    assert 0.85 < after.alpha < 1
    store.close()


def test_there_is_no_agreement_before_there_are_votes(study):
    store = open_store(study, ["Anna"])
    found = agreements(store.study, store.counted())[0]
    assert found.votes == 0 and np.isnan(found.icc) and np.isnan(found.alpha)
    answer(store, "Anna", 3)
    assert np.isnan(agreements(store.study, store.counted())[0].alpha)
    assert rater_reports(store.study, store.counted(), ["Anna"])[0].answers == 1
    store.close()
