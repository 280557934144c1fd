"""Replies in words: which option they choose, or which number they give.

A reply is read exactly or not at all. A reply that names two options, gives two numbers, contradicts itself or uses
another kind of unit is a fault of the model, not a wrong answer.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

from pixelproof.benches.spatial.understanding._question import LETTERS
from pixelproof.contract import Failure, Fault

_UNITS = {
    "mm": 0.1, "millimetre": 0.1, "millimetres": 0.1, "millimeter": 0.1, "millimeters": 0.1, "毫米": 0.1,
    "cm": 1.0, "cms": 1.0, "centimetre": 1.0, "centimetres": 1.0, "centimeter": 1.0, "centimeters": 1.0,
    "厘米": 1.0, "公分": 1.0,
    "dm": 10.0, "decimetre": 10.0, "decimetres": 10.0, "decimeter": 10.0, "decimeters": 10.0, "分米": 10.0,
    "km": 1e5, "kilometre": 1e5, "kilometres": 1e5, "kilometer": 1e5, "kilometers": 1e5, "公里": 1e5, "千米": 1e5,
    "yd": 91.44, "yds": 91.44, "yard": 91.44, "yards": 91.44, "码": 91.44,
    "m": 100.0, "metre": 100.0, "metres": 100.0, "meter": 100.0, "meters": 100.0, "米": 100.0,
    "in": 2.54, "inch": 2.54, "inches": 2.54, '"': 2.54, "″": 2.54, "英寸": 2.54,
    "ft": 30.48, "foot": 30.48, "feet": 30.48, "英尺": 30.48,
}  # fmt: skip
"""Unit → centimetres."""
_NEXT_WORD = re.compile(r"\s*-?(%|°|[a-z]+[²\d]?)", re.IGNORECASE)
_AFTER_LENGTH = frozenset(
    "about across along and apart approximately are as at away back behind between but by closer distance distant e"
    " farther for from further i if in is left long nearer of on or right roughly so the to which wide with".split()
)
"""Words behind a number without a unit; any other word there is taken for a unit."""
_OTHER_KINDS = frozenset(
    "% ° degree degrees px pixel pixels kg g gram grams lb lbs s sec secs second seconds m2 cm2".split()
)
"""Units that a count does not have."""
_TEENS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = (
    {word: number for number, word in enumerate(_TEENS)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"no": 0, "none": 0}
)
_NUMERALS = {"零": 0, "两": 2} | {sign: number for number, sign in enumerate("一二三四五六七八九", 1)}
_ENGLISH = (
    rf"\b(?P<tens>{'|'.join(_TENS)})(?:[-\s]+(?P<ones>{'|'.join(_TEENS[1:10])}))?\b"
    rf"|\b(?P<word>{'|'.join([*_TEENS, 'none', 'no'])})\b"
)
_CHINESE = r"(?P<chinese>一(?![共起下些样般定直])[二三四五六七八九十]*|[零二三四五六七八九十两][一二三四五六七八九十]*)"
_IN_WORDS = re.compile(rf"{_ENGLISH}|{_CHINESE}", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.,])(?P<sign>[-−–+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?(?:e[+-]?\d+)?|\.\d+)(?!\d|[.,]\d)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*-?(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![a-z²\d])", re.IGNORECASE
)
_RANGE = re.compile(r"\d\s*(?:-|–|—|~|to|至|到)\s*\d", re.IGNORECASE)
_MARKER = re.compile(
    r"(?:final\s+answer|answer|correct\s+option|(?:correct\s+)?choice|答案)(?:\s+is)?\s*(?:[:：=]|(?<=is)|是|为)\s*(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_THOUGHT = re.compile(r"^.*</think>|<think>.*$", re.IGNORECASE | re.DOTALL)
_TEX = re.compile(r"\\text(?:bf|rm|tt)?\{([^{}]*)\}")
_IS_RIGHT = re.compile(r"\s+is\s+(?:the\s+)?(?:correct|right)\b", re.IGNORECASE)
_LETTER = re.compile(
    r"(?:(?:i\s+think\s+)?(?:it\s+is\s+|it's\s+)?(?:option\s+|choice\s+)?|选择?\s*)(?:[(\[](?P<closed>[a-z])[)\]]|(?P<bare>[a-z])(?!\w))",
    re.IGNORECASE,
)
_SEPARATORS = (".", ")", ":", ",", "]", "：", "、", "\n", " -", " –", " —")
_AROUND = " \t\r\n*_`$\"'“”‘’。.,;!"
_TOLERANCE = 0.03
"""Two numbers that differ by no more than this share, such as 34 cm and 13 in, are one."""


def read_choice(text: str, options: Sequence[str]) -> int | Failure:
    """Index of the option that a reply chooses, by its letter or its text; or the failure.

    >>> options = ["yes", "no"]
    >>> read_choice("B", options), read_choice("**Answer: (A)**", options), read_choice("No, it is not.", options)
    (1, 0, 1)
    >>> read_choice("A or B", options).name, read_choice("A. no", options).name, read_choice("Maybe", options).name
    ('ambiguous-answer', 'ambiguous-answer', 'unclear-answer')
    """
    parts = _final_parts(unicodedata.normalize("NFKC", text))
    if not parts:
        return _fault("no-answer", text)
    options = [unicodedata.normalize("NFKC", option) for option in options]
    readings = [_read_option(part, options) for part in parts]
    chosen = {reading for reading in readings if isinstance(reading, int)}
    if len(chosen) > 1:
        return _fault("ambiguous-answer", text)
    return readings[-1] if not chosen else next((r for r in readings if isinstance(r, Failure)), chosen.pop())


def read_number(text: str, unit: str = "") -> float | Failure:
    """The number that a reply gives, in the unit that is asked for; or the failure.

    >>> [read_number(text, "cm") for text in ("34", "about 0.34 m", "They are 34 cm (0.34 m) apart.", "13.4 inches")]
    [34.0, 34.0, 34.0, 34.036]
    >>> read_number("There are three mugs."), read_number("30 to 40 cm", "cm").name, read_number("5 kg", "cm").name
    (3.0, 'ambiguous-answer', 'wrong-unit')

    Args:
        text: The reply.
        unit: `cm`, which is also that of a number without a unit; empty for counts, which have none.
    """
    parts = _final_parts(text)
    if not parts:
        return _fault("no-answer", text)
    readings = [_read_value(part, unit) for part in parts]
    values = [reading for reading in readings if isinstance(reading, float)]
    if not values or any(isinstance(reading, Failure) for reading in readings):
        return next(reading for reading in readings if isinstance(reading, Failure))
    return values[-1] if _are_one(values) else _fault("ambiguous-answer", text)


def _fault(name: str, text: str) -> Failure:
    return Failure(Fault.MODEL, name, f"The reply was {text.strip()[:120]!r}.")


def _final_parts(text: str) -> list[str]:
    """What a reply states as its answer; the whole reply if it does not mark one. Several, if it marks several."""
    text = _THOUGHT.sub("", text).strip()
    if text.startswith("```"):
        text = re.sub(r"^```\w*\s*|\s*```$", "", text)
    if text.startswith("{"):
        try:
            content = json.loads(text)
        except ValueError:
            content = None
        if isinstance(content, dict) and list(map(str.casefold, content)).count("answer") == 1:
            text = str(next(value for key, value in content.items() if key.casefold() == "answer"))
    for pattern in (_TAG, _BOXED):
        if said := pattern.findall(text):
            return [part for part in (_TEX.sub(r"\1", given).strip() for given in said) if part]
    marked = [match["said"].strip() for match in _MARKER.finditer(text)]
    return [part for part in marked or [text] if part.strip(_AROUND)]


def _read_option(part: str, options: Sequence[str]) -> int | Failure:
    """The option that a part of a reply chooses."""
    plain = part.strip(_AROUND)
    match = _LETTER.match(plain)
    by_letter = LETTERS.find((match["closed"] or match["bare"]).upper()) if match else -1
    if match and 0 <= by_letter < len(options):
        rest = plain[match.end() :]
        if not rest.strip(_AROUND) or _IS_RIGHT.match(rest):
            return by_letter
        if match["closed"] or rest.startswith(_SEPARATORS):
            return _after_letter(by_letter, rest, options, part)
    texts, said = [_normal(option) for option in options], _normal(plain)
    if said in texts:
        return texts.index(said)
    begun = [place for place, option in enumerate(texts) if _begins(said, option)]
    mentioned = _mentioned(said, texts)
    letters = _letters(plain, len(options))
    if len(begun) == 1 and mentioned == begun and not letters:
        return begun[0]
    by_value = _by_value(plain, options)
    if by_value is not None and not letters:
        return by_value
    return _fault("ambiguous-answer" if len(mentioned) > 1 or len(letters) > 1 else "unclear-answer", part)


def _letters(text: str, count: int) -> set[int]:
    """Options whose letter stands alone in a text; neither the article nor the pronoun."""
    found = re.finditer(r"(?<![\w'’])([A-Z])(?![\w'’])(?! (?!or\b|and\b)[a-z])|\(([A-Z])\)|\b([B-HJ-Z])\b", text)
    places = {LETTERS.index(next(filter(None, match.groups()))) for match in found}
    return {place for place in places if place < count}


def _after_letter(letter: int, rest: str, options: Sequence[str], part: str) -> int | Failure:
    """A letter that something follows: its option's text or a reason, but neither another option nor its letter."""
    said, own = _normal(rest), _normal(options[letter])
    if said == own:
        return letter
    others = [_normal(option) for place, option in enumerate(options) if place != letter]
    if _letters(rest, len(options)) - {letter}:
        return _fault("ambiguous-answer", part)
    if not _begins(said, own) and any(said == other or _begins(said, other, r"\b") for other in others):
        return _fault("ambiguous-answer", part)
    return letter


