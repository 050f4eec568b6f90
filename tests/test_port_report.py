"""`python -m tapefacade run`: reports of what ran, and notebooks."""

import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._function.function.function import Function
from tapefacade._port import report as reporting
from tapefacade._port.notebook_runner import Notebook, display
from tapefacade._port.report import Report, compiled_again
from tapefacade._trace import execution
from tapefacade._trace.recording import Recording
from tapefacade._trace.shape_changes import padding

CHECKOUT = pathlib.Path(tf.__file__).parents[1]
HERE = os.path.abspath(__file__)


@pytest.fixture
def report():
    made = Report()
    made.start()
    yield made
    made.stop()


def rows(report: Report) -> dict[str, list[str]]:
    """What a report says, by the words in its first column."""
    report.stop()
    found: dict[str, list[str]] = {}
    head = ""
    for line in report.text().splitlines():
        head = line[2:13].strip() or head
        found.setdefault(head, []).append(line[13:])
    return found


def place(marker: str) -> str:
    """The line of this file that ends with a comment."""
    lines = pathlib.Path(HERE).read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, start=1) if line.endswith(f"# {marker}")]
    return f"{HERE}:{number}"


# -- what a report counts -------------------------------------------------------------------------


def test_programs_steps_and_looks_are_counted(report):
    w = tf.Variable(3.25)
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.square(tf.math.sinh(w) * 0.03125)
        w.assign_sub(0.0625 * tape.gradient(loss, w))
        float(loss)  # here
    found = rows(report)
    assert len(report.starts) == 5
    assert re.match(
        r"5 steps: the first took .+, the others .+ each \(median\), .+ at most", found["time"][1]
    )
    assert found["programs"][0].startswith("1 compiled, 5 run, 4 of them from the cache")
    assert found["programs"][0].endswith("the last was compiled in step 1")
    assert re.fullmatch(r"[1-9]\d* new instructions", found["programs"][1])
    assert report.looks == {place("here"): 5}
    assert found["looked at"] == [f"5  {os.path.relpath(place('here'))}"]
    assert found["functions"] == ["no tf.function was called"]
    assert 0.0 < report.compiling < report._ended - report._began


@pytest.mark.parametrize(("own", "wanted"), [([], ""), (["/home/me/train.py:7"], "train.py:7;")])
def test_numbers_that_a_library_chooses_are_no_advice(own, wanted):
    """Keras's initializers of unlike sizes are the same ops for other numbers."""
    library = "/lib/site-packages/keras/src/initializers.py:3"
    known = types.SimpleNamespace(change=lambda: ("", []), lines=[library, *own])
    parts = [types.SimpleNamespace(steps=[types.SimpleNamespace(static=(n,))]) for n in range(2)]
    said = compiled_again(known, parts)
    assert wanted in said
    assert bool(said) is bool(own)


def test_shapes_and_lines_behind_compiled_programs_are_named(report):
    w = tf.Variable([[2.0], [3.0]])
    for length in (41, 45, 42, 48):  # the fifth would not be compiled
        x = tf.constant(np.ones([length, 2], np.float32))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.math.cosh(x) @ w))  # shapes
        w.assign_sub(0.0625 * tape.gradient(loss, w))
        loss.numpy()
    for axis in (0, 1, 2):
        tf.reduce_logsumexp(tf.constant(np.ones([2, 3, 4], np.float32)), axis).numpy()  # axis
    found = rows(report)["programs"]
    where = os.path.relpath(place("shapes"))
    assert found[0].startswith("7 compiled")
    assert found[1] == (
        f"4 of them are the same ops for other shapes, at {where}: (41, 2), (45, 2), (42, 2) and "
        "1 more; pad it to (48, 2), the largest so far, before it is a tensor, "
        "`np.pad(x, [(0, 48 - x.shape[0]), (0, 0)])`, and mask what is added; or leave the last "
        "batch out by `drop_remainder=True`"
    )
    where = os.path.relpath(place("axis"))
    assert found[2].startswith(f"3 of them are the same ops for other static numbers, at {where};")


