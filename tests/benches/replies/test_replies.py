"""Replies are read exactly, or they are faults."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.benches.replies import read_choice, read_number
from pixelproof.contract import Failure

YES_NO = ("yes", "no")
MUGS = ("the red mug", "the blue mug", "the mug")
LENGTHS = ("20 cm", "50 cm", "1.5 m")
COUNTS = ("2", "3")


@pytest.mark.parametrize(
    "text, options, right",
    [
        ("A", YES_NO, 0),
        ("b", YES_NO, 1),
        (" **B** ", YES_NO, 1),
        ("(A)", YES_NO, 0),
        ("B.", YES_NO, 1),
        ("Option B", YES_NO, 1),
        ("A. yes", YES_NO, 0),
        ("B) No", YES_NO, 1),
        ("A: yes, it is closer", YES_NO, 0),
        ("B. The bowl is in front of it.", YES_NO, 1),
        ("Yes", YES_NO, 0),
        ("No.", YES_NO, 1),
        ("No, the mug stands behind it.", YES_NO, 1),
        ("Answer: B", YES_NO, 1),
        ("The mug is further left.\nAnswer: A", YES_NO, 0),
        ("The answer is B.", YES_NO, 1),
        ("Let me see: \\boxed{A}", YES_NO, 0),
        ("<think>A or B? B seems right.</think>A", YES_NO, 0),
        ("<answer>B</answer>", YES_NO, 1),
        ('{"answer": "B"}', YES_NO, 1),
        ("答案：B", ("是", "否"), 1),
        ("否", ("是", "否"), 1),
        ("The blue mug", MUGS, 1),
        ("the mug.", MUGS, 2),
        ("C. the mug", MUGS, 2),
        ("50 cm", LENGTHS, 1),
        ("about 50 centimetres", LENGTHS, 1),
        ("150 cm", LENGTHS, 2),
        ("3", COUNTS, 1),
        ("There are three.", COUNTS, 1),
        ("A", COUNTS, 0),
        ("\\boxed{\\text{B}}", YES_NO, 1),
        ("$B$", YES_NO, 1),
        ("I think B", YES_NO, 1),
        ("It is B.", YES_NO, 1),
        ("B is correct.", YES_NO, 1),
        ("B (no)", YES_NO, 1),
        ("The correct choice is B", YES_NO, 1),
        ("Choice: B", YES_NO, 1),
        ('{"answer": ["B"]}', YES_NO, 1),
        ("选B", ("是", "否"), 1),
        ("我选择B。", ("是", "否"), 1),
        ("答案为（B）", ("是", "否"), 1),
        ("Ｂ", ("是", "否"), 1),
        ("是", ("是", "否"), 0),
    ],
)
def test_a_choice_is_read(text, options, right):
    assert read_choice(text, options) == right


@pytest.mark.parametrize(
    "text, options, name",
    [
        ("", YES_NO, "no-answer"),
        ("   \n", YES_NO, "no-answer"),
        ("A or B", YES_NO, "ambiguous-answer"),
        ("A, B", YES_NO, "ambiguous-answer"),
        ("A. no", YES_NO, "ambiguous-answer"),
        ("B) Yes, it is", YES_NO, "ambiguous-answer"),
        ("Yes and no", YES_NO, "ambiguous-answer"),
        ("Yes. No.", YES_NO, "ambiguous-answer"),
        ("Answer: A\nAnswer: B", YES_NO, "ambiguous-answer"),
        ("Maybe", YES_NO, "unclear-answer"),
        ("C", YES_NO, "unclear-answer"),
        ("A mug is closer to the viewer", YES_NO, "unclear-answer"),
        ("I cannot tell from the photograph.", YES_NO, "unclear-answer"),
        ("It is not the red mug", MUGS, "unclear-answer"),
        ("the red mug or the blue mug", MUGS, "ambiguous-answer"),
        ("the green mug", MUGS, "unclear-answer"),
        ("20 to 50 cm", LENGTHS, "unclear-answer"),
        ("No, I cannot see the picture.", YES_NO, "unclear-answer"),
        ("B (yes)", YES_NO, "ambiguous-answer"),
        ("I think A, or B", YES_NO, "ambiguous-answer"),
        ("B is correct if the camera turns", YES_NO, "unclear-answer"),
        ("35 cm", LENGTHS, "unclear-answer"),
    ],
)
def test_an_unclear_choice_is_a_fault(text, options, name):
    failure = read_choice(text, options)
    assert isinstance(failure, Failure) and failure.name == name and failure.fault == "model"


@pytest.mark.parametrize(
    "text, unit, value",
    [
        ("34", "cm", 34),
        ("34.5", "cm", 34.5),
        ("34,5 cm", "cm", 34.5),
        ("1,200 mm", "cm", 120),
        ("0.34 m", "cm", 34),
        ("~ 34cm", "cm", 34),
        ("approximately 34 centimeters.", "cm", 34),
        ("The centres are about 34 cm apart.", "cm", 34),
        ("34 cm (13.4 inches)", "cm", 34),
        ("34 cm (about 13 inches)", "cm", 34),
        ("2 ft", "cm", 60.96),
        ("**Answer: 34 cm**", "cm", 34),
        ("It moves 20 cm and was 30 cm away.\nAnswer: 50 cm", "cm", 50),
        ("相距34厘米", "cm", 34),
        ("-5", "cm", -5),
        ("1e2", "cm", 100),
        ("3", "", 3),
        ("three", "", 3),
        ("There are 3 mugs in the picture.", "", 3),
        ("两", "", 2),
        ("\\boxed{7}", "", 7),
        ("12 yards", "cm", 1097.28),
        ("1.2 dm", "cm", 12),
        ("0,340 m", "cm", 34),
        ("1.500,00 mm", "cm", 150),
        ("1 m 20 cm", "cm", 120),
        ("5 ft 3 in", "cm", 160.02),
        ("twelve centimetres", "cm", 12),
        ("one metre", "cm", 100),
        ("The one on the left is 34 cm away from the other one.", "cm", 34),
        ("三十四厘米", "cm", 34),
        ("34左右", "cm", 34),
        ("twenty-one", "", 21),
        ("There are thirty-two books.", "", 32),
        ("fourteen", "", 14),
        ("一共有三本书", "", 3),
        ("十二", "", 12),
        ("二十", "", 20),
        ("none", "", 0),
    ],
)
def test_a_number_is_read(text, unit, value):
    assert read_number(text, unit) == pytest.approx(value)


@pytest.mark.parametrize(
    "text, unit, name",
    [
        ("", "cm", "no-answer"),
        ("far", "cm", "unclear-answer"),
        ("30-40 cm", "cm", "ambiguous-answer"),
        ("30 to 40 cm", "cm", "ambiguous-answer"),
        ("between 30 and 40", "cm", "ambiguous-answer"),
        ("30 cm or 60 cm", "cm", "ambiguous-answer"),
        ("34 cm (0.5 m)", "cm", "ambiguous-answer"),
        ("34 kg", "cm", "wrong-unit"),
        ("34 %", "cm", "wrong-unit"),
        ("34 pixels", "cm", "wrong-unit"),
        ("34 cm²", "cm", "wrong-unit"),
        ("3 cm", "", "wrong-unit"),
        ("12 units", "cm", "wrong-unit"),
        ("12 cubits", "cm", "wrong-unit"),
        ("34像素", "cm", "wrong-unit"),
        ("1 m, 20 cm", "cm", "ambiguous-answer"),
        ("34 cm (about 20 inches)", "cm", "ambiguous-answer"),
        ("two or three", "", "ambiguous-answer"),
        ("Answer: 3\nAnswer: 4", "", "ambiguous-answer"),
        ("inf", "cm", "unclear-answer"),
        ("nan", "cm", "unclear-answer"),
    ],
)
def test_an_unclear_number_is_a_fault(text, unit, name):
    failure = read_number(text, unit)
    assert isinstance(failure, Failure) and failure.name == name


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=5, unique=True))
@settings(max_examples=25)
def test_any_text_has_a_reading_or_a_fault(text, options):
    choice, number, length = read_choice(text, options), read_number(text), read_number(text, "cm")
    assert isinstance(choice, Failure) or 0 <= choice < len(options)
    assert all(isinstance(value, float | Failure) for value in (number, length))


@given(st.floats(0.5, 5000), st.sampled_from([("cm", 1.0), ("m", 100.0), ("mm", 0.1), ("inches", 2.54)]))
@settings(max_examples=40)
def test_a_length_in_any_unit_is_converted(value, unit):
    assert read_number(f"{value:.6f} {unit[0]}", "cm") == pytest.approx(value * unit[1], rel=1e-5, abs=1e-5)


@given(st.integers(0, 999))
@settings(max_examples=60)
def test_every_number_in_words_is_read(value):
    assert read_number(_in_english(value)) == value
    assert read_number(_in_chinese(value)) == value


def _in_english(value):
    ones = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
    )
    ones += ["seventeen", "eighteen", "nineteen"]
    if value >= 100:
        rest = f" and {_in_english(value % 100)}" if value % 100 else ""
        return f"{ones[value // 100]} hundred{rest}"
    if value < 20:
        return ones[value]
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()[value // 10 - 2]
    return f"{tens}-{ones[value % 10]}" if value % 10 else tens


def _in_chinese(value):
    digits = "零一二三四五六七八九"
    if value < 10:
        return digits[value]
    hundreds, tens, ones = value // 100, value // 10 % 10, value % 10
    text = f"{digits[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else digits[tens]) + "十"
    elif ones:
        text += "零"
    return text + (digits[ones] if ones else "")