def _begins(said: str, option: str, end: str = r"\s*[,.;:!，。；：！–—-]") -> bool:
    """Whether words begin with an option."""
    return re.match(re.escape(option) + end, said) is not None


def _normal(text: str) -> str:
    """Words without case, articles, mark-up and outer punctuation."""
    plain = re.sub(r"\s+", " ", text.casefold()).strip(_AROUND + ":：)]([、-–—").strip()
    return re.sub(r"^(?:the|a|an|it is|it's|its)\s+", "", plain)


def _mentioned(said: str, options: Sequence[str]) -> list[int]:
    """Places of the options that occur in words; one that is a part of another occurs only outside of it."""
    found = []
    for place in sorted(range(len(options)), key=lambda place: -len(options[place])):
        said, count = re.subn(rf"(?<!\w){re.escape(options[place])}(?!\w)", " ", said)
        found += [place] if count else []
    return sorted(found)


def _by_value(plain: str, options: Sequence[str]) -> int | None:
    """The option with the number of a reply, where all options are numbers of one kind."""
    unit = "cm" if any(_UNIT.search(option) for option in options) else ""
    values = [_read_value(option, unit) for option in options]
    said = _read_value(plain, unit)
    if isinstance(said, Failure) or any(isinstance(value, Failure) for value in values):
        return None
    same = [place for place, value in enumerate(values) if isinstance(value, float) and _are_one([value, said])]
    return same[0] if len(same) == 1 else None


