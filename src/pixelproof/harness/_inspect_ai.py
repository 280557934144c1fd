"""Imports of Inspect AI, with a one-sentence error where it is not installed."""

from pixelproof.contract import PixelProofError

try:
    import inspect_ai as inspect_ai
    import inspect_ai.log as log
    import inspect_ai.model as model
except ImportError as error:
    raise PixelProofError(
        f"A model behind an API needs the extra: pip install 'pixelproof[inspect]' ({error})."
    ) from error

__all__ = ["inspect_ai", "log", "model"]