def test_padded_as_the_report_says_one_program_is_compiled(report):
    w = tf.Variable([[2.0], [3.0]])
    for length in (33, 36, 34, 35):
        x = np.ones([2, length, 2], np.float32)
        x = np.pad(x, [(0, 0), (0, 36 - x.shape[1]), (0, 0)])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.math.cosh(x) @ w * 0.90625))
        w.assign_sub(0.0625 * tape.gradient(loss, w))
        loss.numpy()
    (first, *_) = rows(report)["programs"]
    assert first.startswith("1 compiled, 4 run")


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ([(3, 5), (4, 5)], "`np.pad(x, [(0, 4 - x.shape[0]), (0, 0)])`, and mask what is added; or "
         "leave the last batch out by `drop_remainder=True`"),
        ([(3, 7, 2), (3, 6, 2)], "`np.pad(x, [(0, 0), (0, 7 - x.shape[1]), (0, 0)])`, and mask "
         "what is added; or `.padded_batch(3, [7, 2])` in the dataset"),
        ([(3, 7), (4, 6)], "pad it to (4, 7), the largest so far, before it is a tensor, "
         "`np.pad(x, [(0, 4 - x.shape[0]), (0, 7 - x.shape[1])])`, and mask what is added"),
        ([(3,), (3, 4)], "pad, or leave the last batch out by `drop_remainder=True`"),
        ([()], "pad, or leave the last batch out by `drop_remainder=True`"),
    ],
)  # fmt: skip
def test_the_padding_is_written_out(shapes, text):
    assert padding(shapes).endswith(text)


def test_inner_tapes_are_no_steps(report):
    x = tf.Variable(0.75)
    for _ in range(2):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x**4.0
            first = inner.gradient(y, x)
        outer.gradient(first, x)
    assert len(report.starts) == 2


def test_a_function_that_opens_a_tape_takes_a_step_at_each_call(report):
    w = tf.Variable([1.5, 2.5])

    @tf.function
    def train(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.expm1(w) * x)
        return tape.gradient(loss, w)

    @tf.function
    def predict(x):
        return train(x) + tf.math.expm1(x)

    for _ in range(4):
        train(tf.constant(1.0))
    predict(tf.constant(1.0))
    with tf.GradientTape():
        train(tf.constant(1.0))
    assert len(report.starts) == 6
    found = rows(report)
    assert [re.sub(r" \(.*?\)", "", line) for line in found["functions"]] == [
        "train: recorded",
        "predict: recorded",
    ]


def test_functions_say_why_their_python_runs(report):
    @tf.function(autograph=False)
    def branch(x):
        return x if x > 0.0 else -x  # why

    branch(tf.constant(-1.5))
    branch(tf.constant(1.5))
    branch(tf.constant([1.5]))
    (line,) = rows(report)["functions"]
    assert line.startswith("branch (tests/test_port_report.py:") or os.getcwd() != str(CHECKOUT)
    assert "its Python runs at every call: " in line
    assert line.endswith("looked at a value")
    assert report.looks == {place("why"): 3}


def test_a_first_call_that_looks_is_not_said_to_be_every_call(report):
    @tf.function
    def branch(x):
        return x if x > 0.0 else -x

    @tf.function
    def again(x):
        return x if x > 0.0 else -x

    for function in (branch, again, again):
        function(tf.constant(-1.5))
    once, twice = rows(report)["functions"]
    assert "its first call ran its Python, the next is recorded: " in once
    assert twice.endswith(": recorded")
    assert branch.trace_report().tracings[0].why == ""


def test_signatures_are_counted(report):
    @tf.function
    def double(x):
        return 2.0 * x

    for size in (1, 2, 3, 3):
        double(tf.zeros([size]))
    (line,) = rows(report)["functions"]
    assert line.endswith(": recorded for 3 signatures")


def test_a_report_on_nothing_says_so(report):
    found = rows(report)
    assert found["time"][1] == "no steps: no tape was opened"
    assert found["programs"][0] == "0 compiled, 0 run, 0 of them from the cache"
    assert found["looked at"] == ["nothing that was pending was looked at"]


