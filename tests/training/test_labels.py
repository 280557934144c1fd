import pytest

from training.drawing import labels
from training.drawing.labels import NOTHING, UNCLEAR, label
from training.drawing.ours import LOOSE, SUBJECTS

TABLES = {
    name: getattr(labels, name)
    for name in ("CRAWL", "MINETEST", "CRAFTAX", "PIXELARTICONS", "HACKERNOON", "QUICK_DRAW")
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_speak_of_our_subjects(table):
    assert {subject for subject, _ in table} <= {*SUBJECTS, NOTHING, UNCLEAR}
    assert label("something that no table has heard of", table) == NOTHING


def test_every_emoji_is_of_a_subject_and_there_once():
    assert set(labels.EMOJI) <= set(SUBJECTS)
    characters = "".join(labels.EMOJI.values())
    assert len(set(characters)) == len(characters)
    assert LOOSE <= set(SUBJECTS)


@pytest.mark.parametrize(
    ("table", "name", "subject"),
    [
        ("CRAWL", "item/weapon/long_sword1", "sword"),
        ("CRAWL", "item/weapon/battle_axe1", NOTHING),
        ("CRAWL", "item/weapon/artefact/urand_plutonium_sword", UNCLEAR),
        ("CRAWL", "dngn/trees/tree12", "fir-tree"),
        ("CRAWL", "dngn/trees/tree10", "tree"),
        ("CRAWL", "dngn/trees/tree_dead1", UNCLEAR),
        ("CRAWL", "item/potion/i-poison", UNCLEAR),
        ("CRAWL", "item/potion/ruby", "potion"),
        ("MINETEST", "default_tool_steelaxe", NOTHING),
        ("CRAFTAX", "health", "heart"),
        ("PIXELARTICONS", "mail-open", "envelope"),
        ("PIXELARTICONS", "cloud-sun", UNCLEAR),
        ("HACKERNOON", "book-heart", UNCLEAR),
        ("QUICK_DRAW", "sailboat", "ship"),
        ("QUICK_DRAW", "lion", UNCLEAR),
        ("QUICK_DRAW", "airplane", NOTHING),
    ],
)
def test_names_that_were_looked_at(table, name, subject):
    assert label(name, TABLES[table]) == subject
