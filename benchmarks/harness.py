"""What the harness itself costs: CPU per item and memory, natively and through Inspect AI, beside plain Inspect AI.

    python benchmarks/harness.py                     100 to 100,000 items natively, to 10,000 through Inspect AI
    python benchmarks/harness.py --inspect-max 100000   the full range everywhere (about an hour)

Every measurement is a process of its own. The model is a Python function that returns at once, so all that is measured
is overhead. CPU time is used because it does not depend on what else the machine is doing; the cost per item is the
slope between two sizes, so start-up is not in it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pixelproof.contract import Answer, Bench, Display, Item, Metric, Prompt, Result, Source, option


@dataclass(frozen=True)
class Echo(Bench):
    """Say the word. As little work per item as a bench can have."""

    name: ClassVar[str] = "echo"
    version: ClassVar[str] = "1.0"
    title: ClassVar[str] = "Say the word"
    sources: ClassVar[Mapping[str, str]] = {"words": "numbered words"}
    metrics: ClassVar[tuple[Metric, ...]] = (Metric("right", "the word was said"),)
    display: ClassVar[Display] = Display(("right",))

    n: int = option(100, "number of items")

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """Numbered words."""
        for index in range(self.n):
            yield Item(f"echo/words/1/{index:06d}", {"word": f"word{index}"}, f"word{index}")

    def prompt(self, item: Item) -> Prompt:
        """Ask for the word."""
        return Prompt((f"Say {item.inputs['word']}",), max_tokens=8)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Compare."""
        return Result(item.id, {"right": float(answer.text == item.truth)})

    def controls(self) -> dict[str, Any]:
        """Silence and the truth."""
        return {
            "floor-blank": lambda item, rng: Answer(""),
            "ceiling-truth": lambda item, rng: Answer(item.truth),
        }


def say(prompt: Prompt) -> str:
    """The model."""
    return prompt.text.removeprefix("Say ")


def native(n: int, directory: Path) -> None:
    """The native runner, with store, summary, floors and ceilings."""
    from pixelproof import harness

    harness.run(
        harness.Plan(Echo(n), Source("words")),
        "fn/harness:say",
        settings=harness.Settings(out=directory / "run", workers=1),
    )


def adapter(n: int, directory: Path) -> None:
    """Our Inspect adapter, with the same store and summary on top."""
    from pixelproof import harness

    plan = harness.Plan(Echo(n), Source("words"))
    harness.run(plan, "pp-fn/harness:say", settings=harness.Settings(out=directory / "run", workers=1, connections=20))


def plain(n: int, directory: Path) -> None:
    """A plain Inspect task with a provider of its own, Inspect's defaults, display off."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
    from inspect_ai.scorer import exact
    from inspect_ai.solver import generate

    class Sayer(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
            output = ModelOutput.from_content(self.model_name, input[-1].text.removeprefix("Say "))
            output.usage = ModelUsage(input_tokens=2, output_tokens=1, total_tokens=3)
            return output

        async def count_text_tokens(self, text: str) -> int:
            return len(text) // 4 + 1

    modelapi(name="bench-say")(lambda: Sayer)
    samples = [Sample(f"Say word{i}", target=f"word{i}", id=i + 1) for i in range(n)]
    task = Task(samples, solver=generate(), scorer=exact())
    eval(task, model="bench-say/x", log_dir=str(directory / "logs"), display="none", max_connections=20)


ARMS = {"native": native, "adapter": adapter, "plain": plain}


def measure_here(arm: str, n: int) -> dict[str, float]:
    """Run one arm in this process."""
    with tempfile.TemporaryDirectory() as name:
        start = time.process_time()
        ARMS[arm](n, Path(name))
        cpu = time.process_time() - start
        disk = sum(path.stat().st_size for path in Path(name).rglob("*") if path.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"arm": arm, "n": n, "cpu_s": cpu, "peak_mb": peak, "disk_mb": disk / 1e6}  # type: ignore[dict-item]


def measure(arm: str, n: int) -> dict[str, float]:
    """Run one arm in a process of its own, with an empty cache of controls."""
    here = Path(__file__).resolve()
    with tempfile.TemporaryDirectory() as cache:
        env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(here.parent), "PIXELPROOF_CACHE": cache, "HOME": cache}
        command = [sys.executable, str(here), "--one", arm, str(n)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        sys.exit(f"{arm} {n} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("ARM", "N"), help="measure one arm in this process")
    parser.add_argument("--max", type=int, default=100_000, help="largest number of items, natively")
    parser.add_argument("--inspect-max", type=int, default=10_000, help="largest number of items through Inspect AI")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure_here(arguments.one[0], int(arguments.one[1]))))
        return
    print("| arm | items | CPU s | CPU ms per further item | peak MB | disk MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for arm in ARMS:
        measure(arm, 100)  # the first run compiles what Python has not compiled yet
        before: dict[str, float] | None = None
        for n in (100, 1_000, 10_000, 100_000):
            if n > (arguments.max if arm == "native" else arguments.inspect_max):
                break
            row = measure(arm, n)
            slope = (row["cpu_s"] - before["cpu_s"]) / (n - before["n"]) * 1e3 if before else float("nan")
            shown = f"{slope:.3f}" if before else "–"
            print(
                f"| {arm} | {n:,} | {row['cpu_s']:.2f} | {shown} | {row['peak_mb']:.0f} | {row['disk_mb']:.1f} |",
                flush=True,
            )
            before = row


if __name__ == "__main__":
    main()
