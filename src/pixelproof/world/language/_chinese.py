"""Chinese wording of expressions and edit instructions."""

from __future__ import annotations

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import Edit

from ._frames import has_two_frames, owner_of
from ._numbers import number
from ._refer import Expression
from ._solid import height_of, words_of
from ._truth import Phrase
from .chinese_words import ZH_COLOURS, ZH_MATERIALS, ZH_NOUNS, ZH_RELATIONS, ZH_SUPERLATIVES, ZH_WAYS_OF_MOVES
from .view import View
from .words import CONTAINERS

CHINESE: dict[str, tuple[str, ...]] = {
    "move": (
        "{frame}把{target}{way}移动{amount}。",
        "{frame}请将{target}{way}平移{amount}。",
        "{frame}让{target}{way}移动{amount}。",
    ),
    "place": (
        "{frame}把{target}放到{anchor}的{way}，两者中心相距{amount}。",
        "{frame}请将{target}移到{anchor}的{way}，使两者的中心距离为{amount}。",
    ),
    "put": ("把{target}放到{anchor}{way}。", "请将{target}移到{anchor}{way}。"),
    "turn": ("从上方看，把{target}{way}旋转{amount}度。", "请将{target}{way}旋转{amount}度（从上方看）。"),
    "scale": ("把{target}缩放到原来的{amount}倍。", "请将{target}的长、宽、高都变为原来的{percent}%。"),
    "remove": ("移除{target}。", "请把{target}拿走。", "将{target}从画面中删除。"),
    "insert": (
        "{frame}在{anchor}的{way}添加一个高{height}的{new}，两者中心相距{amount}。",
        "{frame}请在{anchor}的{way}放一个{new}，高{height}，使两者的中心距离为{amount}。",
    ),
    "swap": ("交换{target}和{anchor}的位置。", "请将{target}与{anchor}对调位置。"),
    "move camera": ("将相机{way}移动{amount}。", "请把相机{way}平移{amount}。"),
    "turn camera": ("将相机{way}转动{amount}度。", "请把相机{way}旋转{amount}度。"),
    "zoom camera": ("将相机变焦{way}，倍数为{amount}。", "不移动相机，变焦{way}{amount}倍。"),
}
_WAYS: dict[str, dict[str, str]] = {
    "move": ZH_WAYS_OF_MOVES,
    "place": {"left": "左边", "right": "右边", "front": "前面", "behind": "后面"},
    "put": {
        "middle": "的正中间",
        "left": "的左端",
        "right": "的右端",
        "front": "的前沿",
        "back": "的后沿",
        "front left": "的左前角",
        "front right": "的右前角",
        "back left": "的左后角",
        "back right": "的右后角",
    },
    "turn": {"clockwise": "顺时针", "anticlockwise": "逆时针"},
    "move camera": {"left": "向左", "right": "向右", "forward": "向前", "back": "向后", "up": "向上", "down": "向下"},
    "turn camera": {"left": "向左", "right": "向右", "up": "向上", "down": "向下"},
    "zoom camera": {"in": "拉近", "out": "拉远"},
}
_WAYS["insert"] = _WAYS["place"]


def chinese_phrase(phrase: Phrase) -> str:
    """Chinese words for a class of things, such as 红色陶瓷马克杯; a noun of one character takes 的, as in 红色的书.

    Raises:
        PixelProofError: The table has no word for it.
    """
    if phrase.noun not in ZH_NOUNS:
        raise PixelProofError(f"There is no Chinese word for {phrase.noun!r} yet: add it to ZH_NOUNS.")
    colour = ZH_COLOURS[phrase.colour] if phrase.colour else ""
    material = ZH_MATERIALS[phrase.material] if phrase.material else ""
    noun = ZH_NOUNS[phrase.noun]
    return colour + material + ("的" if len(noun) == 1 and colour and not material else "") + noun


def chinese_expression(expression: Expression) -> str:
    """Chinese words for a referring expression, such as 碗左边的红色马克杯."""
    words = chinese_phrase(expression.phrase)
    if expression.superlative:
        words = f"{ZH_SUPERLATIVES[expression.superlative]}的{words}"
    if expression.anchor:
        where = chinese_place(expression.relation, expression.anchor.phrase.noun)
        words = f"{chinese_expression(expression.anchor)}{where}的{words}"
    return words


def chinese_place(relation: str, anchor: str) -> str:
    """Chinese words for a relation to a thing with a noun."""
    return "里" if relation == "on" and anchor in CONTAINERS else ZH_RELATIONS[relation]


def chinese_way(view: View, edit: Edit) -> dict[str, str]:
    """Chinese words for the direction and amount of an edit."""
    way = _WAYS.get(edit.action, {}).get(edit.way, "")
    if edit.action == "put" and not edit.way:
        way = chinese_place("on", view[edit.anchor].noun)
    amount = _length(edit.amount) if edit.action in ("move", "place", "insert", "move camera") else number(edit.amount)
    values = {"way": way, "amount": amount, "percent": number(100 * edit.amount), "frame": ""}
    if edit.frame == "object":
        values["frame"] = f"从该{ZH_NOUNS[owner_of(view, edit).noun]}自身的角度看，"
    elif has_two_frames(view, edit):
        values["frame"] = "从观察者的角度看，"
    if edit.thing is not None:
        values |= {"new": chinese_phrase(words_of(edit.thing)), "height": _length(height_of(edit.thing))}
    return values


def _length(metres: float) -> str:
    return f"{number(100 * metres)}厘米" if metres < 1 else f"{number(metres)}米"
