"""Exit codes that several commands share; docs/running.md lists all."""

NOT_COMPLETE = 4
"""The run is not complete."""
GATE_FIRED = 5
"""What a `--fail-if-…` option tests for is the case."""
CANNOT_TELL = 7
"""A `--fail-if-…` option cannot tell, for want of independent items."""
