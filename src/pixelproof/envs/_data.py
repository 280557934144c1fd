"""Training data in shards, each a function of the bench, its options, a seed and a number.

So any machine can make any part of a data set, and a killed one continues.

    DIR/README.md                   data set card, as model hubs show it
    DIR/recipe.json                 what the data set is made from
    DIR/data/train-00000.parquet    rows of the seed S; of S + 1 in the next shard
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pixelproof.benches import get_bench
from pixelproof.contract import Artefact, Bench, Item, PixelProofError, Source, unknown_name
from pixelproof.harness import TRAINING_SEEDS, Shard, list_split, options_of
from pixelproof.stats import generator
from pixelproof.store import Progress, Workers, executor_for, no_progress, replacing, write_json

from ._like import Likeness
from ._rows import Cell, Json, Layout, Row

SUFFIXES = {"parquet": ".parquet", "webdataset": ".tar", "jsonl": ".jsonl"}
"""Format → suffix of its shards."""
_ENDLESS = 1 << 40


@dataclass(frozen=True)
class DataRecipe:
    """What a data set is made from; equal recipes give equal bytes."""

    bench: Bench
    source: Source
    n: int
    """Number of rows."""
    seed: int = TRAINING_SEEDS
    format: str = "parquet"
    shard_rows: int = 250
    like: Likeness | None = None
    """Makes items rarer or more frequent by their tags; None: as the source has them."""

    def __post_init__(self) -> None:
        """Check what the flags do not."""
        if self.format not in SUFFIXES:
            raise unknown_name("format", self.format, SUFFIXES)
        if self.n < 1 or self.shard_rows < 1:
            raise PixelProofError("A data set has at least one row, and so has a shard.")

    def _items(self, seed: int) -> Iterator[Item]:
        return list_split(self.bench, self.source, seed, _ENDLESS, "train")

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.n // self.shard_rows)

    def name(self, shard: int) -> str:
        """Name of a shard's file."""
        return f"train-{shard:05d}{SUFFIXES[self.format]}"

    def rows(self, shard: int) -> Iterator[tuple[Layout, Row]]:
        """The rows of a shard with their layout, at most as many as it has."""
        seed = self.seed + shard
        count = min(self.shard_rows, self.n - shard * self.shard_rows)
        return islice(self._all_rows(seed), count)

    def _all_rows(self, seed: int) -> Iterator[tuple[Layout, Row]]:
        layout: Layout | None = None
        for item in self._items(seed):
            if self.like is not None and not self.like.accepts(item, seed):
                continue
            self.bench.check_item(item)  # left out, the bytes would depend on the machine
            for example in self.bench.examples(item, generator(seed, f"examples/{item.id}", 0)):
                own = Layout.of(example)
                layout = layout or own
                if own == layout:
                    yield layout, layout.row(example, item, seed)

    def to_json(self) -> dict[str, Json]:
        """The recipe as it is stored beside the data."""
        return {
            "bench": self.bench.name,
            "version": self.bench.version,
            "options": options_of(self.bench),
            "source": self.source.name,
            "rows": self.n,
            "seed": self.seed,
            "format": self.format,
            "shard_rows": self.shard_rows,
            "like": None if self.like is None else self.like.to_json(),
            "pixelproof": version("pixelproof"),
        }


@dataclass
class Written:
    """What a call of `make_data` did."""

    shards: list[Path] = field(default_factory=list)
    """All shards of its part, new or not."""
    new: int = 0
    """Shards that it wrote."""


def make_data(
    recipe: DataRecipe,
    out: str | Path,
    part: Shard | None = None,
    workers: Workers = None,
    progress: Progress = no_progress,
) -> Written:
    """Write the shards of a data set that are missing; the same recipe gives the same bytes.

    Args:
        recipe: What to make.
        out: Folder of the data set.
        part: The shards to write, for one of several machines; None: all.
        workers: Number of processes, or a cluster; None: a process per core.
        progress: Called after each shard with the number of shards that exist, and that are to exist.

    Raises:
        PixelProofError: The folder holds something else, or the bench has nothing to learn from.
    """
    folder = Path(out)
    _check_folder(recipe, folder)
    mine = [shard for shard in range(recipe.shards) if part is None or shard in part]
    written = Written([folder / "data" / recipe.name(shard) for shard in mine])
    missing = [shard for shard, path in zip(mine, written.shards, strict=True) if not path.exists()]
    if missing:
        _check_rows(recipe, next(recipe.rows(missing[0]), None))
        write_json(folder / "recipe.json", recipe.to_json())
        with replacing(folder / "README.md") as temporary:
            temporary.write_text(_card(recipe), "utf-8")
    progress(len(mine) - len(missing), len(mine))
    with executor_for(min(len(missing), workers) if isinstance(workers, int) else workers) as pool:
        for _ in pool.map(partial(write_shard, recipe, folder / "data"), missing, chunk=1):
            written.new += 1
            progress(len(mine) - len(missing) + written.new, len(mine))
    return written


