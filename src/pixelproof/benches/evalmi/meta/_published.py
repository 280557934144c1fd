"""Figures that others report on EvalMi-50K, with their sources. None was measured here."""

from __future__ import annotations

from dataclasses import dataclass

LOG = "authors' training log, perception, fold 1, best visible evaluation; the fold also chose the checkpoint"
RETOLD = "as reported by ACL-IQA (Chen, Lin, Mai, 2026), 5 folds; whether baselines were run again is not stated"


@dataclass(frozen=True)
class Published:
    """SRCC and PLCC of one method, as somebody published them."""

    method: str
    target: str
    srcc: float
    plcc: float
    source: str


_TABLE = """
CNNIQA .4348 .5583 .1186 .0791
DBCNN .5525 .6181 .3301 .3515
HyperIQA .5872 .6768 .5348 .5447
TReS .3935 .4301 .1406 .1520
MUSIQ .7985 .8379 .5310 .5510
StairIQA .8268 .8645 .5890 .6089
LIQE .8106 .8268 .5617 .5777
Q-Align .8311 .8505 .4754 .4918
DeepSeek-VL2_(1B) .7899 .8253 .7817 .7991
Qwen2.5-VL_(8B) .6990 .7495 .8008 .8219
Llama3.2-Vision_(11B) .7555 .7891 .6403 .6461
FGA-BLIP2 .8715 .8969 .8121 .8309
ACL-IQA .8810 .9050 .8664 .8795
"""


def published(data: str, target: str) -> list[Published]:
    """Published figures for a target of a data set, the lowest SRCC first; none for other data sets.

    >>> [one.method for one in published("EvalMi-50K", "perception")][-2:]
    ['LMM4LMM', 'ACL-IQA']
    """
    if data != "EvalMi-50K" or target not in ("perception", "correspondence"):
        return []
    first = 0 if target == "perception" else 2
    rows = []
    for line in _TABLE.split("\n"):
        if line:
            name, *values = line.split()
            srcc, plcc = map(float, values[first : first + 2])
            rows.append(Published(name.replace("_", " "), target, srcc, plcc, RETOLD))
    if target == "perception":
        rows.append(Published("LMM4LMM", target, 0.8759, 0.9025, LOG))
    return sorted(rows, key=lambda row: row.srcc)
