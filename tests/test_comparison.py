"""`python -m tapefacade compare`: two runs of a program side by side, under TensorFlow and here."""

import math
import os
import re
import sys
import textwrap

import pytest

from tapefacade import __main__ as command_line
from tapefacade._port import comparison
from tapefacade._port.printed_lines import PrintedLine, difference, losses, paired_lines, shown

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

    monkeypatch.setattr(comparison, "tensorflow_version", lambda python: "TensorFlow 2.21")
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
        ("[-0.5  1. ]", "[ 0.5 -1. ]", 2.0),
        ("Loss: 1.5, Time: 0.34", "Loss: 1.5, Time: 0.21", 0.0),
        ("total_time = 3, elapsed 12", "total_time = 4, elapsed 13", 0.0),
        (
            "ELBO: -9.5, time elapse for current epoch: 1.2",
            "ELBO: -9.5, time elapse for current epoch: 7",
            0.0,
        ),
        ("time this iteration: 0.2", "time this iteration: 0.7", 0.0),
        ("run-time loss 1.0", "run-time loss 2.0", 0.5),
        ("loss: 0.0012", "loss: 0.0013", 0.0),  # 0.00125, rounded one way and the other
        ("loss: 0.0012", "loss: 0.0014", 1 / 14),
        ("12ms/step - loss: 0.5", "3s 1s/step - loss: 0.5", math.inf),
        ("0s 12ms/step - loss: 0.5", "3s 1s/step - loss: 0.5", 0.0),
        ("/tmp/tmpab12cd34/x", "/tmp/tmpzz99_cd3/x", 0.0),
    ],
)
def test_lines_are_compared_by_their_numbers(one, other, wanted):
    assert difference(one, other) == pytest.approx(wanted)


def printed(*texts):
    return [PrintedLine(text, float(place)) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("theirs", "ours", "wanted"),
    [
        ("a", "ab", ["aa", " b"]),
        ("abc", "xabc", [" x", "aa", "bb", "cc"]),
        ("abxcd", "abcd", ["aa", "bb", "x ", "cc", "dd"]),
        ("axb", "ayb", ["aa", "xy", "bb"]),
        ("axyb", "azb", ["aa", "xz", "y ", "bb"]),
        ("abcabc", "abcxabc", ["aa", "bb", "cc", " x", "aa", "bb", "cc"]),
        ("ab", "xy", ["ax", "by"]),
        ("ab", "", ["a ", "b "]),
        ("", "", []),
    ],
)
def test_lines_are_paired_by_their_text(theirs, ours, wanted):
    """One more line than the other prints shifts nothing."""
    pairs = [pair.texts for pair in paired_lines(printed(*theirs), printed(*ours))]
    assert pairs == [tuple(None if c == " " else c for c in pair) for pair in wanted]


def test_long_outputs_without_a_common_line_are_paired_in_order():
    pairs = list(paired_lines(printed(*"a" * 500, "same"), printed(*"b" * 400, "same")))
    assert [pair.texts for pair in pairs].count(("a", "b")) >= 400
    assert not pairs[0].is_same


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("loss 1\n", "loss 1"),
        ("\x1b[1m1/2\x1b[0m - loss: 3\x08\x08\x08\r\x1b[1m2/2\x1b[0m - loss: 1\n", "2/2 - loss: 1"),
        ("10%\r20%\r\n", "20%"),
        ("  indented \r\n", "  indented"),
        ("\n", ""),
    ],
)  # fmt: skip
def test_of_a_progress_bar_the_end_counts(written, wanted):
    assert shown(written) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("step 3: loss 0.5", {"loss": [0.5]}),
        ("Epoch 1/5 | G loss: 0.5 | D loss: 1.5", {"G loss": [0.5], "D loss": [1.5]}),
        ("Training loss (for one batch) at step 0: 0.7", {"Training loss": [0.7]}),
        ("13/13 1s - loss: 3.5 - mae: 5.4 - val_loss: 2.5", {"loss": [3.5], "val_loss": [2.5]}),
        ("[1/5] Loss_D: 1.25 Loss_G: 2.5", {"Loss_D": [1.25], "Loss_G": [2.5]}),
        ("loss tf.Tensor(0.5, shape=(), dtype=float32)", {"loss": [0.5]}),
        ("loss is nan, mae 5.0", {}),
        ("loss 9", {"loss": [9.0]}),
    ],
)
def test_losses_have_their_names(line, wanted):
    assert losses(printed(line)) == wanted


