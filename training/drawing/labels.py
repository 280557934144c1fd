"""What the pictures of others show, in our words, by their file names. Every line was checked by looking at pictures.

A table maps regular expressions over the whole name to a subject, to `NOTHING` or to `UNCLEAR`; the first that fits
counts. `UNCLEAR` pictures are used nowhere: the name is too vague, or the thing too much like a subject to be called
none of them (a lion is no cat, but who is to tell on 24 × 24 cells?).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

NOTHING = "nothing"
UNCLEAR = "unclear"

Table = Sequence[tuple[str, str]]


def _containing(words: str) -> str:
    """Names with one of some words, which may be regular expressions, anywhere in them."""
    return f".*({'|'.join(words.split())}).*"


def _one_of(words: str) -> str:
    """Names that are one of some, which are parted by commas."""
    return "|".join(word.strip() for word in " ".join(words.split()).split(","))


CRAWL: Table = (
    ("cat", r"player/felids/cat\d+|dngn/statues/statue_cat"),
    ("dog", r"mon/animals/(hound|hell_hound|wolf|warg|jackal)|UNUSED/monsters/war_dog"),
    ("fish", r"UNUSED/monsters/(giant_goldfish|shark)"),
    ("bird", r"UNUSED/monsters/raven|mon/animals/(caustic_shrike|shard_shrike|bennu)|mon/undead/zombies/zombie_bird"),
    ("butterfly", r"mon/animals/butterfly\d*"),
    ("turtle", r"mon/animals/(alligator_)?snapping_turtle|mon/undead/\w+/(skeleton|zombie)_turtle"),
    ("snail", r"mon/animals/torpor_snail|dngn/statues/statue_snail|UNUSED/monsters/snail_statue|mon/player/gastronaut"),
    ("fir-tree", r"dngn/trees/tree(6|7|12|13)"),
    ("tree", r"dngn/trees/(tree\d+|tree_fall\d+|tree_petrified[12]|mangrove\d)|player/transform/tree_form"),
    ("mushroom", r"mon/fungi_plants/(fungus\d|toadstool_\w+|wandering_mushroom|deathcap)"),
    ("mushroom", r"player/transform/mushroom_form"),
    ("apple", r"item/food/apple"),
    ("pizza", r"item/food/pizza"),
    ("sword", r"(item/weapon|UNUSED/weapons)/(long|short|great|golden_|ancient_|double_|triple_)_?sword\d?"),
    ("sword", r"(item/weapon|UNUSED/weapons)/(falchion|scimitar|rapier|katana|cutlass|claymore)\w*"),
    ("sword", r"item/weapon/(blessed|demon)_blade\d?"),
    ("potion", r"item/potion/(?!i-)\w+"),
    ("skull", r"mon/undead/curse_skull|gui/skills/necromancy"),
    ("ghost", r"mon/undead/missing_ghost"),
    ("face", r"misc/sensed_monster_friendly"),
    ("light-bulb", r"gui/startup/hints_mode"),
    (UNCLEAR, r"item/(weapon|armour|ring|amulet)/(artefact|brands|randarts).*|item/\w+/i-.*"),
    (UNCLEAR, r"UNUSED/(other/i-|worn|spells|gui).*|gui/(skills|invocations|spells|abilities).*|mon/tentacles.*"),
    (UNCLEAR, r"player/(hair|beard|head|mutations|halo|gloves|boots|ench|barding).*|misc/blood.*"),
    (UNCLEAR, r"dngn/(water|wall/abyss).*"),
    (UNCLEAR, _containing(r"""
        felid cat\d hound wolf dog fox jackal spectr ghost wraith phantom soul skull skelet moth beetle fish
        bird turtle snail slug gastro tree treant plant bush fung mushroom mold toad spore lotus flower star sun
        moon cloud lightning bolt zap shock storm ice cold frost snow fire flame lamp lantern candle torch light
        sword blade dagger knife glaive sabre scythe spear staff potion bottle phial flask heal heart crown key
        fruit food box chest shop temple castle tower house gate portal volcano golem machine robot sensed
        friendly neutral hand1 tengu harpy eye orb bat_ _bat\b /bat\b wing bomb prism gift letter scroll
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

