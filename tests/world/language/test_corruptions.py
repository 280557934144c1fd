"""The checker refuses sentences that were made wrong on purpose."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from oracles.language import check
from pixelproof.world.language.chinese_words import ZH_COLOURS
from pixelproof.world.language.words import ALIKE_COLOURS, COLOURS, NUMBERS
from world.language.samples import KINDS, sample

pytestmark = pytest.mark.slow

TURNED = {
    "left": "right", "leftmost": "rightmost", "closest to": "farthest from", "in front of": "behind", "above": "below",
    "towards": "away from", "clockwise": "anticlockwise", "tallest": "shortest", "largest": "smallest", "up": "down",
    "forwards": "backwards", "highest": "lowest", "closer to": "farther from", "higher up": "lower down",
    "larger": "smaller",
}  # fmt: skip
ZH_TURNED = {
    "更近": "更远",
    "位置更高": "位置更低",
    "更大": "更小",
    "左": "右",
    "最近": "最远",
    "前面": "后面",
    "顺时针": "逆时针",
    "最大": "最小",
    "最高": "最矮",
}


OPPOSITE = {
    "yes": "no",
    "no": "yes",
    "是": "否",
    "否": "是",
    "left": "right",
    "right": "left",
    "左边": "右边",
    "右边": "左边",
}


def other_colour(sentence, seen, rng):
    """One colour word becomes another."""
    words = COLOURS if sentence.language == "en" else tuple(ZH_COLOURS.values())
    found = [word for word in words if re.search(rf"\b{word}\b" if word.isascii() else word, sentence.text)]
    if not found or sentence.answer in ("yes", "no", "0", "是", "否"):
        return None
    word = max(found, key=len)  # 深蓝色 before 蓝色
    plain = COLOURS[words.index(word)]
    others = [new for new, english in zip(words, COLOURS, strict=True) if not {(english, plain)} & ALIKE_COLOURS]
    new = str(rng.choice([other for other in others if other != word]))
    pattern = rf"\b{word}\b" if word.isascii() else word
    return seen, replace(sentence, text=re.sub(pattern, new, sentence.text, count=1))


def other_side(sentence, seen, rng):
    """Left becomes right, near becomes far, and the other way round."""
    pairs = TURNED if sentence.language == "en" else ZH_TURNED
    for one, other in pairs.items():
        for old, new in ((one, other), (other, one)):
            pattern = rf"\b{old}\b" if old.isascii() else old
            if re.search(pattern, sentence.text):
                return seen, replace(sentence, text=re.sub(pattern, new, sentence.text, count=1, flags=re.I))
    return None


def other_number(sentence, seen, rng):
    """A number in the text grows by two percent; a word for a number becomes the next."""
    digits = re.search(r"\d+(\.\d+)?", sentence.text)
    if digits:
        text = sentence.text[: digits.start()] + f"{float(digits[0]) * 1.02:.5g}" + sentence.text[digits.end() :]
        return seen, replace(sentence, text=text)
    for word, larger in zip(NUMBERS[2:], NUMBERS[3:], strict=False):
        if re.search(rf"\b{word}\b", sentence.text, re.I) and sentence.answer != "no":
            return seen, replace(sentence, text=re.sub(rf"\b{word}\b", larger, sentence.text, count=1, flags=re.I))
    return None


def other_answer(sentence, seen, rng):
    """Yes becomes no, a choice another choice, a number a larger one."""
    if not sentence.answer:
        return None
    if sentence.choices:
        answer = str(rng.choice([choice for choice in sentence.choices if choice != sentence.answer]))
    elif sentence.answer in OPPOSITE:
        answer = OPPOSITE[sentence.answer]
    elif sentence.language == "zh" and "，哪个" in sentence.text:
        answer = next(part for part in sentence.text.split("，哪个")[0].split("和") if part != sentence.answer)
    elif re.fullmatch(r"[\d.]+", sentence.answer):
        answer = f"{float(sentence.answer) * 1.02:.5g}" if "." in sentence.answer else str(int(sentence.answer) + 1)
    elif " or " in sentence.text:
        first, second = sentence.text.rstrip("?").rpartition(", ")[2].split(" or ")
        answer = second if sentence.answer == first else first
    else:
        answer = str(rng.choice([word for word in COLOURS if word != sentence.answer]))
    return seen, replace(sentence, answer=answer)


def second_referent(sentence, seen, rng):
    """Beside a thing that is referred to comes another just like it."""
    if not sentence.about:
        return None
    one = seen[sentence.about[0]]
    x, y, z = one.centre
    copy = replace(one, id="copy", centre=(x + 0.01, y + 0.01, z))
    return replace(seen, entities=(*seen.entities, copy)), sentence


def other_edit(sentence, seen, rng):
    """The edit that is carried out is not the one that the text asks for."""
    if sentence.edit is None:
        return None
    others = [entity.id for entity in seen.things if entity.id not in sentence.about]
    if rng.random() < 0.5 or not others or not sentence.edit.target:
        return seen, replace(sentence, edit=replace(sentence.edit, amount=sentence.edit.amount * 1.01 + 0.001))
    return seen, replace(sentence, edit=replace(sentence.edit, target=others[0]), about=())


CORRUPTIONS = [other_colour, other_side, other_number, other_answer, second_referent, other_edit]
WANTED = {
    "expression": 3, "fact": 4, "caption": 2, "yes-no": 3, "choice": 3, "open": 3, "yes-no in Chinese": 3,
    "choice in Chinese": 3, "open in Chinese": 3, "edit": 5, "edit in Chinese": 5,
}  # fmt: skip
"""How many of the corruptions apply to a kind, at least."""


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_sentences_are_refused(kind):
    rng = np.random.default_rng(0)
    tried, missed = Counter(), []
    for seen, sentence in sample(kind):
        for corrupt in CORRUPTIONS:
            wrong = corrupt(sentence, seen, rng)
            if wrong is None or (wrong[1] == sentence and wrong[0] is seen):
                continue
            tried[corrupt.__name__] += 1
            if not check(*wrong):
                missed.append((corrupt.__name__, sentence.text, wrong[1].text, wrong[1].answer))
    assert len(tried) >= WANTED[kind], tried
    for name, number in tried.items():
        let_through = [one for one in missed if one[0] == name]
        assert len(let_through) <= max(1, 0.05 * number), (number, let_through)