def test_the_same_output_is_status_0(compared, tmp_path):
    file = tmp_path / "page.html"
    status, shown = compared(PROGRAM, "1.00000001", "--html", str(file), "--timeout", "600")
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
    assert "Line 3 is the first that differs, its numbers by up to 3.3e-01 of their size." in shown
    assert re.search(r" 3 TF step 2: loss 1\.500000 .*\n +-> step 2: loss 1\.000000 ", shown)
    assert file.read_text(encoding="utf-8").count('class="different"') == 1


def test_a_program_that_fails_shows_its_error(compared):
    status, shown = compared("import tensorflow as tf\nprint(tf.squared(2.0))")
    assert status == 2
    assert (
        "The program ended with status 1 (AttributeError: tapefacade has no `tf.squared`" in shown
    )
    assert "), under both. Neither has printed anything." in shown
    assert "AttributeError" in shown


def test_without_tensorflow_it_says_what_to_do(tmp_path, capsys):
    path = tmp_path / "a.py"
    path.write_text("")
    with pytest.raises(SystemExit):
        command_line.main(["compare", "--tensorflow-python", "/no/python", str(path)])
    assert "name a Python that has it, `--tensorflow-python" in capsys.readouterr().err
    assert comparison.tensorflow_version("/no/python") is None


def test_the_version_of_tensorflow_is_asked_of_its_interpreter(tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("raise AssertionError('imported')")
    (tmp_path / "tensorflow_cpu-2.0.1.dist-info").mkdir()
    (tmp_path / "tensorflow_cpu-2.0.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: 2.0.1\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = comparison.tensorflow_version(sys.executable)
    assert found is not None
    assert re.match(r"TensorFlow 2\.\S+ on Python 3\.", found)


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
    assert difference(one, other) == 0.0
    assert difference(one, other + " 2") == math.inf


def ended(status, *lines, advice="", errors=((), ())):
    """A comparison of two runs that have printed the columns of `lines`."""
    texts = zip(*lines, strict=True) if lines else ((), ())
    status = status if isinstance(status, tuple) else (status, status)
    runs = [
        comparison.ProgramRun(title, printed(*found), 2.0, ended, printed(*written))
        for title, found, ended, written in zip(
            ("TensorFlow", "tapefacade"), texts, status, errors, strict=True
        )
    ]
    return comparison.Comparison("a.py", *runs, comparison.compared_lines(*runs), advice)


def test_a_status_of_both_is_no_difference():
    text = comparison.verdict(ended(3, ("a 1", "a 1")))
    assert text.startswith(
        "The program ended with status 3, under both. Both have printed the same"
    )


def test_the_verdict_names_exceptions():
    theirs = ["Traceback", "tf.errors.InvalidArgumentError: {{function_node a}} Bad."]
    ours = ["tapefacade.errors.InvalidArgumentError: Bad.", "{{function_node a}}"]
    text = comparison.verdict(ended(1, errors=(theirs, ours)))
    assert text.startswith(
        "The program ended with status 1 (InvalidArgumentError: Bad.), under both. Neither"
    )
    text = comparison.verdict(ended(1, errors=(["KeyError: 'x'"], ours)))
    assert text.startswith(
        "Under TensorFlow the program ended with status 1 (KeyError: 'x'). Under tapefacade the "
        "program ended with status 1 (InvalidArgumentError: Bad.). "
    )
    text = comparison.verdict(ended((0, 2), ("a", "a"), errors=((), ours)))
    assert text.startswith("Under tapefacade the program ended with status 2 (InvalidArg")
    assert "TensorFlow" not in text


def test_the_verdict_says_what_differs():
    text = comparison.verdict(ended(0, ("a", "a"), ("loss 1.0", "loss 2.0"), ("b 1", "b 2")))
    assert text == (
        "Line 2 is the first that differs, its numbers by up to 5.0e-01 of their size. "
        "2 of 3 lines differ."
    )
    one_more = comparison.Comparison(
        "a.py", ended(0).theirs, ended(0).ours, list(paired_lines(printed("a"), printed("x", "a")))
    )
    assert "Line 1 is the first that differs: only tapefacade has printed it. 1 of 2" in (
        comparison.verdict(one_more)
    )


def test_lines_of_standard_error_count_where_both_write_them():
    """`tf.print` writes there, and so does TensorFlow's log."""
    noted = ["I0000 log", "step 1: 0.5"], ["step 1: 0.7", "compiling"]
    found = ended(0, ("a", "a"), errors=noted)
    assert [pair.texts for pair in found.pairs] == [("a", "a"), ("step 1: 0.5", "step 1: 0.7")]


def test_a_page_of_very_many_lines_is_short():
    lines = [("a 1", "a 1")] * 3000 + [("b 1", "b 2")]
    page = comparison.page(ended(0, *lines))
    assert page.count("<tr") < 520
    assert page.count('class="different"') == 1
    assert "and 2,500 lines more" in page


def test_numbers_without_a_seed_are_explained():
    other = ended(0, ("loss 0.5", "loss 0.7"), advice=comparison.NO_SEED)
    assert "sets no seed" in comparison.verdict(other)
    for found in (ended(0, ("loss 0.5", "loss 0.7")), ended(0, ("a", "b"), advice="a seed")):
        assert "seed" not in comparison.verdict(found)


def test_moments_are_not_compared():
    assert comparison._factor(0.03, 0.0001) == ""
    assert comparison._factor(3.0, 1.0) == " (3.0 times as fast)"


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        ("np.random.rand(3)", comparison.NO_SEED),
        ("tf.random.set_seed(0)", ""),
        (
            "tf.random.set_seed(0); np.random.seed(0); tf.keras.Sequential()",
            comparison.NO_KERAS_SEED,
        ),
        ("random.seed(0); tf.keras.Sequential()", ""),
        ("tf.keras.utils.set_random_seed(0); tf.keras.Sequential()", ""),
    ],
)
def test_seeds_that_a_program_lacks(program, advice):
    assert comparison.seed_advice(program) == advice


