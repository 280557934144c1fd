"""Search for a thing in an answer: places, turns and scales, from coarse to fine, without shadows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage, optimize

from pixelproof.world.solid import Camera, rotation_matrix

from ._model import Fit, Model, Pose, Resolution

_CELLS = 10
"""Cells of the picture along each side, of which each contributes at most `_PER_CELL` places."""
_PER_CELL = 8
_PLACES, _PLACES_ELSEWHERE = 120, 40
"""Places that are examined on the level of the thing, and on each other one."""
_TURNS = 12
_LOG_SCALES = (-0.7, -0.35, 0.35, 0.7)
_SEEDS, _COVERING = 3, 2
"""Places that are examined: those that fit best, and those that cover most of what changed."""
_SECTOR = 60.0
"""Degrees of turns of which the best is examined."""
_EFFORT = 2
"""How many times as many poses a thorough search examines."""
_SCALED, _DESCENDED, _FINE = 3, 3, 2
"""How many of them are scaled, optimised, and examined at a finer resolution."""
_COVERING_POSES = 3
"""Poses that are examined because their silhouettes cover what changed."""
_FITS = 0.3
"""Least share of the possible gain at which a pose may be that of the thing."""
_EVALUATIONS, _FEWER, _FEW_EVALUATIONS = 40, 30, 12
_CLOSE = 0.9
"""Least score of a second turn that is optimised as well, relative to the best."""
_CLEARLY = 2.0
"""How much better a pose on another level must be, where no change of support is expected."""
_UNSEEN = 1e6
"""Loss of a pose at which the thing is not seen."""
_LEAST_PIXELS = 300
"""A thing with fewer pixels in half of the size is searched for in half of the size, others in a quarter."""
_STEEP = 0.7
"""Height of the viewer above a surface, relative to the distance, from which on it is seen from above."""
_SINKS, _SINKS_ELSEWHERE = 0.012, 0.004
"""Metres, along the vertical, by which a surface below a thing may be off: on its own level, and on another."""
Floats = npt.NDArray[np.float64]
Candidate = tuple[Fit, Pose]


def search(
    model: Model,
    answer: npt.NDArray[np.float32],
    change_of_support: bool = False,
    hovering: bool = False,
    recolour: bool = False,
    hints: Sequence[Pose] = (),
    thorough: bool = False,
) -> list[Candidate]:
    """Poses that explain an answer, the best first.

    Args:
        model: The thing and everything else.
        answer: The answer, in the size of the model.
        change_of_support: Whether the thing may stand on something else; other levels are searched as well if it does
            not seem to be on its own.
        hovering: Whether the thing may be above or below its place, without support.
        recolour: Whether the thing may have other colours.
        hints: Poses that are examined in any case.
        thorough: Whether to examine more poses on all levels, in a larger size.
    """
    effort = _EFFORT * thorough + (not thorough)
    coarse, fine = _sizes(model, answer, thorough)
    if recolour:
        coarse, fine = replace(coarse, recolour=True), replace(fine, recolour=True)
    candidates = _search_on(model, coarse, fine, [model.start.z], hints, effort)
    if change_of_support or thorough or candidates[0][0].share < _FITS:
        elsewhere = _search_on(model, coarse, fine, model.levels[1:], (), effort)
        needed = 0.0 if change_of_support or thorough else _CLEARLY
        if elsewhere[0][0].share >= _FITS and elsewhere[0][0].score > needed * candidates[0][0].score:
            candidates += elsewhere
    candidates.sort(key=by_size)
    best = candidates[0][1]
    if best.log_scale or best.turn_deg:
        turned_back = _turns(model, fine, on_same_ray(model, best, 0.0), [-best.turn_deg])[0]
        candidates.append(_descend(fine, turned_back._replace(turn_deg=0.0), _FEWER, plain=True))
    if hovering:
        candidates += _search_hovering(model, coarse, fine)
    return sorted(candidates, key=by_size)


def first_guess(model: Model, answer: npt.NDArray[np.float32]) -> Candidate:
    """The pose that a search on the level of the thing would examine first: that of a thing that was merely moved."""
    coarse, fine = _sizes(model, answer)
    ranked = _ranked(coarse, [model.start, *_places(model, coarse, [model.start.z])])
    covering = min(ranked, key=_by_overlap)
    options = [_turned(model, coarse, pose)[0] for _, pose in (ranked[0], covering)]
    return _turn_again(model, fine, _descend(coarse, min(options, key=_by_score)[1])[1])


def _sizes(model: Model, answer: npt.NDArray[np.float32], thorough: bool = False) -> tuple[Resolution, Resolution]:
    """The resolutions of a search: coarse and fine."""
    small = model.mask.sum() < 4 * _LEAST_PIXELS * (4 if thorough else 1)
    coarse, fine = (model.resolution(answer, shrink, 1) for shrink in ((2, 1) if small else (4, 2)))
    return coarse, fine


def explore_turns(model: Model, answer: npt.NDArray[np.float32], pose: Pose) -> list[Pose]:
    """Poses with other turns near a pose, each moved to where it fits best: the best of each `_SECTOR` degrees.

    A turn that uncovers a handle moves the rest of the thing: the pivot or the middle of the silhouette may be kept.
    """
    resolution = model.resolution(answer, 2, 1)
    degrees = [index * 360.0 / _TURNS for index in range(1, max(1, round(_TURNS * model.period / 360.0)))]
    sectors: dict[int, Candidate] = {}
    for turn, shifted in zip(degrees, _turns(model, resolution, pose, degrees), strict=True):
        for option in (pose._replace(turn_deg=pose.turn_deg + turn), shifted):
            moved = _descend(resolution, option, _FEW_EVALUATIONS, plain=True)
            sector = int(turn // _SECTOR)
            if sector not in sectors or moved[0].score > sectors[sector][0].score:
                sectors[sector] = moved
    return [option for _, option in sectors.values()]


def covering_poses(model: Model, answer: npt.NDArray[np.float32], change_of_support: bool = False) -> list[Pose]:
    """Poses in the size and turn before whose silhouettes cover what changed, whatever the colours there; a few.

    Drawn without shadows, a small or thin thing at the right place may fit worse than nothing; its render does not.
    """
    resolution = model.resolution(answer, 2, 1)
    levels = model.levels if change_of_support else model.levels[:1]
    ranked = sorted(_ranked(resolution, _places(model, resolution, levels)), key=_by_overlap)
    apart = _apart(ranked, 0.4 * max(model.scene.thing(model.id).size[:2]), _COVERING_POSES)
    return [_descend(resolution, pose, plain=True, value=_overlap)[1] for _, pose in apart]


def _search_hovering(model: Model, coarse: Resolution, fine: Resolution) -> list[Candidate]:
    """The best pose in the vertical plane through the place before that faces the viewer, in the size before."""
    rows, columns = coarse.empty.shape
    pixels = _changed_pixels(model, coarse)[:_PLACES]
    points = _on_upright_plane(model, pixels, columns, rows)
    points = points[np.isfinite(points).all(axis=1)]
    poses = [Pose(x, y, z - model.height / 2, hovers=True) for x, y, z in points.tolist()]
    ranked = _apart(_ranked(coarse, poses), 0.4 * model.height, 2)
    options = [_descend(coarse, _turned(model, coarse, pose)[0][1]) for _, pose in ranked]
    best = [_descend(fine, pose, _FEWER) for _, pose in sorted(options, key=_by_score)[:1]]
    return [*best, *(_descend(fine, pose._replace(turn_deg=0.0), _FEWER, plain=True) for _, pose in best)]


def _on_upright_plane(model: Model, pixels: Floats, width: int, height: int) -> Floats:
    """Points at pixels on the vertical plane through the place before that faces the viewer; nan where none is."""
    camera, start = model.scene.camera, np.asarray(model.start[:3])
    local = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(camera.intrinsics(width, height)).T
    rays = local @ rotation_matrix(camera.rotation).T
    away = np.array([-model.across[1], model.across[0], 0.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        far = ((start - camera.position) @ away) / (rays @ away)
    points = np.asarray(camera.position) + far[:, None] * rays
    points[~(far > 0)] = np.nan
    return np.asarray(points)


def by_size(candidate: Candidate) -> float:
    """Of similar poses, the one without a change of size comes first: a small thing near is like a large one far."""
    fit, pose = candidate
    return -fit.score * (1 - min(abs(pose.log_scale), 0.3))


def _search_on(
    model: Model, coarse: Resolution, fine: Resolution, levels: list[float], hints: Sequence[Pose] = (), effort: int = 1
) -> list[Candidate]:
    """The best poses on some levels; the effort multiplies how many are examined."""
    start = model.start
    own = [start] if start.z in levels else []
    ranked = _ranked(coarse, [*own, *hints, *_places(model, coarse, levels)])
    covering = sorted(ranked, key=_by_overlap)
    distance = 0.4 * max(model.scene.thing(model.id).size[:2])
    seeds = [pose for _, pose in _apart(ranked, distance, effort * _SEEDS)]
    seeds += [pose for _, pose in _apart(covering, distance, effort * _COVERING)]
    seeds = list(dict.fromkeys([*seeds, *own, *hints]))
    turned = sorted((_turned(model, coarse, pose) for pose in seeds), key=lambda options: -options[0][0].score)
    options = [option for group in turned for option in group[:effort]]
    originals = [[(Fit(0.0, 0.0), pose)] for pose in own]
    groups = turned[: effort * _SCALED] + originals
    options += [option for group in groups for option in _ranked(coarse, _scaled(model, group))]
    picked = _apart_in_size(sorted(options, key=_by_score), distance, effort * _DESCENDED)
    picked += sorted((option for option in options if option[1].log_scale == 0), key=_by_score)[:1]
    picked += sorted((option for option in options if math.dist(option[1][:3], start[:3]) < distance), key=_by_score)[
        :1
    ]
    refined = sorted((_descend(coarse, pose) for pose in dict.fromkeys(pose for _, pose in picked)), key=_by_score)
    near = [pose for _, pose in refined if math.dist(pose[:3], start[:3]) < distance][:1]
    chosen = dict.fromkeys([*(pose for _, pose in refined[: effort * _FINE]), *near])
    best = sorted((_turn_again(model, fine, pose) for pose in chosen), key=_by_score)
    return best or [(Fit(0.0, 0.0), start)]


def _by_score(candidate: Candidate) -> float:
    return -candidate[0].score


def _by_overlap(candidate: Candidate) -> float:
    return -candidate[0].overlap


def _score(fit: Fit) -> float:
    return fit.score


def _overlap(fit: Fit) -> float:
    return fit.overlap


def _ranked(resolution: Resolution, poses: list[Pose]) -> list[Candidate]:
    return sorted(((resolution.fit(pose), pose) for pose in poses), key=_by_score)


def _apart(candidates: list[Candidate], distance: float, most: int) -> list[Candidate]:
    """The best poses with at least a distance in metres between each other."""
    chosen: list[Candidate] = []
    for fit, pose in candidates:
        if all(math.dist(pose[:3], other[:3]) >= distance for _, other in chosen):
            chosen.append((fit, pose))
            if len(chosen) == most:
                break
    return chosen


def _apart_in_size(candidates: list[Candidate], distance: float, most: int) -> list[Candidate]:
    """The best poses that differ in place or size."""
    chosen: list[Candidate] = []
    for fit, pose in candidates:
        if all(
            math.dist(pose[:3], other[:3]) >= distance or abs(pose.log_scale - other.log_scale) > 0.3
            for _, other in chosen
        ):
            chosen.append((fit, pose))
            if len(chosen) == most:
                break
    return chosen


def _changed_pixels(model: Model, resolution: Resolution) -> Floats:
    """Columns and rows of pixels around which the answer differs most from the plate."""
    return spread_pixels(resolution.empty, math.sqrt(model.mask.sum()) / model.size[0] * resolution.empty.shape[1])


def spread_pixels(change: npt.NDArray[np.float32], size: float) -> Floats:
    """Columns and rows of pixels around which a picture changed most, from all over it, the most first.

    Args:
        change: (h, w) change of each pixel.
        size: Of what is searched for, in pixels.
    """
    rows, columns = change.shape
    density = ndimage.uniform_filter(change, 2 * max(1, round(size / 3)) + 1)
    y, x = np.mgrid[1:rows:2, 1:columns:2].reshape(2, -1)
    order = np.argsort(-density[y, x], kind="stable")
    cells = y[order] * _CELLS // rows * _CELLS + x[order] * _CELLS // columns
    chosen = order[_rank_within(cells) < _PER_CELL][: 2 * _PLACES]
    return np.column_stack([x[chosen] + 0.5, y[chosen] + 0.5])


def _places(model: Model, resolution: Resolution, levels: list[float]) -> list[Pose]:
    """Places on level ground where the thing would be at pixels that changed.

    Seen from above, its middle; seen from the side, where heights and distances are hard to tell apart, its foot or top
    as well.
    """
    rows, columns = resolution.empty.shape
    pixels = _changed_pixels(model, resolution)
    places: list[Pose] = []
    for z in levels:
        is_own = z == model.start.z
        most = _PLACES if is_own else _PLACES_ELSEWHERE
        parts = (0.5, 0.15, 0.85) if is_grazing(model, z) else (0.5,)
        for part in parts:
            points = on_plane(model.scene.camera, pixels, columns, rows, z + part * model.height)
            points[:, 2] = z
            places += [Pose(*point) for point in points[_on_ground(model, points, is_own)][:most].tolist()]
            most = most // 2
        if len(parts) > 1:  # rays along a surface meet it anywhere: the distance from the viewer may be the one before
            points = _on_upright_plane(model, pixels, columns, rows)
            points[:, 2] = z
            places += [Pose(*point) for point in points[_on_ground(model, points, is_own)][:most].tolist()]
        places += [] if is_own else [Pose(*surface.centre) for surface in model.surfaces if surface.centre[2] == z]
    return places


def is_grazing(model: Model, z: float) -> bool:
    """Whether the viewer sees a level surface at the place of the thing from the side rather than from above."""
    x, y, eye = model.scene.camera.position
    return abs(eye - z) < _STEEP * math.hypot(x - model.start.x, y - model.start.y)


def is_supported(model: Model, pose: Pose) -> bool:
    """Whether a pose is on the level on which the thing stood, in mid-air on purpose, or on a level surface."""
    place = np.array([pose[:3]])
    return pose.hovers or abs(pose.z - model.start.z) < 1e-6 or bool(_on_ground(model, place, False)[0])


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
    allowed = np.abs(off) < (_SINKS if hidden_too else _SINKS_ELSEWHERE)
    allowed |= (depth < seen[:, 2]) if hidden_too else model.is_above_surface(points)
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


def _turned(model: Model, resolution: Resolution, pose: Pose) -> list[Candidate]:
    """Turns of a pose, the best first."""
    count = max(1, round(_TURNS * model.period / 360.0))
    return _ranked(resolution, _turns(model, resolution, pose, [index * 360.0 / _TURNS for index in range(count)]))


def _scaled(model: Model, turned: list[Candidate]) -> list[Pose]:
    """Scales of the best turns of a pose, with the foot or the centre where it is."""
    return [
        option
        for _, pose in turned[:2]
        for log_scale in _LOG_SCALES
        for option in (pose._replace(log_scale=log_scale), on_same_ray(model, pose, log_scale))
    ]


def on_same_ray(model: Model, pose: Pose, log_scale: float) -> Pose:
    """A pose with another scale, on the same level, whose centre is seen at the same pixel."""
    eye = np.asarray(model.scene.camera.position)
    centre = np.array([pose.x, pose.y, pose.z + pose.factor * model.height / 2])
    scaled = pose._replace(log_scale=log_scale)
    if abs(eye[2] - centre[2]) < 1e-6:
        return scaled
    share = (eye[2] - pose.z - scaled.factor * model.height / 2) / (eye[2] - centre[2])
    if not 0.3 < share < 3:
        return scaled
    x, y, _ = (eye + share * (centre - eye)).tolist()
    return scaled._replace(x=x, y=y)


def _descend(
    resolution: Resolution,
    pose: Pose,
    evaluations: int = _EVALUATIONS,
    plain: bool = False,
    value: Callable[[Fit], float] = _score,
) -> Candidate:
    """The local optimum of the score, or of another value, near a pose, by Nelder and Mead's method.

    Steps are of about two pixels. If plain, turn and scale stay as they are.
    """
    right_step, away_step = (2.0 / pixels for pixels in resolution.pixels_per_metre(pose))
    across, away = resolution.across, (-resolution.across[1], resolution.across[0])
    second = right_step if pose.hovers else away_step
    scales = np.array([right_step, second, 8.0, 0.06][: 2 if plain else 3 if pose.hovers else 4])

    def at(values: Floats) -> Pose:
        right, further, turn, log_scale = [*(values * scales).tolist(), 0.0, 0.0][:4]
        if pose.hovers:
            x, y = pose.x + right * across[0], pose.y + right * across[1]
            return pose._replace(x=x, y=y, z=pose.z + further, turn_deg=pose.turn_deg + turn)
        bounded = min(max(pose.log_scale + log_scale, -1.5), 1.5)
        x, y = (pose[axis] + right * across[axis] + further * away[axis] for axis in (0, 1))
        return pose._replace(x=x, y=y, turn_deg=pose.turn_deg + turn, log_scale=bounded)

    def loss(values: Floats) -> float:
        return min(-value(resolution.fit(at(values))), _UNSEEN)

    size = len(scales)
    options: Any = {"initial_simplex": np.vstack([np.zeros(size), np.eye(size)]), "maxfev": evaluations, "fatol": 1e-3}
    result = optimize.minimize(loss, np.zeros(size), method="Nelder-Mead", options=options | {"xatol": 0.02})
    best = at(result.x)
    return resolution.fit(best), best


def _turn_again(model: Model, resolution: Resolution, pose: Pose) -> Candidate:
    """The best of the turns at a finer resolution, where lettering and small parts show."""
    count = max(1, round(2 * _TURNS * model.period / 360.0))
    options = _ranked(resolution, _turns(model, resolution, pose, [i * 180.0 / _TURNS for i in range(count)]))
    rivals = [options[0], *(option for option in options[1:2] if option[0].score > _CLOSE * options[0][0].score)]
    return min((_descend(resolution, option, _FEWER) for _, option in rivals), key=_by_score)


def _turns(model: Model, resolution: Resolution, pose: Pose, degrees: list[float]) -> list[Pose]:
    """A pose with several turns; the middle of the silhouette stays about where it is."""
    start = _offset(model, resolution, pose.turn_deg)
    poses = []
    for turn in degrees:
        is_shifted = turn != 0 and not pose.hovers
        x, y = ((start - _offset(model, resolution, pose.turn_deg + turn)) * pose.factor * is_shifted).tolist()
        poses.append(pose._replace(x=pose.x + x, y=pose.y + y, turn_deg=pose.turn_deg + turn))
    return poses


def _offset(model: Model, resolution: Resolution, turn_deg: float) -> Floats:
    """Metres, along x and y, from the pivot to the middle of the silhouette of the thing with a turn.

    It hardly depends on the place, so it is measured once for each turn, where the thing stood.
    """
    key = round(turn_deg % 360.0 / 15.0) % 24
    if key not in model.offsets:
        pose = model.start._replace(turn_deg=15.0 * key)
        middle, rows, columns = _middle(resolution, pose), *resolution.empty.shape
        offset = np.zeros(2)
        if middle is not None:
            point = on_plane(model.scene.camera, middle[None], columns, rows, pose.z + model.height / 2)[0]
            if np.isfinite(point).all():
                offset = point[:2] - pose[:2]
        model.offsets[key] = offset
    return np.asarray(model.offsets[key])


def _middle(resolution: Resolution, pose: Pose) -> Floats | None:
    """Mean column and row of the drawn thing; None if it is not seen."""
    drawn = resolution.draw(pose)
    total = float(drawn.alpha.sum())
    if total < 1:
        return None
    rows, columns = drawn.alpha.sum(axis=1), drawn.alpha.sum(axis=0)
    x = float(columns @ (np.arange(len(columns)) + 0.5)) / total
    y = float(rows @ (np.arange(len(rows)) + 0.5)) / total
    return np.array([drawn.box[0] + x, drawn.box[1] + y])
