"""Code blocks of Markdown pages, with the directives that tell how to test them.

A directive is an HTML comment above a block, so readers do not see it:

    <!-- docs-test: skip needs-key: calls a paid service -->   not run; the reasons are in SKIP_REASONS
    <!-- docs-test: continue -->                 in the directory of the block before; Python keeps its variables
    <!-- docs-test: file coin.py -->             write the block to a file; do not run it
    <!-- docs-test: replace --n 1000 | --n 3 --> a smaller size for the test
    <!-- docs-test: exit 4 -->                   exit code of the last command
    <!-- docs-test: before                       code to run first, in the language of the block
    mkdir answers
    -->
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

SKIP_REASONS = {
    "needs-key": "a key of a paid service",
    "needs-data": "a data set that we do not distribute",
    "needs-asset": "a large asset",
    "needs-gpu": "a GPU",
    "needs-torch": "torch",
    "needs-network": "network access, or installs packages",
    "fragment": "a fragment of a class or a form, which does not run alone",
    "make": "a target of the Makefile, which CI or a person runs",
}
RUN = ("console", "bash", "python")
PARSED = ("toml", "json")
SHOWN = ("text", "csv")
LANGUAGES = (*RUN, *PARSED, *SHOWN)

_DIRECTIVE = re.compile(r"<!-- docs-test: (\w+)[ ]?([^\n]*?)\n?(?:\n(.*?))?\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    """Of the opening fence, from 1."""
    language: str
    code: str
    skip: str = ""
    """Word of SKIP_REASONS, and details."""
    continues: bool = False
    file: str = ""
    before: str = ""
    exit_code: int = 0

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


class MarkdownError(Exception):
    """A block or a directive that cannot be understood, with its place."""


def read_blocks(text: str, page: str) -> list[Block]:
    """The fenced blocks of a page, in order.

    Raises:
        MarkdownError: A block has no language that we know, is indented instead of fenced, or has a bad directive.
    """
    blocks: list[Block] = []
    directives: list[tuple[str, str, str]] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("<!-- docs-test"):
            comment, number = _until(lines, number, lambda last: last.rstrip().endswith("-->"))
            match = _DIRECTIVE.fullmatch("\n".join(comment))
            if match is None:
                raise MarkdownError(f"{page}:{number}: cannot read the directive {comment[0]!r}")
            directives.append((match[1], match[2].strip(), match[3] or ""))
        elif fence := re.match(r"( *)```(\w*)\s*$", line):
            start, indent = number + 1, len(fence[1])
            body, number = _until(lines, number, lambda last, start=number: last.strip() == "```")
            code = "\n".join(inner[indent:] for inner in body[1:-1])
            blocks.append(_block(Block(page, start, fence[2], code), directives))
            directives = []
        else:
            if directives and line.strip():
                raise MarkdownError(f"{page}:{number + 1}: a directive stands before text, not before a block")
            if line.startswith("    ") and line.strip() and not _inside_list(lines, number):
                raise MarkdownError(f"{page}:{number + 1}: indented code: use a fence with a language")
            number += 1
    return blocks


def _until(lines: list[str], start: int, is_last) -> tuple[list[str], int]:
    for end in range(start, len(lines)):
        if is_last(lines[end]) and (end > start or not lines[start].lstrip().startswith("```")):
            return lines[start : end + 1], end + 1
    raise MarkdownError(f"line {start + 1}: {lines[start]!r} is not closed")


def _inside_list(lines: list[str], number: int) -> bool:
    """Whether an indented line continues an item of a list."""
    for line in reversed(lines[:number]):
        if line.strip() and not line.startswith(" "):
            return bool(re.match(r"([-*]|\d+\.) ", line))
    return False


def _block(block: Block, directives: list[tuple[str, str, str]]) -> Block:
    if block.language not in LANGUAGES:
        raise MarkdownError(f"{block.place}: language {block.language!r}: choose one of {', '.join(LANGUAGES)}")
    for word, value, body in directives:
        if word == "skip":
            reason = value.partition(":")[0]
            if reason not in SKIP_REASONS:
                raise MarkdownError(f"{block.place}: reason {reason!r}: choose one of {', '.join(SKIP_REASONS)}")
            block = replace(block, skip=value)
        elif word == "replace":
            old, _, new = (part.strip() for part in value.partition("|"))
            if old not in block.code:
                raise MarkdownError(f"{block.place}: {old!r} is not in the block, so it cannot be replaced")
            block = replace(block, code=block.code.replace(old, new))
        elif word == "continue":
            block = replace(block, continues=True)
        elif word == "file":
            block = replace(block, file=value)
        elif word == "exit":
            block = replace(block, exit_code=int(value))
        elif word == "before":
            block = replace(block, before=block.before + body + "\n")
        else:
            raise MarkdownError(f"{block.place}: unknown directive {word!r}")
    return block


@dataclass
class Unit:
    """Blocks that share a directory: one, and those that continue it."""

    blocks: list[Block] = field(default_factory=list)

    def __str__(self) -> str:
        return self.blocks[0].place


def read_units(path: Path, root: Path) -> tuple[list[Unit], list[Block]]:
    """What to run of a page, and the blocks that are skipped."""
    units: list[Unit] = []
    skipped: list[Block] = []
    for block in read_blocks(path.read_text("utf-8"), path.relative_to(root).as_posix()):
        if block.skip:
            skipped.append(block)
        elif block.continues:
            if not units:
                raise MarkdownError(f"{block.place}: there is no block to continue")
            units[-1].blocks.append(block)
        elif block.language in (*RUN, *PARSED) or block.file:
            units.append(Unit([block]))
    return units, skipped


def commands(block: Block) -> str:
    """The shell script of a console or bash block: of a console, the lines after `$` and `>` prompts."""
    if block.language == "bash":
        return block.code
    script = []
    for line in block.code.splitlines():
        if line.startswith("$ "):
            script.append(line[2:])
        elif line.startswith("> ") and script:
            script[-1] += "\n" + line[2:]
    return "\n".join(script)
