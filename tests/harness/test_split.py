"""Splits: no content is in training and evaluation both, whatever the seed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from pixelproof.benches import get_bench
from pixelproof.contract import Item, PixelProofError, Prompt, Source
from pixelproof.harness import TRAINING_SEEDS, Plan, Run, Settings, Shard, list_split, merge, run
from pixelproof.stats import generator
from support import Guess

WORDS = ("red", "green", "blue", "black", "white", "small", "large", "round", "square", "old", "new", "thin")


@dataclass(frozen=True)
class Phrases(Guess):
    """Asks for one of 1,728 phrases, so that seeds repeat each other's."""

    name: ClassVar[str] = "phrases"
    sources: ClassVar = {"world": "phrases of a seed, as many as requested", "phrases-v1": "a frozen set"}
    reserved: ClassVar = ("phrases-v1",)

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        frozen = source.name == "phrases-v1"
        for index in range((40 if n is None else min(n, 40)) if frozen else (16 if n is None else n)):
            words = " ".join(generator(1 if frozen else seed, "phrase", index).choice(WORDS, 3))
            yield Item(f"phrases/{source.name}/1/{index}", {"words": words, "hint": 0}, index % 10)

    def prompt(self, item: Item) -> Prompt:
        return Prompt((f"Draw: {item.inputs['words']}.",))


def texts(bench, source, seed, n, split):
    return [bench.prompt(item).text for item in list_split(bench, Source(source), seed, n, split)]


@pytest.mark.slow
def test_no_content_is_in_training_and_evaluation():
    bench = Phrases()
    train = texts(bench, "world", TRAINING_SEEDS + 5, 10_000, "train")
    held_out = texts(bench, "world", 5, 10_000, "eval")
    frozen = texts(bench, "phrases-v1", 0, None, "all")
    assert len(train) == len(held_out) == 10_000
    assert len(set(train)) > 1400 and len(set(held_out)) > 150  # nearly all that there are, of each
    assert not set(train) & set(held_out) and not set(train) & set(frozen)
    assert set(texts(bench, "world", 6, 2000, "all")) & set(train), "phrases of another seed do recur"


@pytest.mark.slow
def test_no_subject_of_pixelart_is_in_training_and_evaluation_whatever_the_format():
    bench, source = get_bench("pixelart"), Source("fresh")
    train = {item.inputs["subject"] for item in list_split(bench, source, TRAINING_SEEDS, 4000, "train")}
    other = get_bench("pixelart", family="lite", grid=32)
    held_out = {item.inputs["subject"] for item in list_split(other, source, 0, 500, "eval")}
    frozen = {item.inputs["subject"] for item in bench.items(Source("pixelart-v2"), 0, None)}
    assert len(train) > 2500 and len(held_out) > 300
    assert not train & held_out and not train & frozen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "source", "other"),
    [
        ("agent", "world", {"shift": "noise"}),
        ("evalmi", "flat", {"checks": "none"}),
        ("pixelart", "fresh", {"family": "lite"}),
    ],
)
def test_options_do_not_move_items_between_splits(name, source, other):
    plain, changed = get_bench(name), get_bench(name, **other)
    held_out = [item.id for item in list_split(plain, Source(source), 3, 6, "eval")]
    assert held_out == [item.id for item in list_split(changed, Source(source), 3, 6, "eval")]
    assert set(held_out) < {item.id for item in plain.items(Source(source), 3, 100)}  # ids of the source


def test_training_has_seeds_of_its_own():
    with pytest.raises(PixelProofError, match=f"--split train has seeds from .*: pass --seed {TRAINING_SEEDS + 7}"):
        Plan(Phrases(), Source("world"), 7, split="train")
    for split in ("all", "eval"):
        with pytest.raises(PixelProofError, match="are for training: pass --split train"):
            Plan(Phrases(), Source("world"), TRAINING_SEEDS, split=split)
    with pytest.raises(PixelProofError, match="There is no split 'evla'; did you mean 'eval'"):
        Plan(Phrases(), Source("world"), split="evla")


def test_limits_and_shards_count_the_items_of_the_split():
    plan = Plan(Phrases(), Source("world"), 3, 12, split="eval")
    items = [item for _, item in plan.items()]
    first = list(Phrases().items(Source("world"), 3, 400))
    assert len(items) == 12 and items == [item for item in first if item in items]  # ids and order of the source
    assert [index for index, _ in replace(plan, limit=5).items()] == [0, 1, 2, 3, 4]
    default = Plan(Phrases(), Source("world"), 3, split="eval")
    assert [item for _, item in default.items()] == [item for item in first[:16] if item in items]


@pytest.mark.parametrize(("bench", "source"), [("arena", "arena-v1"), ("agent", "agent-v1"), ("spatial", "spatial-v1")])
def test_frozen_sets_are_not_for_training(bench, source):
    with pytest.raises(PixelProofError, match=f"'{source}' never changes"):
        next(list_split(get_bench(bench), Source(source), TRAINING_SEEDS, 1, "train"))


class Same(Phrases):
    """All items ask for the same, so that one of the splits has none."""

    def content(self, item: Item) -> str:
        return "the same"


def test_a_split_without_items_is_an_error():
    with pytest.raises(PixelProofError, match="No item of the source 'world' belongs to the split"):
        for split, seed in (("eval", 0), ("train", TRAINING_SEEDS)):
            list(list_split(Same(), Source("world"), seed, None, split))


@pytest.mark.slow
def test_runs_of_a_split_grow_and_merge_and_do_not_mix(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path / "cache"))
    bench, model = Phrases(), "control/ceiling-truth"
    plan = Plan(bench, Source("world"), 3, 6, split="eval")
    whole = run(plan, model, settings=Settings(out=tmp_path / "whole"))
    run(replace(plan, limit=3), model, settings=Settings(out=tmp_path / "grown"))
    grown = run(plan, model, settings=Settings(out=tmp_path / "grown", resume=True))
    assert whole.card["split"] == "eval" and whole.summary["metrics"] == grown.summary["metrics"]
    with pytest.raises(PixelProofError, match="split was 'eval', is 'all'"):
        run(replace(plan, split="all"), model, settings=Settings(out=tmp_path / "grown", resume=True))
    parts = [
        run(replace(plan, shard=Shard(k, 2)), model, settings=Settings(out=tmp_path / f"part{k}")).path for k in (1, 2)
    ]
    merged = merge(parts, tmp_path / "merged", bench=bench)
    assert [item.id for item in merged.items()] == [item.id for item in Run.open(whole.path).items()]
    assert merged.summary["counts"]["completed"] == 6