def test_long_lists_are_cut(report):
    report.looks.update({f"/file.py:{line}": line for line in range(1, 31)})
    found = rows(report)["looked at"]
    assert len(found) == reporting.MAX_ROWS + 1
    assert found[0] == "30  /file.py:30"
    assert found[-1] == "... and 18 more"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(12.3456, "12.3 s"), (1234.0, "1,234 s"), (0.01, "10 ms"), (3e-6, "3 us")],
)
def test_seconds(seconds, text):
    assert reporting._seconds(seconds) == text


def test_nothing_is_replaced_when_no_report_is_made():
    def state() -> list:
        owners = [
            (Recording, "compute"), (tf.GradientTape, "__enter__"),
            (Function, "__call__"), (Function, "_keep"),
        ]  # fmt: skip
        return [vars(owner)[name] for owner, name in owners] + execution.WRAPPERS

    before = state()
    report = Report()
    assert state() == before
    report.start()
    assert all(a is not b for a, b in zip(before, state(), strict=False))
    assert len(execution.WRAPPERS) == 1
    report.stop()
    report.stop()
    assert state() == before


# -- by line -------------------------------------------------------------------------------------


def of_line(made, marker):
    (found,) = [one for one in made.lines if one.line == place(marker)]
    return found


def test_what_a_line_costs():
    w = tf.Variable(np.eye(32, dtype=np.float32) * 0.5)
    with tf.report() as made:
        for number in range(7):
            x = np.full([16, 32], 0.25 + number, np.float32)
            with tf.GradientTape() as tape:
                y = tf.tanh(x @ w)  # products
                loss = tf.reduce_mean(y * 1.75)
            w.assign_sub(0.375 * tape.gradient(loss, w))
            loss.numpy()  # loss
    products, looked = of_line(made, "products"), of_line(made, "loss")
    assert products.runs == 7
    assert products.flops == 7 * (2 * 16 * 32 * 32 + 16 * 32)
    assert products.bytes == 7 * 2 * 16 * 32 * 4
    assert products.moved >= 16 * 32 * 4  # the arrays that came from NumPy
    assert products.seconds > 0.0
    assert products.compile_seconds > 0.0
    assert (looked.looks, looked.moved, looked.runs) == (7, 7 * 4, 0)
    total = sum(one.seconds for one in made.lines)
    assert total <= made._ended - made._began
    assert repr(made) == made.text()
    table = made._repr_html_()
    assert "<th>moved</th>" in table
    assert "# products" in table
    assert re.search(r"(?m)^  lines +device +compiling +runs", repr(made))


def test_what_gradients_keep_of_a_line_is_that_of_tape_memory():
    w, told = tf.Variable(np.eye(24, dtype=np.float32) * 0.25), []
    with tf.report() as made:
        for number in range(5):
            x = tf.constant(np.full([10, 24], 0.5 + number, np.float32))
            with tf.GradientTape() as tape:
                y = tf.cast(x > 0.75, tf.float32) * 0.4375  # beside
                for _ in range(6):
                    y = tf.tanh(y @ w)  # deep
                loss = tf.reduce_sum(y * y)  # square
            told.append(tape.memory(loss, w))
            w.assign_sub(0.03125 * tape.gradient(loss, w))
            loss.numpy()
    one = 10 * 24 * 4
    assert {row.line: row.bytes for row in told[0].rows} == {
        place("beside"): one, place("deep"): 6 * one,
    }  # fmt: skip
    assert {line.line: line.kept for line in made.lines if line.kept} == {
        place("beside"): one, place("deep"): 6 * one,
    }  # fmt: skip
    assert re.search(r"(?m)^ +lines .* bytes +kept +looks ", repr(made))
    assert re.search(r"5\.6\d? KiB .*# deep", repr(made))


