"""Text-to-image judged against people: meta-evaluation of scores on human ratings (EvalMi-50K and others).

`data` loads ratings, `meta` measures how well a score agrees with them.
"""
