"""Charts are read back as XML, and their marks must stand where the numbers say."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.contract import Estimate
from pixelproof.web import Part, Point, Scale, interval_bar, interval_bar_axis, matrix, radar, scatter, stacked_bar

NAN = math.nan
shares = st.floats(0, 1) | st.just(NAN)
signed = st.floats(-1, 1) | st.just(NAN)
texts = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)


@st.composite
def estimates(draw, values=shares):
    value, lo, hi = draw(values), draw(values), draw(values)
    if math.isnan(value) or math.isnan(lo) or math.isnan(hi):
        return Estimate(value, NAN, NAN)
    return Estimate(value, min(lo, hi), max(lo, hi))


def read(svg):
    """The root element; what is no number must not have become one."""
    numbers = re.findall(r'="([^"]*)"', re.sub(r'aria-label="[^"]*"', "", svg))
    assert not [text for text in numbers if re.search(r"\b(nan|inf|None)\b", text)]
    return ElementTree.fromstring(svg)


def marked(root, kind):
    return [element for element in root.iter() if kind in (element.get("class") or "").split()]


def share(text):
    assert text.endswith("%")
    return float(text[:-1]) / 100


@given(estimates(), shares, shares)
def test_an_interval_bar_has_its_marks_in_place(estimate, floor, ceiling):
    floor, ceiling = (None if math.isnan(end) else end for end in (floor, ceiling))
    root = read(interval_bar(estimate, Scale(), floor, ceiling))
    dots, bars = marked(root, "dot"), marked(root, "interval")
    assert [share(dot.get("cx")) for dot in dots] == pytest.approx([v for v in [estimate.value] if v == v], abs=1e-4)
    ends = [share(bar.get(end)) for bar in bars for end in ("x1", "x2")]
    assert ends == pytest.approx([v for v in (estimate.lo, estimate.hi) if v == v], abs=1e-4)
    brackets = [share(svg.get("x")) for svg in root if svg.tag == "svg"]
    assert brackets == pytest.approx([v for v in (floor, ceiling) if v is not None], abs=1e-4)
    if floor is not None and ceiling is not None:
        (zone,) = marked(root, "zone")
        assert share(zone.get("width")) == pytest.approx(abs(ceiling - floor), abs=1e-4)


def test_an_interval_bar_says_what_it_shows():
    title = read(interval_bar(Estimate(0.5, 0.25, 0.75), Scale(), 0.1, 0.9)).find("title").text
    assert title == "0.50, 95 % interval 0.25 to 0.75, floor 0.10, ceiling 0.90"


def test_an_axis_has_its_ticks_in_place():
    texts = {text.text: share(text.get("x")) for text in read(interval_bar_axis(Scale(0, 50, 10))).iter("text")}
    assert texts == pytest.approx({"0": 0, "10": 0.2, "20": 0.4, "30": 0.6, "40": 0.8, "50": 1})


@pytest.mark.slow
@given(st.lists(st.integers(1, 999), min_size=1, max_size=9), texts)
def test_parts_of_a_bar_fill_it_without_a_gap(counts, label):
    parts = [Part(label, count, "model") for count in counts]
    rectangles = list(read(stacked_bar(parts, sum(counts))).iter("rect"))
    ends = 0.0
    for rectangle, count in zip(rectangles, counts, strict=True):
        assert share(rectangle.get("x")) == pytest.approx(ends, abs=1e-4)
        assert share(rectangle.get("width")) == pytest.approx(count / sum(counts), abs=1e-4)
        ends += count / sum(counts)


@given(st.lists(st.tuples(estimates(st.floats(0, 1)), estimates(st.floats(0, 1))), min_size=1, max_size=6))
def test_points_stand_where_their_numbers_say(pairs):
    points = [Point(chr(65 + i), f"run {i}", x, y) for i, (x, y) in enumerate(pairs)]
    root = read(scatter(points, Scale(), Scale(), "length", "quality"))
    grid = marked(root, "grid")
    left, right = (edge(float(line.get("x1")) for line in grid) for edge in (min, max))
    top, bottom = (edge(float(line.get("y1")) for line in grid) for edge in (min, max))
    for dot, (x, y) in zip(marked(root, "dot"), pairs, strict=True):
        assert float(dot.get("cx")) == pytest.approx(left + x.value * (right - left), abs=0.01)
        assert float(dot.get("cy")) == pytest.approx(bottom - y.value * (bottom - top), abs=0.01)
    keys = " ".join(text.text for text in marked(root, "key")).split()
    assert sorted(keys) == [point.key for point in points]


def test_points_on_one_spot_share_a_label():
    same = Estimate(0.5, NAN, NAN)
    root = read(scatter([Point(key, key, same, same) for key in "ABC"], Scale(), Scale(), "x", "y"))
    assert [text.text for text in marked(root, "key")] == ["A B C"]


@given(st.integers(1, 6), st.data())
def test_a_matrix_has_values_below_and_intervals_above(size, data):
    cells = [[Estimate(1.0, NAN, NAN)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            cells[i][j] = cells[j][i] = data.draw(estimates(signed))
    root = read(matrix([f"name {i}" for i in range(size)], cells))
    values = [text.text.replace("−", "-") for text in marked(root, "value")]
    below = [cells[i][j] for i in range(size) for j in range(i)]
    assert values == [f"{c.value + 0.0:.2f}".replace("-0.00", "0.00") if c.value == c.value else "–" for c in below]
    sure = ["unsure" not in text.get("class") for text in marked(root, "value")]
    assert sure == [cell.lo > 0 or cell.hi < 0 for cell in below]
    above = [cells[i][j] for i in range(size) for j in range(i + 1, size)]
    assert len(marked(root, "interval")) == sum(cell.lo == cell.lo for cell in above)
    assert len(marked(root, "dot")) == sum(cell.value == cell.value for cell in above)


@given(st.lists(st.tuples(texts, estimates()), min_size=3, max_size=9))
def test_a_radar_is_absolute(axes):
    root = read(radar(axes))
    _, _, width, height = map(float, root.get("viewBox").split())

    def radius(x, y):
        return math.hypot(float(x) - width / 2, float(y) - height / 2)

    rim = radius(*marked(root, "grid")[3].get("points").split()[0].split(","))
    found = [radius(dot.get("cx"), dot.get("cy")) / rim for dot in marked(root, "dot")]
    assert found == pytest.approx([e.value for _, e in axes if e.value == e.value], abs=1e-3)
    whole = all(e.value == e.value for _, e in axes)
    assert len(marked(root, "area")) == whole  # a spoke without a value must not look like 0