def test_gradients_in_functions_twice_and_of_gradients_keep_as_much_as_one_does():
    v, again = tf.Variable(tf.ones([50]) * 0.75), tf.Variable(tf.ones([50]) * 0.625)

    @tf.function
    def twice(x):
        for variable in (v, again):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.math.sigmoid(variable * x))  # both
            variable.assign_sub(0.5 * tape.gradient(y, variable))
        return y

    with tf.report() as made:
        for _ in range(3):
            float(twice(tf.constant(1.5)))
        with tf.GradientTape(rematerialize=True) as tape:
            y = tf.reduce_sum(tf.math.atanh(tf.math.sigmoid(v * 0.84375)))  # computed again
        tape.gradient(y, v).numpy()
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.exp(v * 0.34375))  # nested
            slope = inner.gradient(y, v)
        outer.gradient(slope, v).numpy()
    assert of_line(made, "both").kept == 50 * 4
    assert of_line(made, "computed again").kept == 0
    assert of_line(made, "nested").kept == 50 * 4


def test_what_is_kept_is_counted_only_for_those_who_ask(monkeypatch):
    w, counts = tf.Variable([0.5, 0.75]), []
    count = reporting.kept_by_lines
    monkeypatch.setattr(
        reporting, "kept_by_lines", lambda *given: counts.append(given) or count(*given)
    )
    with tf.report() as made:
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.math.asinh(w) * 0.46875)
            tape.gradient(loss, w).numpy()
    assert counts == []
    repr(made)
    assert len(counts) == 1


def test_a_slow_line_is_the_first():
    big, small = tf.ones([600, 600]) * 0.001, tf.ones([4, 4]) * 0.125
    with tf.report() as made:
        for _ in range(5):
            y = tf.sin(small @ small)  # small
            x = tf.cos(big @ big @ big)  # big
            float(tf.reduce_sum(x) + tf.reduce_sum(y))
    lines = [one.line for one in made.lines]
    assert lines.index(place("big")) < lines.index(place("small"))
    assert of_line(made, "big").seconds > 10 * of_line(made, "small").seconds


def test_what_was_asked_for_before_is_not_counted():
    float(tf.reduce_sum(tf.constant([1.0, 2.0, 3.0])))  # the same program, at another line
    before = tf.sin(tf.ones([3]) * 0.28125)
    with tf.report() as made:
        float(tf.reduce_sum(before))  # within
    assert {one.line for one in made.lines} == {place("within")}


def test_plots(tmp_path):
    pytest.importorskip("matplotlib")
    with tf.report() as made:
        for _ in range(3):
            with tf.GradientTape():
                float(tf.ones([]) * 0.3125)
    figure = made.plot()
    lines, steps = figure.axes
    assert lines.get_title() == "Time by line"
    assert len(steps.patches) == 3
    figure.savefig(tmp_path / "plot.png")
    with tf.report() as nothing:
        pass
    assert len(nothing.plot().axes) == 2
    assert nothing.lines == ()


def test_a_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with tf.report() as made:
        pass
    with pytest.raises(ImportError, match="Plots of reports need matplotlib"):
        made.plot()


def test_a_report_that_has_not_begun():
    made = tf.report()
    assert repr(made) == "<Report: nothing has been noted>"
    assert made._repr_html_() is None


# -- notebooks ------------------------------------------------------------------------------------


