"""Commands in the process of the tests."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pixelproof.cli import main


def invoke(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> SimpleNamespace:
    """Call `pixelproof` in this process: stdout and stderr, if it ends with the code and without a traceback."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    printed = capsys.readouterr()
    assert (ended.value.code or 0) == code, printed.out + printed.err
    assert "Traceback" not in printed.err
    return SimpleNamespace(stdout=printed.out, stderr=printed.err)
