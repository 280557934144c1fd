"""Which option a reply chooses, and what it states as its answer."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Sequence

from pixelproof.contract import Failure, read_statement

from ._amounts import are_one, fault, has_length, read_amount

_LETTERS = string.ascii_uppercase
_MARKER = re.compile(
    r"(?:final\s+answer|answer|correct\s+option|答案)(?:\s+is)?\s*(?:[:：=]|(?<=is)|是|为)\s*(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_LETTER = re.compile(r"(?:[(\[](?P<closed>[a-z])[)\]]|(?P<bare>[a-z])(?!\w))", re.IGNORECASE)
_SEPARATORS = (".", ")", ":", ",", "]", "：", "、", "\n", " -", " –", " —", " (")
_AROUND = " \t\r\n*_`\"'“”‘’。.,;!"
_LATEX = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|mathsf|rm)\s*\{([^{}]*)\}")
_LEAD = re.compile(
    r"(?:(?:so|thus|therefore|i think|i believe|i(?:'d| would)? (?:choose|pick|select|say|go with)"
    r"|it(?:'s| is)|it should be"
    r"|(?:the|my) (?:correct |right |best |final )?(?:answer|option|choice)(?: is| would be| should be)?"
    r"|option|choice|应该选|我选择?|选择|选项|选|应该是|是)[:,]?\s*)+",
    re.IGNORECASE,
)
"""Words before the letter of an option."""
_CONFIRMED = re.compile(
    r"\s+(?:is|seems|looks) (?:the )?(?:correct|right|best)(?: (?:answer|option|choice))?[.!]?", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"\b(?:cannot|can't|can not|unable to|not able to|could not|couldn't) (?:\w+ )?"
    r"(?:see|view|tell|determine|answer|access|open|process|identify)"
    r"|无法|看不到|不能确定",
    re.IGNORECASE,
)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


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
        return fault("no-answer", text)
    readings = [_read_option(part, options) for part in parts]
    chosen = {reading for reading in readings if isinstance(reading, int)}
    if len(chosen) > 1:
        return fault("ambiguous-answer", text)
    return readings[-1] if not chosen else next((r for r in readings if isinstance(r, Failure)), chosen.pop())


def read_number(text: str, unit: str | None = "") -> float | Failure:
    """The number that a reply gives, in the unit that is asked for; or the failure.

    >>> [read_number(text, "cm") for text in ("34", "about 0.34 m", "They are 34 cm (0.34 m) apart.", "13.4 inches")]
    [34.0, 34.0, 34.0, 34.036]
    >>> read_number("There are three mugs."), read_number("30 to 40 cm", "cm").name, read_number("5 kg", "cm").name
    (3.0, 'ambiguous-answer', 'wrong-unit')

    Args:
        text: The reply.
        unit: `cm`, which is also that of a number without a unit; empty for counts, which have none.
            None: any unit, which is not converted, for questions that say which one they want.
    """
    parts = _final_parts(text)
    if not parts:
        return fault("no-answer", text)
    readings = [read_amount(part, unit) for part in parts]
    values = [reading for reading in readings if isinstance(reading, float)]
    if not values or any(isinstance(reading, Failure) for reading in readings):
        return next(reading for reading in readings if isinstance(reading, Failure))
    return values[-1] if are_one(values) else fault("ambiguous-answer", text)


def _final_parts(text: str) -> list[str]:
    """What a reply states as its answer; the whole reply if it does not mark one. Several, if it marks several."""
    text = read_statement(text).translate(_FULL_WIDTH)
    if text.startswith("```"):
        text = re.sub(r"^```\w*\s*|\s*```$", "", text)
    if text.startswith("{"):
        try:
            content = json.loads(text)
        except ValueError:
            content = None
        if isinstance(content, dict) and list(map(str.casefold, content)).count("answer") == 1:
            said = next(value for key, value in content.items() if key.casefold() == "answer")
            text = str(said[0] if isinstance(said, list) and len(said) == 1 else said)
    for pattern in (_TAG, _BOXED):
        if marked := pattern.findall(text):
            return [part for part in map(_without_latex, marked) if part]
    marked = [match["said"] for match in _MARKER.finditer(text)]
    return [part for part in map(_without_latex, marked or [text]) if part.strip(_AROUND)]


def _without_latex(text: str) -> str:
    r"""A text without the mark-up of formulas: `$\text{B}$` is B."""
    return re.sub(r"\\[()\[\],; ]|\$", "", _LATEX.sub(r"\1", text)).strip()


def _read_option(part: str, options: Sequence[str]) -> int | Failure:
    """The option that a part of a reply chooses."""
    plain = part.strip(_AROUND)
    lead = _LEAD.match(plain)
    match = _LETTER.match(plain, lead.end() if lead else 0) or _LETTER.match(plain)
    by_letter = _LETTERS.find((match["closed"] or match["bare"]).upper()) if match else -1
    if match and 0 <= by_letter < len(options):
        rest = plain[match.end() :]
        if not rest.strip(_AROUND) or _CONFIRMED.fullmatch(rest):
            return by_letter
        if match["closed"] or rest.startswith(_SEPARATORS):
            return _after_letter(by_letter, rest, options, part)
    texts, said = [_normal(option) for option in options], _normal(plain)
    if said in texts:
        return texts.index(said)
    begun = [place for place, option in enumerate(texts) if _begins(said, option)]
    mentioned = _mentioned(said, texts)
    letters = _letters(plain, len(options))
    if _REFUSAL.search(plain):
        return fault("unclear-answer", part)
    if len(begun) == 1 and mentioned == begun and not letters:
        return begun[0]
    by_value = _by_value(plain, options)
    if by_value is not None and not letters:
        return by_value
    return fault("ambiguous-answer" if len(mentioned) > 1 or len(letters) > 1 else "unclear-answer", part)


def _letters(text: str, count: int) -> set[int]:
    """Options whose letter stands alone in a text; neither the article nor the pronoun."""
    found = re.finditer(r"(?<![\w'’])([A-Z])(?![\w'’])(?! (?!or\b|and\b)[a-z])|\(([A-Z])\)|\b([B-HJ-Z])\b", text)
    places = {_LETTERS.index(next(filter(None, match.groups()))) for match in found}
    return {place for place in places if place < count}


def _after_letter(letter: int, rest: str, options: Sequence[str], part: str) -> int | Failure:
    """A letter that something follows: its option's text or a reason, but neither another option nor its letter."""
    said, own = _normal(rest), _normal(options[letter])
    if said == own:
        return letter
    others = [_normal(option) for place, option in enumerate(options) if place != letter]
    if _letters(rest, len(options)) - {letter}:
        return fault("ambiguous-answer", part)
    if not _begins(said, own) and any(said == other or _begins(said, other, r"\b") for other in others):
        return fault("ambiguous-answer", part)
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
    unit = "cm" if any(has_length(option) for option in options) else ""
    values = [read_amount(option, unit) for option in options]
    said = read_amount(plain, unit)
    if isinstance(said, Failure) or any(isinstance(value, Failure) for value in values):
        return None
    same = [place for place, value in enumerate(values) if isinstance(value, float) and are_one([value, said])]
    return same[0] if len(same) == 1 else None