def _check_rows(recipe: DataRecipe, first: tuple[Layout, Row] | None) -> None:
    """Check, before anything is written, that there are rows and that they fit into the format."""
    if first is None:
        raise PixelProofError(
            f"The source {recipe.source.name!r} of {recipe.bench.name} has no examples to learn from."
        )
    if recipe.format == "jsonl" and (first[0].images or first[0].edits):
        raise PixelProofError("Rows with images do not fit into JSON lines: pass --format parquet or webdataset.")


def _check_folder(recipe: DataRecipe, folder: Path) -> None:
    path = folder / "recipe.json"
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise PixelProofError(f"{folder} is not a data set and was not changed: choose another folder.")
        return
    stored, wanted = json.loads(path.read_text("utf-8")), json.loads(json.dumps(recipe.to_json()))
    differing = [name for name in wanted if wanted[name] != stored.get(name)]
    if differing:
        raise PixelProofError(
            f"{folder} has data with another {' and '.join(differing)} (see its recipe.json): choose another folder."
        )


def write_shard(recipe: DataRecipe, folder: Path, shard: int) -> Path:
    """Write one shard; its file appears when it is complete."""
    path = folder / recipe.name(shard)
    pairs = list(recipe.rows(shard))
    layout, rows = pairs[0][0], [row for _, row in pairs]
    with replacing(path) as temporary:
        {"parquet": _write_parquet, "webdataset": _write_tar, "jsonl": _write_jsonl}[recipe.format](
            temporary, layout, rows
        )
    return path


def _write_parquet(path: Path, layout: Layout, rows: list[Row]) -> None:
    plain = [{name: _to_arrow(value) for name, value in row.items()} for row in rows]
    pq.write_table(pa.Table.from_pylist(plain, layout.schema), path, compression="zstd", row_group_size=100)


def _to_arrow(value: Cell) -> Any:
    if isinstance(value, Artefact):
        return {"bytes": value.data, "path": None}
    return [_to_arrow(image) for image in value] if isinstance(value, list) else value


def _write_jsonl(path: Path, layout: Layout, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _write_tar(path: Path, layout: Layout, rows: list[Row]) -> None:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, row in enumerate(rows):
            for suffix, content in _members(row):
                member = tarfile.TarInfo(f"{number:06d}.{suffix}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _members(row: Row) -> Iterator[tuple[str, bytes]]:
    """Suffix and content of the files of a row: its images, numbered where a column has several, and the rest."""
    rest: dict[str, Cell] = {}
    for name, value in row.items():
        images: Any = [value] if isinstance(value, Artefact) else value if name == "images" else []
        for place, image in enumerate(images):
            kind = image.media_type.partition(";")[0].removeprefix("image/")
            yield (f"{name}.{place}.{kind}" if isinstance(value, list) else f"{name}.{kind}"), image.data
        if not images and name != "images":
            rest[name] = value
    yield "json", json.dumps(rest, ensure_ascii=False, sort_keys=True).encode()


def _card(recipe: DataRecipe) -> str:
    """The data set card: how it is loaded, and what it was made from."""
    entries = recipe.to_json().items()
    facts = "\n".join(f"- {name}: `{json.dumps(value)}`" for name, value in entries if value is not None)
    loader = {"parquet": "parquet", "jsonl": "json", "webdataset": "webdataset"}[recipe.format]
    return f"""---
pretty_name: PixelProof {recipe.bench.name}
tags: [synthetic, pixelproof]
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*{SUFFIXES[recipe.format]}
---
# {recipe.bench.title}: {recipe.n:,} rows to learn from

Generated by `pixelproof data make {recipe.bench.name}`; no photograph and no text of a person is in it.
Its seeds are for training: `pixelproof run` never asks for them, and no item of its evaluation split has this content.

```python
from datasets import load_dataset

rows = load_dataset("{loader}", data_files="data/train-*{SUFFIXES[recipe.format]}", split="train")
```

{facts}
"""


def plan_data(
    bench: str, n: int, source: str | None = None, given: Mapping[str, str | int | float] | None = None, **settings: Any
) -> DataRecipe:
    """The recipe of a data set of a bench.

    Args:
        bench: Its name.
        n: Number of rows.
        source: Name of the source; by default the first that training may use.
        given: Options of the bench; those that are left out are as training data has them.
        settings: `seed`, `format`, `shard_rows` and `like` of the recipe.
    """
    standard = type(get_bench(bench)).training_options
    opened = get_bench(bench, **{**standard, **(given or {})})
    name = source or next((name for name in opened.sources if name not in opened.reserved), opened.default_source())
    return DataRecipe(opened, Source(name), n, **settings)
