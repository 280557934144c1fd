"""How to read each section."""

OVERVIEW = (
    "The calibrated value of each bench's first headline metric: 0 is the best floor control, 1 the ceiling, both "
    "measured on the same items; the bar is the 95\u00a0% interval. Benches are not comparable with each other. Below "
    "each value stands the share of answers with a model fault."
)
LEADERBOARD = (
    "The dot is the value over all answers, the bar its 95\u00a0% interval over clusters: all samples of an item, "
    "all items of a scene. The brackets are the best floor control and the ceiling of the channel, measured on the "
    "same items. A model fault counts as the floor unless it has a value of its own; where no floor was measured, as "
    "the worst end of the metric's range, and the bounds are the mean if all of them were the worst, or the best. "
    "Controls have open dots and no rank."
)
RANKS = (
    " A rank is a range: two models that the paired permutation test (corrected for the number of pairs, Holm) cannot "
    "distinguish share ranks."
)
ABSTENTIONS = (
    " Coverage is the share of answers on which the scorer did not abstain; an abstention counts as a fault does, and "
    "the bounds are the mean if all of them were the floor or the ceiling."
)
IN_PROGRESS = (
    "Run {} is {}: {} of {} answers so far. Floors and ceilings are measured at the end; until then, a model fault "
    "counts as the worst end of the metric's range."
)
GALLERY = (
    "A row for each item, a column for each run, with every sample. Click an image for the prompt, the reply, the "
    "notes and the numbers; the arrow keys lead to other answers, and a digit enlarges one of several images."
)
OUTCOMES = (
    "Model faults count as the floor, or as the worst end of the range where no floor was measured; instrument and "
    "infrastructure faults are left out and counted. Click a name to see its answers."
)
EFFORT = (
    "One point per run, with 95\u00a0% intervals in both directions. A model that is better only because it writes "
    "more, or costs more, moves to the right."
)
PROFILE = (
    "Descriptive metrics, of which neither end is better. Every spoke runs from 0 in the centre to 1 at the rim, in "
    "all charts; the bars along the spokes are 95\u00a0% intervals. Only metrics whose measured values and "
    "intervals all lie between 0 and 1 are drawn."
)
CORRELATIONS = (
    "Spearman's rank correlations within a run, over the answers that have both numbers. Below the diagonal their "
    "values, faint where the 95\u00a0% interval contains 0; above it the intervals, from \u22121 to 1, by "
    "resampling whole clusters."
)
