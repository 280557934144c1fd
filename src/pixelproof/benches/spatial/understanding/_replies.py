"""Replies in words: which option they choose, or which number they give.

A reply is read exactly or not at all. A reply that names two options, gives two numbers, contradicts itself or uses
another kind of unit is a fault of the model, not a wrong answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pixelproof.benches.spatial.understanding._question import LETTERS
from pixelproof.contract import Failure, Fault

_UNITS = {
    "mm": 0.1, "millimetre": 0.1, "millimetres": 0.1, "millimeter": 0.1, "millimeters": 0.1, "毫米": 0.1,
    "cm": 1.0, "cms": 1.0, "centimetre": 1.0, "centimetres": 1.0, "centimeter": 1.0, "centimeters": 1.0,
    "厘米": 1.0, "公分": 1.0,
    "m": 100.0, "metre": 100.0, "metres": 100.0, "meter": 100.0, "meters": 100.0, "米": 100.0,
    "in": 2.54, "inch": 2.54, "inches": 2.54, '"': 2.54, "″": 2.54, "英寸": 2.54,
    "ft": 30.48, "foot": 30.48, "feet": 30.48, "英尺": 30.48,
}  # fmt: skip
"""Unit → centimetres."""
_FOREIGN = re.compile(
    r"\s*(?:%|°|degrees?\b|px\b|pixels?\b|kg\b|g\b|grams?\b|lbs?\b|s\b|sec(?:ond)?s?\b|min(?:ute)?s?\b|m2\b|m²|cm2\b|cm²)",
    re.IGNORECASE,
)
_WORDS = (
    {
        word: number
        for number, word in enumerate(
            ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
        )
    }
    | dict(zip("零一二三四五六七八九十", range(11), strict=True))
    | {"no": 0, "none": 0, "两": 2}
)
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.,])(?P<sign>[-−–+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?(?:e[+-]?\d+)?|\.\d+)(?![\d])",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*-?(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![a-z²\d])", re.IGNORECASE
)
_RANGE = re.compile(r"\d\s*(?:-|–|—|~|to|至|到)\s*\d", re.IGNORECASE)
_MARKER = re.compile(
    r"(?:final\s+answer|answer|correct\s+option|答案)(?:\s+is)?\s*(?:[:：=]|(?<=is)|是|为)\s*(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_THOUGHT = re.compile(r"^.*</think>|<think>.*$", re.IGNORECASE | re.DOTALL)
_LETTER = re.compile(r"(?:option\s+|choice\s+)?(?:[(\[](?P<closed>[a-z])[)\]]|(?P<bare>[a-z])(?!\w))", re.IGNORECASE)
_SEPARATORS = (".", ")", ":", ",", "]", "：", "、", "\n", " -", " –", " —")
_AROUND = " \t\r\n*_`\"'“”‘’。.,;!"
_TOLERANCE = 0.02
"""Two numbers that differ by no more than this share, such as 34 cm and 13.4 in, are one."""


def read_choice(text: str, options: Sequence[str]) -> int | Failure:
    """Index of the option that a reply chooses, by its letter or its text; or the failure.

    >>> options = ["yes", "no"]
    >>> read_choice("B", options), read_choice("**Answer: (A)**", options), read_choice("No, it is not.", options)
    (1, 0, 1)
    >>> read_choice("A or B", options).name, read_choice("A. no", options).name, read_choice("Maybe", options).name
    ('ambiguous-answer', 'ambiguous-answer', 'unclear-answer')
    """
    parts = _final_parts(text)
    if not parts:
        return _fault("no-answer", text)
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
            return [part for part in map(str.strip, said) if part]
    marked = [match["said"].strip() for match in _MARKER.finditer(text)]
    return [part for part in marked or [text] if part.strip(_AROUND)]


def _read_option(part: str, options: Sequence[str]) -> int | Failure:
    """The option that a part of a reply chooses."""
    plain = part.strip(_AROUND)
    match = _LETTER.match(plain)
    by_letter = LETTERS.find((match["closed"] or match["bare"]).upper()) if match else -1
    if match and 0 <= by_letter < len(options):
        rest = plain[match.end() :]
        if not rest.strip(_AROUND):
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
        if not named and _FOREIGN.match(part, match.end()):
            return _fault("wrong-unit", part)
        if named and not unit:
            if named[1].casefold() not in ("in", '"', "″", "m"):  # `3 in the picture` counts things
                return _fault("wrong-unit", part)
            named = None
        values.append(value * _UNITS[named[1].casefold()] if named else value)
    if not unit:
        words = re.findall(r"[a-z]+|[零一二三四五六七八九十两]", part.casefold())
        values += [float(_WORDS[word]) for word in words if word in _WORDS]
    if not values:
        return _fault("unclear-answer", part)
    return values[-1] if _are_one(values) else _fault("ambiguous-answer", part)


def _value(match: re.Match[str]) -> float:
    digits = match["digits"]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", "."))
    return -value if match["sign"] in ("-", "−", "–") and match["sign"] else value


def _are_one(values: Sequence[float]) -> bool:
    """Whether numbers are the same, but for the rounding of a unit."""
    return max(values) - min(values) <= _TOLERANCE * max(map(abs, values))