MINETEST: Table = (
    ("apple", r"default_apple"),
    ("cactus", r"default_large_cactus_seedling"),
    ("flower", r"flowers_(chrysanthemum_green|dandelion_\w+|geranium|rose|tulip|tulip_black|viola)"),
    ("mushroom", r"flowers_mushroom_\w+"),
    ("heart", r"heart"),
    ("key", r"keys_key\w*"),
    ("sword", r"default_tool_\w+sword"),
    ("potion", r"vessels_glass_bottle|fireflies_bottle"),
    (UNCLEAR, _containing("""
        animated butterfl firefl sapling bush fern cactus tree leaves papyrus cotton wheat grass kelp coral moss
        cloud snow fire lava torch bottle glass boat flame transparent overlay bones cart vessels tnt flour
        bubble flower
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

CRAFTAX: Table = (
    ("sword", r"\w+_sword"),
    ("tree", r"tree"),
    ("heart", r"health"),
    ("potion", r"potion_\w+"),
    ("snail", r"snail"),
    ("lightning", r"energy"),
    (UNCLEAR, _containing("""
        enchant elemental fire ice plant sapling tree dagger torch skelet drink food arrow bat mana xp leaves
        grass debug slime troll kobold lizard fountain grave intelligence player [0-9]
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

PIXELARTICONS: Table = (
    ("envelope", r"mail|mail-open|mail-right"),
    ("face", r"smile|laugh"),
    ("fir-tree", r"tree-pine"),
    ("house", r"home"),
    ("light-bulb", r"lightbulb"),
    ("lightning", r"zap"),
    ("mug", r"mug|coffee|tea"),
    ("robot", r"robot|robot-face|robot-face-happy|robot-face-sad"),
    *((name, name) for name in (
        "anchor", "bomb", "car", "castle", "cloud", "crown", "dog", "fish", "gift", "heart", "key", "moon", "potion",
        "ship", "skull", "snail", "snowflake", "star", "sun", "sword", "tree",
    )),
    (UNCLEAR, _containing("""
        cloud home house estate building store warehouse university factory castle tent sparkle spinner loader
        loading image sticker avatar user human alien t-rex snake bug balloon globe earth face frown meh angry
        annoyed zap lightbulb heart mail message star moon sun gear settings gps cake bottle test-tube bus truck
        van leaf feather hourglass bell trophy goal target party fire siren bed crown tree flag wand magic key-
        brightness chess tea mug glass toke drum hand pointer power
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

HACKERNOON: Table = (
    ("cloud", r"cloud-(fog|rain|download|upload)"),
    ("face", r"face-(grin|laugh-squint|heart-eyes)"),
    ("house", r"home|medical-house"),
    ("light-bulb", r"lightbulb"),
    ("lightning", r"bolt"),
    *((name, name) for name in ("crown", "envelope", "heart", "moon", "robot", "star", "sun")),
    (UNCLEAR, _containing("""
        face heart star moon brightness cloud bug seedling sparkle spinner globe bell fire trophy crown shop
        bank user people hockey bolt sun cog message comment hand thumb
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

QUICK_DRAW: Table = (
    ("mona-lisa", r"The Mona Lisa"),
    ("face", r"smiley face|face"),
    ("hot-air-balloon", r"hot air balloon"),
    ("ice-cream", r"ice cream"),
    ("light-bulb", r"light bulb"),
    ("mug", r"mug|coffee cup"),
    ("ship", r"sailboat"),
    ("turtle", r"sea turtle"),
    *((name, name) for name in (
        "apple", "bird", "butterfly", "cactus", "candle", "car", "carrot", "castle", "cat", "cloud", "crown", "dog",
        "envelope", "fish", "flower", "house", "key", "lighthouse", "lightning", "moon", "mushroom", "owl", "pizza",
        "rabbit", "rainbow", "skull", "snail", "snowflake", "snowman", "star", "sun", "sword", "tree", "umbrella",
        "watermelon",
    )),
    (UNCLEAR, _one_of("""
        cup, cruise ship, barn, church, hospital, palm tree, bush, swan, duck, parrot, flamingo, penguin, shark,
        dolphin, whale, lion, tiger, bear, panda, raccoon, mouse, squirrel, teddy-bear, police car, pickup
        truck, van, truck, bus, school bus, ambulance, firetruck, popsicle, lollipop, knife, postcard, teapot,
        wine bottle, wine glass, vase, parachute, pear, onion, broccoli, zigzag, rain, mountain, windmill,
        garden, house plant, picture frame, animal migration, lighter, string bean, beard, goatee, moustache,
        power outlet, streetlight, floor lamp, lantern, fire hydrant, angel, hurricane, tornado, diamond,
        circle, line, squiggle, camouflage, stitches, yoga, tent, jail, flying saucer, sheep, pig, monkey,
        speedboat, canoe, bucket, wheel, cookie, peas, blueberry, lipstick
    """)),
    (NOTHING, ".*"),
)  # fmt: skip

EMOJI: Mapping[str, str] = {
    "anchor": "⚓", "apple": "🍎🍏", "bird": "🐦🐤🐥🐓🦆🦅🦜🦢🦩", "bomb": "💣", "butterfly": "🦋", "cactus": "🌵",
    "candle": "🕯", "car": "🚗🚙🚕🚓🏎", "carrot": "🥕", "castle": "🏰🏯", "cat": "🐱🐈😺😹😻🙀",
    "cherries": "🍒", "cloud": "☁🌧🌨🌩🌥", "crown": "👑", "dog": "🐶🐕🐩🦮", "envelope": "✉📩📧📨💌",
    "face": "😀😄😁🙂☺😍😎🤓", "fir-tree": "🌲🎄", "fish": "🐟🐠🐡", "flower": "🌸🌹🌺🌻🌼🌷💮🏵",
    "ghost": "👻", "gift": "🎁", "heart": "❤💙🖤🤍💗💖💓", "house": "🏠🏡🏚", "ice-cream": "🍦", "key": "🔑🗝",
    "ladybird": "🐞", "light-bulb": "💡", "lightning": "⚡", "moon": "🌙🌛🌜🌒🌘", "mug": "☕🍵🍺", "mushroom": "🍄",
    "owl": "🦉", "pizza": "🍕", "potion": "⚗", "rabbit": "🐰🐇", "rainbow": "🌈", "robot": "🤖", "rocket": "🚀",
    "saturn": "🪐", "ship": "⛵", "skull": "💀☠", "snail": "🐌", "snowflake": "❄", "snowman": "⛄☃", "star": "⭐🌟",
    "sun": "☀🌞", "sword": "🗡", "tree": "🌳", "turtle": "🐢", "umbrella": "☂☔⛱", "volcano": "🌋", "watermelon": "🍉",
}  # fmt: skip
"""The font has no file names, so its characters are listed."""


def label(name: str, table: Table) -> str:
    """What a picture shows, by its name.

    >>> label("default_tool_steelsword", MINETEST), label("default_stone", MINETEST), label("default_fern_1", MINETEST)
    ('sword', 'nothing', 'unclear')
    """
    return next(subject for subject, pattern in table if _compiled(pattern).fullmatch(name))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
