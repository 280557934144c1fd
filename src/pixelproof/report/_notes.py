"""How to read each section, in the words that stand above it."""

LEADERBOARD = (
    "The dot is the value over all answers, the bar its 95\u00a0% interval, resampled by cluster: all samples of an "
    "item, all items of a scene. The brackets are the best floor control and the ceiling, measured on the same items. "
    "A model fault counts as the floor. Controls have open dots and no rank."
)
RANKS = (
    " A rank is a range: two models that the paired permutation test (corrected for the number of pairs, Holm) cannot "
    "tell apart share ranks."
)
GALLERY = (
    "A row for each item, a column for each run, every sample of it. Click a picture for the reply, the notes and the "
    "numbers; the arrow keys go on from there, and a digit makes one of several pictures large."
)
OUTCOMES = (
    "Three kinds of fault are kept apart: the model's own, which count as the floor; the instrument's and the "
    "infrastructure's, which are left out and counted. Click a name to see its answers."
)
SUBJECT = (
    "S says how much farther apart pictures of different subjects are than pictures of one subject, as the eye sees "
    "them (OKLab); whoever draws the same thing whatever is asked gets 0. p is the chance of such an S if the subjects "
    "were shuffled."
)
EFFORT = (
    "One point per run, with 95\u00a0% intervals in both directions; the letters are those of the leaderboard. A model "
    "that is better only because it says more, or costs more, moves to the right."
)
PROFILE = (
    "Descriptive metrics, of which neither end is better. Every spoke runs from 0 in the centre to 1 at the rim, in "
    "all charts alike; the bars along the spokes are 95\u00a0% intervals. Only metrics whose every measured value lies "
    "between 0 and 1 are drawn."
)
CORRELATIONS = (
    "Spearman's rank correlations within a run, over the answers that have both numbers. Below the diagonal their "
    "values, faint where the 95\u00a0% interval holds 0; above it the intervals themselves, from \u22121 to 1, by "
    "resampling whole clusters."
)
