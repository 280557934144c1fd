"""The two published prompt families, in our own words.

The facts of each (format, counts, keys, example, last line) are those of the published prompts; the sentences are not.
A change of wording is a new version in `FAMILIES`.
"""

from __future__ import annotations

from pixelproof.benches.pixelart._format import FAMILIES, Format
from pixelproof.benches.pixelart._grammar import grammar, schema
from pixelproof.benches.pixelart.subjects import EXAMPLE, Drawing, reduce_colours
from pixelproof.contract import Prompt

_ORIGINAL = """\
You are a pixel artist who answers in JSON.

Answer with one JSON object and nothing else: no Markdown fence, no explanation, no text before or after it. \
The object has exactly two keys, "palette" and "grid".
- "palette" is a list of 2 to {colours} colours. Each is a string of six hexadecimal digits without "#". \
The first colour has index 0. Every colour of the picture is in it, the background's too.
- "grid" is a list of exactly {size} strings, one per row, the top row first. Each string is exactly {size} digits \
long, one digit per cell: the index of the cell's colour in the palette. A row is a string, never a list.

How to draw well:
{guidance}

An example of the format, for a 4x4 picture with {example_colours} colours:
{example}

Draw: {subject}"""

_FREELY = """\
- If the subject is abstract, think of a concrete and surprising scene that shows it, not of its usual symbol.
- Draw no letters, numbers or words.
- Keep the palette lean: only colours that the picture needs.
- Fill every cell, the background too."""

_EXACTLY = """\
- Draw exactly what is asked for and nothing else, in flat colours: no shading, no outline, no decoration.
- Keep the palette lean: only colours that the picture needs.
- Fill every cell, the background too."""

_COMPOSED = """\
- Draw exactly what is asked for and nothing else. Every condition is checked by itself.
- Draw no letters, numbers or words.
- Keep the palette lean: only colours that the picture needs.
- Fill every cell, the background too."""

_LITE = """\
Make a pixel-art picture of the subject. Answer with a JSON object with two keys: "palette", the list of colours used \
(at most {colours}), and "grid", {size} lists of {size} integers from 0 to {last}, each the index of a colour in the \
palette.

Subject: {subject}"""


def example(form: Format) -> Drawing:
    """The 4 × 4 example of the prompt, with no more colours than allowed."""
    return reduce_colours(EXAMPLE, form.colours)


_GUIDANCE = {"thing": _FREELY, "exact": _EXACTLY, "composed": _COMPOSED}


def prompt_name(form: Format, scoring: str = "thing") -> str:
    """Name of the wording of an item, which depends on how it is scored; the lite prompt has only one."""
    style = "" if scoring == "thing" or form.family == "lite" else f"-{scoring}"
    return f"{form.family}{style}-{FAMILIES[form.family]}"


def write_prompt(subject: str, form: Format, name: str = "") -> Prompt:
    """The prompt of a subject, with the schema and the grammar of a legal reply.

    Args:
        subject: What to draw.
        form: Of the reply.
        name: Of the wording; without one, the published guidance, which asks for scenes and forbids digits.
    """
    guidance = next((text for key, text in _GUIDANCE.items() if name == prompt_name(form, key)), _FREELY)
    picture = example(form)
    text = (_ORIGINAL if form.family == "original" else _LITE).format(
        subject=subject,
        guidance=guidance,
        size=form.size,
        colours=form.colours,
        last=form.colours - 1,
        example=form.write(picture.palette, picture.grid),
        example_colours=len(picture.palette),
    )
    return Prompt(
        parts=(text,),
        max_tokens=_tokens(form) * 3 // 2,  # space for white space, not for rambling
        schema=schema(form),
        grammar=grammar(form.size, form.colours, form.family),
    )


def _tokens(form: Format) -> int:
    """Upper bound of the tokens of a compact reply, if every digit is a token of its own, as in small models."""
    per_cell = 1 if form.family == "original" else 1 + len(str(form.colours - 1))
    return form.size**2 * per_cell + 4 * form.size + 9 * form.colours + 32