def test_a_program_that_does_not_end_is_ended():
    program = "import time; print('a\\nhalf a line', end='', flush=True); time.sleep(600)"
    found = comparison.run("TensorFlow", [sys.executable, "-c", program], limit=1.0)
    assert found.was_ended
    assert found.status == 0
    assert [line.text for line in found.lines] in (["a"], [])  # where Python starts slowly


def test_of_runs_that_were_ended_what_both_have_printed_is_compared():
    theirs = comparison.ProgramRun("TensorFlow", printed("a", "loss 1", "loss 2"), 9.0, 0, [])
    ours = comparison.ProgramRun("tapefacade", printed("a", "loss 1"), 9.0, 0, [], was_ended=True)
    found = comparison.Comparison("a.py", theirs, ours, comparison.compared_lines(theirs, ours))
    assert found.status == comparison.SAME
    assert comparison.verdict(found) == (
        "Under tapefacade it was ended after 9 s. Both have printed the same 2 lines, with the "
        "same numbers."
    )
    nothing = comparison.ProgramRun("tapefacade", [], 9.0, 0, [], was_ended=True)
    found = comparison.Comparison(
        "a.py", theirs, nothing, comparison.compared_lines(theirs, nothing)
    )
    assert comparison.verdict(found).endswith("let them run longer.")
    ours.was_ended = False
    found = comparison.Comparison("a.py", theirs, ours, comparison.compared_lines(theirs, ours))
    assert found.status == comparison.DIFFERENT


def test_who_waits_is_told(capsys, monkeypatch):
    monkeypatch.setattr(comparison, "SECONDS_BETWEEN_REPORTS", 0.05)
    program = "import time; print('step 7', flush=True); time.sleep(0.5)"
    found = comparison.run("TensorFlow", [sys.executable, "-c", program])
    told = capsys.readouterr().err
    assert told.startswith("compare: runs under TensorFlow; Ctrl-C or `--timeout SECONDS` ends it")
    assert " 1 lines, the last: step 7" in told
    assert [line.text for line in found.lines] == ["step 7"]
    assert not found.was_ended


def test_where_the_time_goes_is_told_by_a_report():
    theirs = [PrintedLine("a", 0.0), PrintedLine("b", 1.0)]
    ours = [PrintedLine("a", 0.0), PrintedLine("b", 3.0)]
    runs = [
        comparison.ProgramRun(title, lines, 4.0, 0, [])
        for title, lines in (("TensorFlow", theirs), ("tapefacade", ours))
    ]
    found = comparison.Comparison("a.py", *runs, comparison.compared_lines(*runs))
    assert "`python -m tapefacade run --report a.py` says where" in comparison.verdict(found)
    runs.reverse()
    found = comparison.Comparison("a.py", *runs, comparison.compared_lines(*runs))
    assert "--report" not in comparison.verdict(found)
