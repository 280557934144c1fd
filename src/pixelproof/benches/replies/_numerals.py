"""Numbers in words, English and Chinese, as digits."""

from __future__ import annotations

import re

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_WORD = "|".join(sorted((*_ONES, *_TENS), key=len, reverse=True))
_ENGLISH = re.compile(
    rf"\b(?:{_WORD}|hundred)(?:(?:\s*-\s*|\s+|\s+and\s+)(?:{_WORD}|hundred))*\b",
    re.IGNORECASE,
)
_DIGITS = dict(zip("零一二三四五六七八九", range(10), strict=True)) | {"两": 2}
_ONE_TO_NINE = "一二三四五六七八九两"
_CHINESE = re.compile("[零一二三四五六七八九两十百]+")
_NO_NUMBER = re.compile("一共|一起|一样|一些|一下|一般|一边|一致|一直|一旁|唯一|统一|同一|第[一二三四五六七八九十]+")
"""Chinese words with a numeral that count nothing."""


def in_digits(text: str, before: re.Pattern[str] | None = None) -> str:
    """A text with its numbers in words replaced by digits.

    >>> in_digits("twenty-one mugs, one hundred and five books"), in_digits("一共有三十四本书")
    ('21 mugs, 105 books', '有34本书')
    >>> in_digits("two or three; seven eleven")
    '2 or 3; 7 11'

    Args:
        text: The text.
        before: Only numbers that this pattern follows are replaced.
    """
    text = _ENGLISH.sub(lambda match: _english(match[0]) if _is_before(match, before) else match[0], text)
    text = _NO_NUMBER.sub("", text)
    return _CHINESE.sub(lambda match: _chinese(match[0]) if _is_before(match, before) else match[0], text)


def _is_before(match: re.Match[str], pattern: re.Pattern[str] | None) -> bool:
    return pattern is None or pattern.match(match.string, match.end()) is not None


def _english(words: str) -> str:
    """Digits of each number in a run of words."""
    values: list[int] = []
    for word in re.findall(r"[a-z]+", words.casefold()):
        if word == "and":
            continue
        last = values[-1] if values else 0
        if word == "hundred":
            if values and 1 <= last <= 9:
                values[-1] = last * 100
            else:
                values.append(100)
            continue
        value = _ONES.get(word, _TENS.get(word, 0))
        open_tens = 20 <= last % 100 and last % 10 == 0
        open_hundreds = last >= 100 and last % 100 == 0
        if values and ((open_tens and 1 <= value <= 9) or (open_hundreds and value)):
            values[-1] = last + value
        else:
            values.append(value)
    return " ".join(map(str, values))


def _chinese(numeral: str) -> str:
    """Digits of a numeral below 1,000; the numeral itself if it is none."""
    match = re.fullmatch(
        r"(?:([一二三四五六七八九两])百零?)?(?:([一二三四五六七八九]?)(十))?([零一二三四五六七八九两]?)", numeral
    )
    if not match:
        return numeral
    hundreds, tens, ten, ones = match.groups()
    value = 100 * _DIGITS.get(hundreds or "", 0) + (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)
    return str(value)
