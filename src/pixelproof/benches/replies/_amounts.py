"""Numbers in replies, with units of length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pixelproof.contract import Failure, Fault

from ._numerals import in_digits

_UNITS = {
    "mm": 0.1, "millimetre": 0.1, "millimetres": 0.1, "millimeter": 0.1, "millimeters": 0.1, "毫米": 0.1,
    "cm": 1.0, "cms": 1.0, "centimetre": 1.0, "centimetres": 1.0, "centimeter": 1.0, "centimeters": 1.0,
    "厘米": 1.0, "公分": 1.0,
    "dm": 10.0, "decimetre": 10.0, "decimetres": 10.0, "decimeter": 10.0, "decimeters": 10.0, "分米": 10.0,
    "m": 100.0, "metre": 100.0, "metres": 100.0, "meter": 100.0, "meters": 100.0, "米": 100.0, "公尺": 100.0,
    "km": 1e5, "kilometre": 1e5, "kilometres": 1e5, "kilometer": 1e5, "kilometers": 1e5, "千米": 1e5, "公里": 1e5,
    "in": 2.54, "inch": 2.54, "inches": 2.54, '"': 2.54, "″": 2.54, "英寸": 2.54,
    "ft": 30.48, "foot": 30.48, "feet": 30.48, "英尺": 30.48,
    "yd": 91.44, "yds": 91.44, "yard": 91.44, "yards": 91.44, "码": 91.44,
}  # fmt: skip
"""Unit → centimetres."""
_FOREIGN = re.compile(
    r"\s*(?:%|°|degrees?\b|px\b|pixels?\b|kg\b|g\b|grams?\b|lbs?\b|s\b|sec(?:ond)?s?\b|min(?:ute)?s?\b|m2\b|m²|cm2\b|cm²|像素|度)",
    re.IGNORECASE,
)
"""Units that neither a count nor a length has."""
_NO_UNIT = frozenset(
    "and or but so as at to from of on in the a an is are was it its i which that this these than then there for with"
    " by between apart away across along long wide high tall deep far near left right further closer behind below above"
    " before after because since given assuming total altogether approximately approx roughly about around maybe answer"
    " if when while horizontally vertically horizontal vertical straight direct centre center edge".split()
)
"""Words behind a number that name no unit."""
_NO_UNIT_CHINESE = tuple("左上的远长宽高。，、（(）)之是以多到至")
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.,])(?P<sign>[-−–+]?)(?P<digits>\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d+(?:[.,]\d+)?(?:e[+-]?\d+)?|\.\d+)(?![\d])",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*-?(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![a-z²\d])", re.IGNORECASE
)
_UNIT_BEHIND = re.compile(r"(\d)" + _FOREIGN.pattern + r"|(?<=\d)" + _UNIT.pattern, re.IGNORECASE)
_BEHIND = re.compile(r"\s?-?([a-z]+|[\u4e00-\u9fff])", re.IGNORECASE)
_RANGE = re.compile(r"\d\s*(?:-|–|—|~|to|至|到)\s*\d", re.IGNORECASE)
_TOLERANCE = 0.02
"""Two numbers that differ by no more than this share are one."""
_ROUNDING = 0.1
"""So are two in different units that differ by no more than this and than their last digits allow: 34 cm and 13 in."""


@dataclass(frozen=True)
class _Amount:
    """A number in the unit that is asked for, half a step of its last digit, and the unit it was given in."""

    value: float
    half_step: float
    unit: str


def fault(name: str, text: str) -> Failure:
    """A reply that cannot be read."""
    return Failure(Fault.MODEL, name, f"The reply was {text.strip()[:120]!r}.")


def has_length(text: str) -> bool:
    """Whether a text has a unit of length."""
    return _UNIT.search(text) is not None


def read_amount(part: str, unit: str | None) -> float | Failure:
    """The only number of a part of a reply; see `read_number`."""
    if unit is None:
        part, unit = _UNIT_BEHIND.sub(r"\1", part), ""
    part = in_digits(part, _UNIT if unit else None)  # `one` without a unit is often no number
    if _RANGE.search(part):
        return fault("ambiguous-answer", part)
    amounts: list[_Amount] = []
    end = 0
    for match in _NUMBER.finditer(part):
        named = _UNIT.match(part, match.end())
        if named and not unit and named[1].casefold() in ("in", '"', "″", "m"):  # `3 in the picture` counts things
            named = None
        elif (named and not unit) or (not named and _is_foreign(part, match.end(), unit)):
            return fault("wrong-unit", part)
        scale = _UNITS[named[1].casefold()] if named else 1.0
        value, step = _value(match)
        amount = _Amount(value * scale, step * scale / 2, named[1].casefold() if named else unit)
        if amounts and _continues(amounts[-1], amount, part[end : match.start()]):
            amounts[-1] = _Amount(amounts[-1].value + amount.value, amount.half_step, amount.unit)
        else:
            amounts.append(amount)
        end = named.end() if named else match.end()
    if not unit:
        amounts += [_Amount(0.0, 0.0, "") for _ in re.findall(r"\b(?:no|none)\b", part.casefold())]
    if not amounts:
        return fault("unclear-answer", part)
    if not all(_same(amounts[0], other) for other in amounts[1:]):
        return fault("ambiguous-answer", part)
    return next((amount.value for amount in amounts if amount.unit == unit), amounts[0].value)


def are_one(values: Sequence[float]) -> bool:
    """Whether numbers are the same, but for the rounding of a unit."""
    return max(values) - min(values) <= _TOLERANCE * max(map(abs, values))


def _is_foreign(text: str, end: int, unit: str) -> bool:
    """Whether a number is followed by something that can only be another unit."""
    if _FOREIGN.match(text, end):
        return True
    behind = _BEHIND.match(text, end) if unit else None
    if behind is None:
        return False
    word = behind[1].casefold()
    return not (word in _NO_UNIT or word.startswith(_NO_UNIT_CHINESE))


def _continues(first: _Amount, second: _Amount, between: str) -> bool:
    """Whether two numbers are one length in two units, such as `1 m 20 cm`."""
    parts = _UNITS.get(first.unit, 0.0), _UNITS.get(second.unit, 0.0)
    return parts[0] > parts[1] > 0 and not between.strip(" ") and second.value < parts[0] and first.value >= 0


def _value(match: re.Match[str]) -> tuple[float, float]:
    """A number, and the step of its last digit."""
    digits = match["digits"]
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", digits):
        digits = digits.replace(".", "")
    elif re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    value = float(digits)
    decimals = re.match(r"\d*\.(\d+)", digits)
    step = 10.0 ** -len(decimals[1]) if decimals else 1.0
    return (-value if match["sign"] in ("-", "−", "–") and match["sign"] else value), step


def _same(a: _Amount, b: _Amount) -> bool:
    if are_one([a.value, b.value]):
        return True
    apart, largest = abs(a.value - b.value), max(abs(a.value), abs(b.value))
    return a.unit != b.unit and apart <= max(a.half_step, b.half_step) and apart <= _ROUNDING * largest
