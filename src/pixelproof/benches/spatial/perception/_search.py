"""Finding a thing in an answer: places, turns and scales, from coarse to fine, without shadows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage, optimize

from pixelproof.world.solid import Camera, rotation_matrix

from ._model import Fit, Level, Model, Pose

_CELLS = 10
"""Cells of the picture along each side, of which each contributes at most `_PER_CELL` places."""
_PER_CELL = 8
_PLACES = 120
_TURNS = 12
_LOG_SCALES = (-0.7, -0.35, 0.35, 0.7)
_SEEDS, _COVERING = 3, 2
"""Places that are examined: those that fit best, and those that cover most of what changed."""
_FOUND = 0.3
"""Least share of the possible gain where a thing is taken for found."""
_EVALUATIONS, _FEWER = 60, 40
_CLEARLY = 2.0
"""How much better a pose on another level must be, where no change of support is expected."""
_UNSEEN = 1e6
"""Loss of a pose at which the thing is not seen."""
_LEAST_PIXELS = 300
"""A thing with fewer pixels in half of the size is searched for in half of the size, others in a quarter."""
_SINKS = 0.012
"""Metres, along the vertical, by which a surface below a thing may be off."""
Floats = npt.NDArray[np.float64]
Found = tuple[Fit, Pose]


def find(model: Model, answer: npt.NDArray[np.float32], change_of_support: bool = False) -> list[Found]:
    """Poses that explain an answer, the best first.

    Args:
        model: The thing and everything else.
        answer: The answer, in the size of the model.
        change_of_support: Whether the thing may stand on something else; other levels are searched as well if it does
            not seem to be on its own.
    """
    small = model.mask.sum() < 4 * _LEAST_PIXELS
    coarse, fine = (model.level(answer, shrink, 1) for shrink in ((2, 1) if small else (4, 2)))
    found = _find_on(model, coarse, fine, model.levels[:1])
    if change_of_support or found[0][0].share < _FOUND:
        elsewhere = _find_on(model, coarse, fine, model.levels[1:])
        needed = 1.0 if change_of_support else _CLEARLY
        if elsewhere[0][0].share >= _FOUND and elsewhere[0][0].score > needed * found[0][0].score:
            found += elsewhere
    found.sort(key=_unlikelier)
    best = found[0][1]
    same = _turns(model, fine, best, [0.0, -best.turn_deg])[1]._replace(log_scale=0.0)
    return sorted([*found, _descend(fine, same, _FEWER)], key=_unlikelier)


def _unlikelier(found: Found) -> float:
    """Of similar poses, the one without a change of size is likelier: a small thing near is like a large one far."""
    fit, pose = found
    return -fit.score * (1 - min(abs(pose.log_scale), 0.3))


def _find_on(model: Model, coarse: Level, fine: Level, levels: list[float]) -> list[Found]:
    """The best two poses on some levels."""
    start = model.start
    own = [start] if start.z in levels else []
    ranked = _ranked(coarse, own + _places(model, coarse, levels))
    covering = sorted(ranked, key=lambda found: -found[0].overlap)
    distance = 0.4 * max(model.scene.thing(model.id).size[:2])
    seeds = [pose for _, pose in _apart(ranked, distance, _SEEDS)]
    seeds += [pose for _, pose in _apart(covering, distance, _COVERING)]
    seeds = list(dict.fromkeys([*seeds, *own]))
    turned = [sorted(_turned_and_scaled(model, coarse, pose), key=_worse_first) for pose in seeds]
    picked = [options[0] for options in turned]
    same_size = [found for options in turned for found in options if found[1].log_scale == 0]
    picked += sorted(same_size, key=_worse_first)[:1]
    refined = sorted((_descend(coarse, pose) for _, pose in dict.fromkeys(picked)), key=_worse_first)
    near = [pose for _, pose in refined if math.dist(pose[:3], start[:3]) < distance][:1]
    chosen = dict.fromkeys([*(pose for _, pose in refined[:2]), *near])
    best = sorted((_turn_again(model, fine, pose) for pose in chosen), key=_worse_first)
    return best or [(Fit(0.0, 0.0), start)]


def _worse_first(found: Found) -> float:
    return -found[0].score


def _ranked(level: Level, poses: list[Pose]) -> list[Found]:
    return sorted(((level.fit(pose), pose) for pose in poses), key=_worse_first)


def _apart(found: list[Found], distance: float, most: int) -> list[Found]:
    """The best poses with at least a distance in metres between each other."""
    chosen: list[Found] = []
    for fit, pose in found:
        if all(math.dist(pose[:3], other[:3]) >= distance for _, other in chosen):
            chosen.append((fit, pose))
            if len(chosen) == most:
                break
    return chosen


def _places(model: Model, level: Level, levels: list[float]) -> list[Pose]:
    """Places on level ground where the centre of the thing would be at pixels that changed."""
    rows, columns = level.empty.shape
    radius = max(1, round(math.sqrt(model.mask.sum()) / model.size[0] * columns / 3))
    density = ndimage.uniform_filter(level.empty, 2 * radius + 1)
    y, x = np.mgrid[1:rows:2, 1:columns:2].reshape(2, -1)
    order = np.argsort(-density[y, x], kind="stable")
    cells = y[order] * _CELLS // rows * _CELLS + x[order] * _CELLS // columns
    chosen = order[_rank_within(cells) < _PER_CELL][:_PLACES]
    pixels = np.column_stack([x[chosen] + 0.5, y[chosen] + 0.5])
    places: list[Pose] = []
    for z in levels:
        points = on_plane(model.scene.camera, pixels, columns, rows, z + model.height / 2)
        points[:, 2] = z
        hidden_too = z == model.start.z
        places += [Pose(*point) for point in points[_on_ground(model, points, hidden_too)].tolist()]
    return places


def _on_ground(model: Model, points: Floats, hidden_too: bool) -> npt.NDArray[np.bool_]:
    """Whether a surface is seen at points, or may be there behind what is seen."""
    known = np.asarray(np.isfinite(points).all(axis=1), np.bool_)
    width, height = model.size
    seen = model.scene.camera.project(np.where(known[:, None], points, 0.0), width, height)
    column, row = np.floor(np.nan_to_num(seen[:, :2], nan=-1.0)).astype(np.intp).T
    inside = np.asarray(known & (seen[:, 2] > 0) & (column >= 0) & (column < width) & (row >= 0) & (row < height))
    depth = np.full(len(points), np.inf)
    depth[inside] = model.bare.depth[row[inside], column[inside]]
    off = (depth - seen[:, 2]) * abs(model.scene.camera.position[2] - points[:, 2]) / np.maximum(seen[:, 2], 1e-6)
    allowed = np.abs(off) < _SINKS
    if hidden_too:
        allowed |= depth < seen[:, 2]
    return np.asarray(inside & allowed, np.bool_)


def _rank_within(groups: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Of each element, the number of elements of its group before it."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    rank = np.empty(len(groups), np.intp)
    rank[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return rank


def on_plane(camera: Camera, pixels: Floats, width: int, height: int, z: float) -> Floats:
    """Points of a level plane that are seen at pixels; not a number where the ray does not meet it."""
    local = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(camera.intrinsics(width, height)).T
    rays = local @ rotation_matrix(camera.rotation).T
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (z - camera.position[2]) / rays[:, 2]
    points = np.asarray(camera.position) + far[:, None] * rays
    points[~(far > 0)] = np.nan
    return np.asarray(points)


def _turned_and_scaled(model: Model, level: Level, pose: Pose) -> list[Found]:
    """Turns of a pose; and scales of it, and of the best two turns."""
    count = max(1, round(_TURNS * model.period / 360.0))
    turned = _ranked(level, _turns(model, level, pose, [index * 360.0 / _TURNS for index in range(count)]))
    kept = dict.fromkeys([pose, *(best for _, best in turned[:2])])
    scaled = [
        option._replace(log_scale=log_scale)
        for best in kept
        for log_scale in _LOG_SCALES
        for option in (best, _same_centre(model, best, math.exp(log_scale)))
    ]
    return turned + _ranked(level, scaled)


def _same_centre(model: Model, pose: Pose, factor: float) -> Pose:
    """A pose on the same level from which a scaled thing has its centre on the same ray."""
    eye = np.asarray(model.scene.camera.position)
    centre = np.array([pose.x, pose.y, pose.z + model.height / 2])
    if abs(eye[2] - centre[2]) < 1e-6:
        return pose
    share = (eye[2] - pose.z - factor * model.height / 2) / (eye[2] - centre[2])
    x, y, _ = (eye + share * (centre - eye)).tolist()
    return pose._replace(x=x, y=y)


def _descend(level: Level, pose: Pose, evaluations: int = _EVALUATIONS) -> Found:
    """The local optimum of the score near a pose, by Nelder and Mead's method; steps of about two pixels."""
    step = 2.0 / level.pixels_per_metre(pose)
    scales = np.array([step, step, 8.0, 0.06])

    def at(values: Floats) -> Pose:
        x, y, turn, log_scale = (values * scales).tolist()
        bounded = min(max(pose.log_scale + log_scale, -1.5), 1.5)
        return Pose(pose.x + x, pose.y + y, pose.z, pose.turn_deg + turn, bounded)

    def loss(values: Floats) -> float:
        return min(-level.fit(at(values)).score, _UNSEEN)

    options: Any = {"initial_simplex": np.vstack([np.zeros(4), np.eye(4)]), "maxfev": evaluations, "fatol": 1e-3}
    result = optimize.minimize(loss, np.zeros(4), method="Nelder-Mead", options=options | {"xatol": 0.02})
    best = at(result.x)
    return level.fit(best), best