def write_notebook(path: pathlib.Path, *cells: str, tags: dict[int, str] | None = None) -> str:
    content = {
        "cells": [
            {
                "cell_type": "code",
                "source": textwrap.dedent(cell).strip("\n").splitlines(keepends=True),
                "metadata": {"tags": [tags[number]]} if tags and number in tags else {},
            }
            for number, cell in enumerate(cells, start=1)
        ],
        "metadata": {"kernelspec": {"language": "python"}},
        "nbformat": 4,
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")

    def run_cells(*cells: str, tags: dict[int, str] | None = None) -> Notebook:
        notebook = Notebook(write_notebook(tmp_path / "a.ipynb", *cells, tags=tags))
        notebook.run(lambda error: None)
        return notebook

    return run_cells


def test_cells_run_in_order_in_one_namespace(run, capsys):
    notebook = run(
        "x = 1\nx", "x += 1\nx;", "def f():\n    return x\nf()", "None", "display(x, 'é')"
    )
    assert capsys.readouterr().out == "1\n2\n2\n'é'\n"
    assert notebook.module.x == 2
    assert notebook.module.__name__ == "__main__"
    assert notebook.module.get_ipython() is None
    assert notebook.module.display is display


def test_the_last_value_has_a_name(run, capsys):
    run("6 * 7", "print(_)")
    assert capsys.readouterr().out == "42\n42\n"


def test_future_statements_hold_for_later_cells(run):
    notebook = run("from __future__ import annotations", "def f(x: never_defined): ...")
    assert notebook.module.f.__annotations__ == {"x": "never_defined"}


def test_magics_are_left_out_and_commands_are_noted(run, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("%matplotlib inline\n%load_ext autoreload", "x = 1\n!pip install x\n%cd y", "%time x")
    shown = capsys.readouterr()
    assert shown.out == "1\n"
    assert shown.err.splitlines() == [
        "tapefacade: a.ipynb[2]:2: left out `!pip install x`",
        "tapefacade: a.ipynb[2]:3: left out `%cd y`",
    ]


def test_tags_say_what_may_fail_and_what_is_skipped(run, capsys):
    notebook = run("1 / 0", "x = 1", "1 / 0", tags={1: "raises-exception", 3: "skip-execution"})
    assert notebook.module.x == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        run("1 / 0", tags={1: "other"})


def test_figures_are_no_windows(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    Notebook(write_notebook(tmp_path / "a.ipynb", "")).run(lambda error: None)
    assert os.environ["MPLBACKEND"] == "agg"
    monkeypatch.delenv("MPLBACKEND")


# -- the command line -----------------------------------------------------------------------------


def command(*arguments: object, folder: pathlib.Path) -> subprocess.CompletedProcess:
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-m", "tapefacade", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_notebook_runs_in_its_folder_and_reports(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "helper.py").write_text("import tensorflow as tf\nnumber = tf.ones([])\n")
    write_notebook(
        tmp_path / "in" / "b.ipynb",
        """
        import inspect, os, pickle, sys
        import tensorflow as tf
        from helper import number

        class Thing:
            pass

        print(sys.argv[1:], os.path.basename(os.getcwd()))
        print(type(pickle.loads(pickle.dumps(Thing()))) is Thing)
        """,
        """
        @tf.function
        def step():
            return number / 0.5
        print(inspect.getsource(step.python_function).splitlines()[1])
        step()
        """,
        """
        print("%.1f" % number)
        float(number + 1.0)
        raise SystemExit(5)
        """,
        "print('never')",
    )
    done = command("run", "--report", "in/b.ipynb", "--report", folder=tmp_path)
    assert done.returncode == 5
    assert done.stdout.splitlines() == [
        "['--report'] in",
        "True",
        "def step():",
        "<tf.Tensor: shape=(), dtype=float32, numpy=2.0>",
        "1.0",
    ]
    lines = done.stderr.splitlines()
    assert lines[:2] == ["", "tapefacade report: in/b.ipynb"]
    assert "  functions  step (b.ipynb[2]:1): recorded" in lines
    assert "  looked at  1  b.ipynb[3]:2" in lines


def test_a_traceback_shows_the_lines_of_cells(tmp_path):
    path = write_notebook(tmp_path / "a.ipynb", "x = 0", "def f():\n    return 1 / x", "f()")
    done = command("run", path, folder=tmp_path)
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if "^" not in line]
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{path}[3]", line 1, in <module>',
        "    f()",
        f'  File "{path}[2]", line 2, in f',
        "    return 1 / x",
        "ZeroDivisionError: division by zero",
    ]


def test_what_is_no_notebook_ends_with_status_2(tmp_path):
    (tmp_path / "a.ipynb").write_text("{}")
    done = command("run", "a.ipynb", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        "error: a.ipynb: it is no notebook: it has no 'cells'"
    )


def test_the_report_comes_after_a_scripts_error(tmp_path):
    (tmp_path / "a.py").write_text(
        "import sys, tensorflow as tf\nprint(float(tf.exp(0.0)), sys.argv)\n1 / 0\n"
    )
    done = command("run", "--report", "a.py", "-q", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout == "1.0 ['a.py', '-q']\n"
    assert done.stderr.index("ZeroDivisionError") < done.stderr.index("tapefacade report: a.py")
    assert "\n  looked at  1  a.py:2\n  lines " in done.stderr