def _read_value(part: str, unit: str) -> float | Failure:
    """The only number of a part of a reply."""
    if _RANGE.search(part):
        return _fault("ambiguous-answer", part)
    values = []
    for match in _NUMBER.finditer(part):
        value = _value(match)
        named = _UNIT.match(part, match.end())
        word = _NEXT_WORD.match(part, match.end())
        if word and not named and _is_other_unit(word[1].casefold(), unit):
            return _fault("wrong-unit", part)
        if named and not unit:
            if named[1].casefold() not in ("in", '"', "″", "m"):  # `3 in the picture` counts things
                return _fault("wrong-unit", part)
            named = None
        values.append(value * _UNITS[named[1].casefold()] if named else value)
    values += _values_in_words(part, unit)
    if not values:
        return _fault("unclear-answer", part)
    return values[-1] if _are_one(values) else _fault("ambiguous-answer", part)


def _is_other_unit(word: str, unit: str) -> bool:
    """Whether a word behind a number is a unit of another kind; behind a length, every word that is no known one."""
    return word not in _AFTER_LENGTH if unit else word in _OTHER_KINDS


def _values_in_words(part: str, unit: str) -> Iterator[float]:
    """Numbers in words: counts, or lengths if a unit follows."""
    for match in _IN_WORDS.finditer(part):
        value = _word_value(match)
        if not unit:
            yield value
        elif named := _UNIT.match(part, match.end()):
            yield value * _UNITS[named[1].casefold()]


def _word_value(match: re.Match[str]) -> float:
    if not (signs := match["chinese"]):
        return float(sum(_WORDS[word.casefold()] for word in (match["tens"], match["ones"], match["word"]) if word))
    tens, ten, ones = signs.rpartition("十")
    return float((_NUMERALS.get(tens[-1:], 1) * 10 if ten else 0) + _NUMERALS.get(ones[-1:], 0))


def _value(match: re.Match[str]) -> float:
    digits = match["digits"]
    if not digits.startswith("0,") and re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", "."))
    return -value if match["sign"] in ("-", "−", "–") and match["sign"] else value


def _are_one(values: Sequence[float]) -> bool:
    """Whether numbers are the same, but for the rounding of a unit."""
    return max(values) - min(values) <= _TOLERANCE * max(map(abs, values))
