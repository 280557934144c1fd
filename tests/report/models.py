"""Models that a report must be able to show."""

import json
import random


def moody(prompt, seed):
    """Draws, chatters around its drawing, breaks off, or says nothing of use."""
    dice = random.Random(seed)
    rows = ["".join(str(dice.randrange(3)) for _ in range(24)) for _ in range(24)]
    drawing = json.dumps({"palette": ["1b1f3a", "e8c547", "d95d39"], "grid": rows})
    return [drawing, f"Sure!\n```json\n{drawing}\n```", drawing[:200], "I would rather not."][dice.randrange(4)]
