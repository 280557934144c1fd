"""Outcomes of gates for continuous integration: exit codes, JUnit files and Markdown summaries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import click

from pixelproof.contract import PixelProofError

from .exit_codes import CANNOT_TELL, GATE_FIRED, NOT_COMPLETE

if TYPE_CHECKING:
    from pixelproof.harness import Comparison, Verdict

_WORSE = "--fail-if-worse"


class GateCommand(click.Command):
    """A command whose `--fail-if-worse` may stand without a number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; without a number after it, `--fail-if-worse` means 0."""
        words = []
        for word, following in zip_longest(args, args[1:], fillvalue=""):
            words.append(f"{_WORSE}=0" if word == _WORSE and not _is_number(following) else word)
        return super().parse_args(ctx, words)


class Limit(click.ParamType[tuple[str, float]]):
    """`METRIC=X`, such as `strict.renders=0.9`."""

    name = "METRIC=X"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """The name of the metric and the limit."""
        metric, equals, limit = value.partition("=")
        if not metric or not equals or not _is_number(limit):
            self.fail(f"{value!r} is not a metric and a number: write, for instance, strict.renders=0.9.", param, ctx)
        return metric, float(limit)


def require_one_each(limits: Sequence[tuple[str, float]]) -> None:
    """Refuse two limits of one metric."""
    names = [name for name, _ in limits]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(f"--fail-under has two limits of {twice[0]}: leave one of them out.")


def describe_items(comparison: Comparison) -> str:
    """How many items both runs have, for the title of files."""
    only = f"{comparison.only_a} items are only in A, {comparison.only_b} only in B"
    return f", on {comparison.common_items} common items ({only})"


def _is_number(word: str) -> bool:
    try:
        return isfinite(float(word))
    except ValueError:
        return False


def exit_code(verdict: Verdict, inconclusive: str) -> int:
    """The exit code of a gate; `inconclusive` is `pass` or `fail`."""
    codes = {
        "no verdict": NOT_COMPLETE,
        "worse": GATE_FIRED,
        "inconclusive": CANNOT_TELL if inconclusive == "fail" else 0,
    }
    return codes.get(verdict.outcome, 0)


def write_junit(path: Path, title: str, verdict: Verdict, inconclusive: str) -> None:
    """Write a JUnit file: a test case per metric, and one for the answers where there is no verdict."""
    kinds = {
        "worse": "failure",
        "no verdict": "error",
        "inconclusive": "failure" if inconclusive == "fail" else "skipped",
    }
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", name="pixelproof compare", time="0")
    cases = [(check.metric, kinds.get(check.outcome), check.message) for check in verdict.checks]
    cases += [("answers", "error", verdict.problem)] if verdict.problem else []
    for name, kind, message in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=_printable(title), name=_printable(name), time="0")
        if kind is not None:
            entry = ElementTree.SubElement(case, kind, message=_printable(message))
            if kind != "skipped":
                entry.set("type", "answers" if kind == "error" else "gate")
        else:
            ElementTree.SubElement(case, "system-out").text = _printable(message)
    outcomes = [kind for _, kind, _ in cases]
    suite.attrib |= {"tests": str(len(cases)), "failures": str(outcomes.count("failure"))}
    suite.attrib |= {"errors": str(outcomes.count("error")), "skipped": str(outcomes.count("skipped"))}
    _write(path, ElementTree.tostring(suites, "unicode", xml_declaration=True) + "\n")


def write_markdown(path: Path, title: str, verdict: Verdict, comparison: Comparison | None = None) -> None:
    """Write a summary for a pull request: the outcome, and a table of the metrics of the gate."""
    lines = [f"### PixelProof gate: {verdict.outcome}", "", _cell(title), ""]
    lines += [f"**{_cell(verdict.problem)}**", ""] if verdict.problem else []
    differences = {d.metric: d for d in comparison.differences} if comparison else {}
    lines += ["| metric | A | B | B − A, 95 % interval | gate |", "| - | -: | -: | -: | - |"]
    for check in verdict.checks:
        numbers: Sequence[str] = ("", "", "")
        if (d := differences.get(check.metric)) is not None:
            change = d.difference
            numbers = (f"{d.a:.3f}", f"{d.b:.3f}", f"{change.value:+.3f} [{change.lo:+.3f}, {change.hi:+.3f}]")
        cells = [f"`{check.metric}`", *numbers, f"**{check.outcome}**: {_cell(check.message)}"]
        lines.append(f"| {' | '.join(cells)} |")
    if comparison and comparison.gate.worst_case:
        lines += ["", _cell(comparison.gate.worst_case)]
    _write(path, "\n".join(lines) + "\n")


def _printable(text: str) -> str:
    """Text that XML may contain."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _cell(text: str) -> str:
    """Text of models and files within a Markdown table."""
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return _printable(text)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise PixelProofError(f"{path} cannot be written: {error.strerror}.") from error
