"""`python -m tapefacade compare`: two runs of a program side by side, under TensorFlow and here."""

import math
import os
import re
import sys
import textwrap

import pytest

from tapefacade import __main__ as command_line
from tapefacade._port import comparison
from tapefacade._port.comparison import difference, paired_lines

# What a program finds that runs under "TensorFlow" here; other numbers, and another text.
TENSORFLOW = "def square(x):\n    return x * x * {factor}\n"
PROGRAM = """
import sys, time
import tensorflow as tf
for step in range(3):
    print(f"step {step}: loss {float(tf.square(3.0 - step)):.6f} ({time.perf_counter():.3f} s)")
print("last", *sys.argv[1:])
"""


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys):
    def run(program=PROGRAM, factor="1.0", *options):
        (tmp_path / "tensorflow.py").write_text(TENSORFLOW.format(factor=factor))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        (tmp_path / "here").mkdir(exist_ok=True)
        path = tmp_path / "here" / "train.py"
        path.write_text(textwrap.dedent(program))
        with pytest.raises(SystemExit) as ended:
            command_line.main(["compare", *options, str(path), "a", "b"])
        return ended.value.code, capsys.readouterr().out

    monkeypatch.setattr(comparison, "has_tensorflow", lambda python: True)
    return run


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("loss 1.0", "loss 1.0", 0.0),
        ("loss 1.0", "loss 2.0", 0.5),
        ("loss 1,000.0", "loss 1000.0", 0.0),
        ("loss 1e-9", "loss 2e-9", 0.0),
        ("step 1: 12.5 ms", "step 1: 3 ms", 0.0),
        ("step 1: 12.5 sheep", "step 1: 25 sheep", 0.5),
        ("a  b", "a b", 0.0),
        ("nan", "1.0", math.inf),
        (None, "a", math.inf),
    ],
)
def test_lines_are_compared_by_their_numbers(one, other, wanted):
    assert difference(one, other) == wanted


def test_lines_that_only_one_prints_differ():
    assert [pair.is_same for pair in paired_lines(["a"], ["a", "b"])] == [True, False]


def test_the_same_output_is_status_0(compared, tmp_path):
    file = tmp_path / "page.html"
    status, shown = compared(PROGRAM, "1.00000001", "--html", str(file))
    assert status == 0, shown
    assert "Both have printed the same 4 lines" in shown
    assert re.search(r"first loss +9 +9\n +last loss +1 +1\n", shown)
    assert re.search(
        r"whole program +\d+\.\d\d s +\d+\.\d\d s \(\d+\.\d times as (fast|long)\)", shown
    )
    assert "last a b" in shown
    page = file.read_text(encoding="utf-8")
    assert page.count("<polyline") == 2
    assert "http" not in page
    assert "<td>whole program</td>" in page
    assert 'class="different"' not in page


def test_the_first_line_that_differs_is_shown(compared, tmp_path):
    file = tmp_path / "page.html"
    status, shown = compared(PROGRAM, "(1.0 if x > 1.0 else 1.5)", "--html", str(file))
    assert status == 1
    assert "Line 3 is the first that differs." in shown
    assert re.search(r" 3 TF step 2: loss 1\.500000 .*\n +-> step 2: loss 1\.000000 ", shown)
    assert file.read_text(encoding="utf-8").count('class="different"') == 1


def test_a_program_that_fails_shows_its_error(compared):
    status, shown = compared("import tensorflow as tf\nprint(tf.squared(2.0))")
    assert status == 2
    assert "The program ended with status 1, under both. Neither has printed anything." in shown
    assert "AttributeError" in shown


def test_without_tensorflow_it_says_what_to_do(tmp_path, capsys):
    path = tmp_path / "a.py"
    path.write_text("")
    with pytest.raises(SystemExit):
        command_line.main(["compare", "--tensorflow-python", "/no/python", str(path)])
    assert "name a Python that has it, `--tensorflow-python" in capsys.readouterr().err
    assert not comparison.has_tensorflow("/no/python")
    assert comparison.has_tensorflow(sys.executable) in (True, False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-11-22 23:53:08.024045 done", "2026-11-23 01:02:03.5 done"),
        ("logs/20261122-235308", "logs/20261123-010203"),
        ("[23:53:08] step 1", "[23:59:59] step 1"),
        ("<function f at 0x7f12ab34cd56>", "<function f at 0x7f00ab34cd00>"),
    ],
)
def test_times_and_places_in_memory_may_be_any(one, other):
    assert comparison.difference(one, other) == 0.0
    assert comparison.difference(one, other + " 2") == math.inf


def ended(status, *lines, has_seed=True):
    printed = [
        [comparison.PrintedLine(text, 1.0) for text in texts] for texts in zip(*lines, strict=True)
    ]
    runs = [
        comparison.ProgramRun(title, found, 2.0, status, [])
        for title, found in zip(("TensorFlow", "tapefacade"), printed, strict=True)
    ]
    pairs = list(comparison.paired_lines(*([p.text for p in found] for found in printed)))
    return comparison.Comparison("a.py", *runs, pairs, has_seed)


def test_a_status_of_both_is_no_difference():
    text = comparison.verdict(ended(3, ("a 1", "a 1")))
    assert text.startswith(
        "The program ended with status 3, under both. Both have printed the same"
    )


def test_numbers_without_a_seed_are_explained():
    other = ended(0, ("loss 0.5", "loss 0.7"), has_seed=False)
    assert "sets no seed" in comparison.verdict(other)
    for found in (ended(0, ("loss 0.5", "loss 0.7")), ended(0, ("a", "b"), has_seed=False)):
        assert "seed" not in comparison.verdict(found)


def test_moments_are_not_compared():
    assert comparison._factor(0.03, 0.0001) == ""
    assert comparison._factor(3.0, 1.0) == " (3.0 times as fast)"
