from collections import Counter

import numpy as np
import pytest

from training.drawing.foreign import Figure, is_validation
from training.drawing.hand import VIEWS
from training.drawing.labels import NOTHING
from training.drawing.ours import SUBJECTS
from training.drawing.pool import CLASSES, Task, exam_tasks, picture, render, training_tasks, validation_tasks


def figures(count=40):
    """Squares of others, some of which show nothing that has a name here."""
    rgba = np.zeros((16, 16, 4), np.uint8)
    rgba[3:13, 3:13] = (200, 90, 40, 255)
    subjects = ["cat", "sun", NOTHING]
    return [
        Figure("crawl-tiles", f"{n}", subjects[n % 3], rgba, f"crawl-tiles/{n}") for n in range(count)
    ]  # fmt: skip


def silent(done, total):
    return None


@pytest.mark.slow
def test_no_drawing_is_both_learnt_and_tested():
    found = figures()
    learnt, checked, tested = training_tasks(found), validation_tasks(found), exam_tasks(found, [])
    for others in (checked, tested):
        assert not {(task.way, task.name, task.index) for task in learnt} & {
            (task.way, task.name, task.index) for task in others
        }
        assert not {task.figure for task in learnt if task.figure} & {task.figure for task in others if task.figure}
    assert {task.figure for task in checked if task.figure} == set(filter(is_validation, found))


@pytest.mark.slow
def test_every_subject_is_learnt_and_tested():
    found = figures()
    for tasks in (training_tasks(found), validation_tasks(found), exam_tasks(found, [])):
        assert set(SUBJECTS) <= {task.subject for task in tasks} <= set(CLASSES)
    shares = Counter(task.subject for task in training_tasks(found))
    assert min(shares[name] for name in SUBJECTS) >= 400


@pytest.mark.slow
def test_a_share_is_a_smaller_set_of_the_same_kind():
    whole, part = (training_tasks(figures(), share) for share in (1.0, 0.01))
    assert len(part) < len(whole) / 20
    assert {task.way for task in part} == {task.way for task in whole}


@pytest.mark.slow
def test_a_pool_depends_on_its_seed_alone_and_not_on_the_workers():
    tasks = training_tasks(figures(), 0.002)
    tasks = tasks[:: max(1, len(tasks) // 60)]
    first = render(tasks, 0, silent, 1)
    assert first.digest == render(tasks, 0, silent, 1).digest != render(tasks, 1, silent, 1).digest
    assert first.cells.shape == (len(tasks), 24, 24, 3) and len(first) == len(tasks)
    assert [CLASSES[label] for label in first.labels] == [task.subject for task in tasks]
    cats = first.where(lambda task: task.subject == "cat")
    assert len(cats) == sum(task.subject == "cat" for task in tasks)


def test_typed_drawings_are_also_shown_small_and_cut_off():
    whole, half, third, cut = (picture(Task(view, "cat", 0, "cat"), 0) for view in VIEWS)
    assert 3 * len(whole) == 1.5 * len(half) == len(third) and len(cut) == len(whole)
    for page in (half, third):
        start = (len(page) - len(whole)) // 2
        np.testing.assert_array_equal(page[start:, start:][: len(whole), : len(whole)], whole)
    assert (cut[:, -1] == whole[0, 0]).all() and (cut[:, : len(cut) // 2] == whole[:, : len(cut) // 2]).all()


@pytest.mark.slow
def test_processes_make_the_same_drawings():
    tasks = [Task("ours", name, 0, name) for name in SUBJECTS]
    assert render(tasks, 0, silent, 2).digest == render(tasks, 0, silent, 1).digest
