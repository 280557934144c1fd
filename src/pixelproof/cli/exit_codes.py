"""Exit codes that several commands share; docs/running-reference.md lists all."""

NOT_COMPLETE = 4
"""The run is not complete, every answer is a fault, or a gate has no verdict because answers are lost."""
GATE_FIRED = 5
"""What a `--fail-if-…` option tests for is the case."""
CHECK_FAILED = 6
"""Files are damaged, or a set fails its check."""
CANNOT_TELL = 7
"""A gate cannot tell, for want of independent items."""