def _turn_again(model: Model, level: Level, pose: Pose) -> Found:
    """The best of the turns at a finer level, where lettering and small parts show."""
    count = max(1, round(2 * _TURNS * model.period / 360.0))
    options = _ranked(level, _turns(model, level, pose, [i * 180.0 / _TURNS for i in range(count)]))
    return min((_descend(level, option, _FEWER) for _, option in options[:2]), key=_worse_first)


def _turns(model: Model, level: Level, pose: Pose, degrees: list[float]) -> list[Pose]:
    """A pose with several turns; the middle of the silhouette stays where it is."""
    middle = _middle(level, pose)
    poses = [pose._replace(turn_deg=pose.turn_deg + turn) for turn in degrees]
    if middle is None:
        return poses
    rows, columns = level.empty.shape
    shifted = []
    for option in poses:
        place = _middle(level, option)
        if place is not None and option is not poses[0]:
            pair = on_plane(model.scene.camera, np.stack([place, middle]), columns, rows, pose.z + model.height / 2)
            if np.isfinite(pair).all():
                x, y, _ = (pair[1] - pair[0]).tolist()
                option = option._replace(x=option.x + x, y=option.y + y)
        shifted.append(option)
    return shifted


def _middle(level: Level, pose: Pose) -> Floats | None:
    """Mean column and row of the drawn thing; None if it is not seen."""
    drawn = level.draw(pose)
    total = float(drawn.alpha.sum())
    if total < 1:
        return None
    rows, columns = drawn.alpha.sum(axis=1), drawn.alpha.sum(axis=0)
    x = float(columns @ (np.arange(len(columns)) + 0.5)) / total
    y = float(rows @ (np.arange(len(rows)) + 0.5)) / total
    return np.array([drawn.box[0] + x, drawn.box[1] + y])
