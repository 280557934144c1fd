"""Golden records: `python -m tests.golden [write] [RUN ...]` compares runs with their records, or rewrites these."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import portable_blas  # noqa: E402, F401
from golden import store  # noqa: E402
from golden.runs import RUNS, carry_out  # noqa: E402


def main(words: list[str]) -> int:
    """Carry out the named runs, or all; the exit code is 1 if one differs from its record."""
    rewrite = words[:1] == ["write"]
    names = words[rewrite:] or list(RUNS)
    if unknown := [name for name in names if name not in RUNS]:
        sys.exit(f"There is no run {unknown[0]!r}. Choose from: {', '.join(RUNS)}.")
    records = {}
    for name in names:
        print(name, file=sys.stderr, flush=True)
        records[name] = carry_out(name)
    if rewrite:
        lines = store.write(records)
    else:
        lines = [line for name in names for line in store.changed(name, records[name], *store.read())]
    print("\n".join(lines) or "All runs equal their records.")
    return int(bool(lines) and not rewrite)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
