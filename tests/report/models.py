"""Models that a report must be able to show."""

import json
import random


def moody(prompt, seed):
    """Draws, chatters around its drawing, breaks off, or says nothing of use."""
    dice = random.Random(seed)
    rows = ["".join(str(dice.randrange(3)) for _ in range(24)) for _ in range(24)]
    drawing = json.dumps({"palette": ["1b1f3a", "e8c547", "d95d39"], "grid": rows})
    return [drawing, f"Sure!\n```json\n{drawing}\n```", drawing[:200], "I would rather not."][dice.randrange(4)]


def tidy(prompt, seed):
    """Always draws: a disc, somewhere."""
    dice = random.Random(seed)
    across, down, radius = dice.randrange(8, 16), dice.randrange(8, 16), dice.randrange(3, 8)
    rows = ["".join(str(int((x - across) ** 2 + (y - down) ** 2 < radius**2)) for x in range(24)) for y in range(24)]
    return json.dumps({"palette": ["1b1f3a", "e8c547"], "grid": rows})
