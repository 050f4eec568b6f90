"""`python -m tapefacade check`: names of programs that are read, never run."""

import ast
import importlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import tapefacade
from tapefacade import __main__ as command_line
from tapefacade._core.missing_names import HINTS, hint_for, public_names
from tapefacade._core.optional_imports import requirements_of
from tapefacade._keras.keras2 import notices
from tapefacade._port import check_command, name_extras
from tapefacade._port.check_text import Styles
from tapefacade._port.magics import is_silent, python_of
from tapefacade._port.name_status import DIFFERENT, MISSING, THERE, look_up
from tapefacade._port.name_uses import Reader
from tapefacade._port.program_files import programs

CHECKOUT = pathlib.Path(tapefacade.__file__).parents[1]


def write(path: pathlib.Path, code: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return str(path)


def write_notebook(path: pathlib.Path, *cells: str, **metadata: dict) -> str:
    content = {
        "cells": [{"cell_type": "markdown", "source": "tf.nothing", "metadata": {}}]
        + [
            {"cell_type": "code", "source": textwrap.dedent(c).splitlines(True), "metadata": {}}
            for c in cells
        ],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


def uses(code: str) -> list:
    reader = Reader()
    reader.read(ast.parse(textwrap.dedent(code)))
    reader.finish()
    return reader.uses


def names(code: str) -> set[str]:
    return {use.name for use in uses(code)}


# -- which names a program uses -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("import tensorflow as tf; tf.math.log(1)", {"tf.math.log"}),
        ("import tensorflow; tensorflow.abs(1)", {"tf.abs"}),
        ("import tensorflow.keras.backend as K; K.clear_session()",
         {"tf.keras.backend", "tf.keras.backend.clear_session"}),
        ("import tensorflow.keras; tensorflow.abs", {"tf.keras", "tf.abs"}),
        ("from tensorflow import keras; keras.Model", {"tf.keras", "tf.keras.Model"}),
        ("from tensorflow.keras.layers import Dense as D; D(3)", {"tf.keras.layers.Dense"}),
        ("import tensorflow.compat.v1 as tf; tf.exp", {"tf.compat.v1", "tf.compat.v1.exp"}),
        ("from tensorflow.compat import v2 as tf; tf.exp", {"tf.compat.v2", "tf.compat.v2.exp"}),
        ("import keras; keras.layers.Dense", {"keras.layers.Dense"}),
        ("import tapefacade as tf; tf.exp", {"tf.exp"}),
        ("from . import tensorflow as tf; tf.exp", set()),
        ("from .tensorflow import exp; exp", set()),
        ("import numpy as tf; tf.exp", set()),
    ],
)  # fmt: skip
def test_imports_are_followed(code, wanted):
    assert names(code) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("K = tf.keras.backend\nK.floatx()", {"tf.keras.backend", "tf.keras.backend.floatx"}),
        ("a, b = tf.math, tf.nn\nb.relu", {"tf.math", "tf.nn", "tf.nn.relu"}),
        ("def f(tf):\n    return tf.exp", set()),
        ("f = lambda tf: tf.exp", set()),
        ("f = lambda x=tf.exp: tf.abs", {"tf.exp", "tf.abs"}),
        ("def f():\n    return tf.exp\n", {"tf.exp"}),
        ("def f():\n    tf = other\n    tf.exp\ntf.abs", {"tf.abs"}),
        ("def f():\n    from tensorflow import nn\n    nn.relu\nnn.elu", {"tf.nn", "tf.nn.relu"}),
        ("class A(tf.Module):\n    exp = tf.exp\n    def f(self): return exp",
         {"tf.Module", "tf.exp"}),
        ("[tf.exp for tf in x]\ntf.abs", {"tf.abs"}),
        ("{tf.exp: tf.abs for x in tf.nn}", {"tf.exp", "tf.abs", "tf.nn"}),
        ("with tf.GradientTape() as tf:\n    tf.exp", {"tf.GradientTape"}),
        ("for tf in tf.nn:\n    tf.exp", {"tf.nn"}),
        ("try:\n    pass\nexcept tf.errors.OpError as tf:\n    tf.exp", {"tf.errors.OpError"}),
        ("match x:\n    case {**tf}: tf.exp\n    case [*tf]: tf.abs\n    case 1 as tf: tf.nn",
         set()),
        ("if (m := tf.math): m.log", {"tf.math", "tf.math.log"}),
        ("m: object = tf.math\nm.log", {"tf.math", "tf.math.log"}),
        ("def f():\n    global tf\n    tf = other\nf()\ntf.exp", {"tf.exp"}),
        ("x = tf.constant(1).numpy().tolist()", {"tf.constant"}),
        ("@tf.function(jit_compile=tf.newaxis)\nasync def f(x: tf.Tensor) -> tf.Tensor: ...",
         {"tf.function", "tf.newaxis", "tf.Tensor"}),
        ("tf.own = 3\nf'{tf.exp}'", {"tf.exp"}),
        ("getattr(tf.nn, 'relu')", {"tf.nn", "tf.nn.relu"}),
    ],
)  # fmt: skip
def test_names_are_followed_through_scopes(code, wanted):
    assert names(f"import tensorflow as tf\n{code}") == wanted


@pytest.mark.parametrize(
    ("code", "guarded"),
    [
        ("try:\n    from tensorflow import gone\nexcept ImportError:\n    pass", True),
        ("try:\n    tf.gone()\n    f()\nexcept (AttributeError, ValueError):\n    pass", True),
        ("try:\n    tf.gone()\nexcept:\n    pass", True),
        ("try:\n    tf.gone()\n    f()\nexcept Exception:\n    pass", False),
        ("try:\n    f()\nexcept ImportError:\n    tf.gone()", False),
        ("try:\n    def f(): tf.gone()\nexcept ImportError:\n    pass", False),
        ("if hasattr(tf, 'gone'):\n    tf.gone.more()", True),
        ("getattr(tf, 'gone', None)", True),
        ("tf.gone = 1\ntf.gone", True),
        ("try:\n    tf.gone()\nfinally:\n    f()", False),
    ],
)
def test_a_program_may_provide_for_missing_names(code, guarded):
    found = [use for use in uses(f"import tensorflow as tf\n{code}") if "gone" in use.name]
    assert found
    assert all(use.guarded is guarded for use in found)


def test_a_fallback_for_the_module_keeps_the_name():
    code = "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.exp"
    assert names(code) == {"tf.exp"}


def test_stars_are_looked_into(tmp_path):
    path = write(
        tmp_path / "star.py",
        """
        from tensorflow.keras.layers import *
        from math import sqrt
        Dense(sqrt(4), print, unknown)
        """,
    )
    checked = check_command.check_file(path)
    assert [(n.name, n.status) for n in checked.names] == [("tf.keras.layers.Dense", THERE)]
    assert "import *" in checked.notes[0].text
    assert checked.notes[0].place == (None, 2)


def test_packages_made_for_tensorflow_are_noted(tmp_path):
    path = write(
        tmp_path / "tfp.py",
        "import tensorflow_probability as tfp\nfrom tensorflow_addons import x\ntfp.gone",
    )
    checked = check_command.check_file(path)
    assert not checked.names
    assert [note.text.split()[0] for note in checked.notes] == [
        "tensorflow_probability",
        "tensorflow_addons",
    ]


def test_a_package_that_is_checked_itself_is_no_other_package(tmp_path, capsys):
    write(tmp_path / "sonnet" / "__init__.py", "from sonnet import linear\nimport sonnet.linear")
    text = "import tensorflow_hub as hub\nimport tensorflow_hub\nfrom sonnet import linear"
    write(tmp_path / "sonnet" / "linear.py", text)
    check_command.check([str(tmp_path)])
    shown = capsys.readouterr().out
    assert "sonnet is made" not in shown
    assert shown.count("is not looked into") == 1  # once for a file


# -- what there is of a name ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "tf.math.log", "tf.keras.layers.Dense", "keras.layers.Dense", "tf.float32.max",
        "tf.compat.v1.exp", "tf.compat.v2.nn.relu", "tf.__version__", "tf.newaxis",
        "tf.VariableAggregation.NONE", "tf.keras.datasets.mnist.load_data", "tf.optimizers.Adam",
        "keras.src.testing.TestCase", "tf.constant.anything",
    ],
)  # fmt: skip
def test_names_that_are_there(name):
    assert look_up(name) == (THERE, "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tf.log", "Write `tf.math.log`."),
        ("tf.diag", "Write `tf.linalg.tensor_diag`."),
        ("tf.reduce_men", "The nearest name is `tf.reduce_mean`."),
        ("tf.keras.layers.Dens", "The nearest name is `tf.keras.layers.Dense`."),
        ("keras.layers.Dens", "The nearest name is `keras.layers.Dense`."),
        ("tf.quuxquux.more", "There is no name like it."),
        ("tf.random.Generator.from_sed", "The nearest name is `tf.random.Generator.from_seed`."),
        ("tf.train.AdamOptimizer", "Write `tf.keras.optimizers.Adam`."),
        ("tf.contrib.layers.layer_norm", hint_for("tf.contrib") + "."),
        ("tf.python.framework.ops", hint_for("tf.python") + "."),
        ("keras.layers.experimental.x", hint_for("tf.keras.layers.experimental") + "."),
        (
            "tf.compat.v1.Session",  # a class for annotations: it cannot be made
            "Tensors have values at once: call `numpy()` instead of `run`.",
        ),
    ],
)
def test_names_that_are_missing(name, text):
    assert look_up(name) == (MISSING, text)


def test_keras_that_is_not_installed_is_missing(monkeypatch):
    def fail() -> None:
        raise ImportError("tf.keras needs Keras 3, which is not installed")

    monkeypatch.setitem(tapefacade._LATE, "keras", fail)
    monkeypatch.delitem(vars(tapefacade), "keras", raising=False)
    look_up.cache_clear()
    try:
        wanted = (MISSING, "tf.keras needs Keras 3, which is not installed.")
        assert look_up("tf.keras.Model") == look_up("keras.Model") == wanted
    finally:
        look_up.cache_clear()


def test_names_that_differ_say_how():
    status, text = look_up("tf.name_scope")
    assert status == DIFFERENT
    assert text == "Unlike TensorFlow, tensors have no names."
    status, text = look_up("tf.custom_gradient")
    assert status == DIFFERENT
    assert "\n" not in text
    assert text.count(". ") == 0


def test_names_that_do_more_are_there():
    for name in ("tf.GradientTape", "tf.matmul", "tf.nn.conv2d", "tf.image.crop_and_resize"):
        status, text = look_up(name)
        assert status == THERE
        assert re.fullmatch(r"Beyond TensorFlow, [^\n]*\.", text), name


MEMBERS = """
import tensorflow as tf
x = tf.constant([1.0, 2.0])
x.numpy(), x.shape.as_list(), x.set_shap([2])
v = tf.Variable(x)
v.assign_add(x, use_lockin=True), v.assign_add(x, read_value=False), v.assing(x)
with tf.GradientTape() as tape:
    pass
tape.grad(x, v), tape.gradient(x, v, unconnected_gradients="zero")
tf.reduce_sum(x, keep_dims=True), tf.reduce_sum(x, keepdims=True, name="sum")
tf.constant(1.0).nothing
tf.zeros(1, 2, 3, 4, 5, 6), tf.zeros(*x), tf.zeros(**x)
model = tf.keras.Sequential()
model.fit(x, epochs=1), model.fitt(x), model.optimizer, model.layers
dense = tf.keras.layers.Dense(3, input_shape=(2,))
dense.kernel, dense.units, dense.kernels
opt = tf.keras.optimizers.Adam(lr=0.1)
"""
UNCLEAR = """
import tensorflow as tf
x = tf.constant(1.0)
x = other()
x.gone
y = tf.constant(1.0)
if other:
    y = other()
y.gone
def f(z):
    global w
    z.gone
    w = other()
w = tf.constant(1.0)
z = tf.constant(1.0)
w.gone
for u in z:
    u.gone
def g():
    t = tf.constant(1.0)
    def h():
        nonlocal t
        t = other()
    t.gone
try:
    z.gone
except AttributeError:
    pass
"""


def missing_in(path: str) -> dict[str, str]:
    found = check_command.check_file(path).names
    return {name.name: name.text for name in found if name.status == MISSING and not name.guarded}


def test_members_and_arguments_are_looked_up_where_their_kind_is_clear(tmp_path):
    found = missing_in(write(tmp_path / "a.py", MEMBERS))
    assert found.keys() == {
        "tf.Tensor.set_shap", "tf.Variable.assign_add(use_lockin=)", "tf.Variable.assing",
        "tf.GradientTape.grad", "tf.reduce_sum(keep_dims=)", "tf.Tensor.nothing", "tf.zeros(...)",
        "tf.keras.Sequential.fitt", "tf.keras.layers.Dense.kernels",
    }  # fmt: skip
    assert found["tf.reduce_sum(keep_dims=)"] == "Write `keepdims=`."
    assert found["tf.Variable.assing"].endswith("the nearest name is `tf.Variable.assign`.")


def test_members_of_what_is_unclear_are_left_alone(tmp_path):
    assert missing_in(write(tmp_path / "a.py", UNCLEAR)) == {}


def test_only_what_is_renamed_gets_another_spelling(tmp_path, capsys):
    old = """\
import tensorflow as tf
from tensorflow import log
é = tf.log(x) + tf.matrix_inverse(tf.reduce_sum(x, keep_dims=True,
           reduction_indices=1))
tf.placeholder(tf.float32), tf.train.AdamOptimizer(), log(x), tf.matrix_diag(x)
tf.set_random_seed(0); tf.batch_gather(x, [0])
"""
    new = old.replace("tf.log", "tf.math.log").replace("tf.matrix_inverse", "tf.linalg.inv")
    new = new.replace("keep_dims", "keepdims").replace("reduction_indices", "axis")
    new = new.replace("tf.matrix_diag", "tf.linalg.diag")
    new = new.replace("tf.set_random_seed", "tf.random.set_seed")  # `batch_gather` has other dims
    path = write(tmp_path / "a.py", old)
    write_notebook(tmp_path / "b.ipynb", "import tensorflow as tf\ntf.log(1)")
    assert check_command.fix([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "-é = tf.log(x)" in shown
    assert "+é = tf.math.log(x)" in shown
    assert "Nothing has been written" in shown
    assert pathlib.Path(path).read_text(encoding="utf-8") == old
    assert check_command.fix([str(tmp_path)], writes=True) == 0
    assert "Written: 6 spellings in 1 file." in capsys.readouterr().out
    assert pathlib.Path(path).read_text(encoding="utf-8") == new
    assert check_command.fix([str(tmp_path)]) == 0
    assert "there is nothing to fix" in capsys.readouterr().out


def test_fixing_says_what_cannot_be_read(tmp_path, capsys):
    assert check_command.fix([write(tmp_path / "a.py", "def f(:\n")]) == 2
    assert "a.py: " in capsys.readouterr().err


def test_writing_without_fixing_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command_line.main(["check", "--write", write(tmp_path / "a.py", "")])
    assert "--write goes with --fix" in capsys.readouterr().err


def test_hints_name_what_is_there():
    for name, hint in HINTS.items():
        assert not hint.endswith("."), name
        for other in re.findall(r"`(tf\.[\w.]+)", hint):
            assert look_up(other).status != MISSING, other


# -- notebooks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "left_out"),
    [
        ("x % 2", "x % 2", []),
        ("%matplotlib inline\nx = 1", "pass\nx = 1", []),
        ("!pip install \\\n  tensorflow\nx", "pass\n\nx", [(1, "!pip install \\")]),
        ("if a:\n    !ls\nelse:\n    %cd x", "if a:\n    pass\nelse:\n    pass",
         [(2, "!ls"), (4, "%cd x")]),
        ("x = (5\n  % 3)\n%env A=1", "x = (5\n  % 3)\npass", [(3, "%env A=1")]),
        ('s = """\n!not\n"""\n!ls', 's = """\n!not\n"""\npass', [(4, "!ls")]),
        ("s = 'it''s' # (\n?tf", "s = 'it''s' # (\npass", []),
        ("s = '\\'('\ntf.abs??", "s = '\\'('\npass", []),
        ("s = 1 + \\\n%x\n!ls", "s = 1 + \\\n%x\npass", [(3, "!ls")]),
        ("%time f(1)", "f(1)", []),
        ("%timeit -n 10 -r3 f(1)", "f(1)", []),
        ("%%time\nf(1)", "pass\nf(1)", []),
        ("%%timeit x = 1\nf(x)", "x = 1\nf(x)", []),
        ("%%capture out\n!ls\nf(1)", "pass\npass\nf(1)", [(2, "!ls")]),
        ("%%bash\nls 'a\n", "\n\n", [(1, "%%bash")]),
        ("\n%%html\n<b>", "\n\n", []),
    ],
)  # fmt: skip
def test_magics_are_replaced_line_by_line(text, code, left_out):
    assert python_of(text) == (code, left_out)


def test_an_assigned_command_is_an_error_when_it_runs():
    code = python_of("files = !ls").code
    with pytest.raises(RuntimeError, match="'files = !ls' needs a notebook's kernel"):
        exec(code)


@pytest.mark.parametrize(
    ("code", "silent"), [("f();", True), ("f();  # x\n", True), ("f()", False), ("f(';')", False)]
)
def test_a_semicolon_silences_a_cell(code, silent):
    assert is_silent(code) is silent


def test_a_notebook_is_read_cell_by_cell(tmp_path):
    path = write_notebook(
        tmp_path / "a.ipynb",
        "%matplotlib inline\nimport tensorflow as tf",
        "def f():\n    return tf.log(later.gone)",
        "print tf.exp",
        "later = tf.math",
    )
    checked = check_command.check_file(path)
    assert {(n.name, n.status, tuple(n.places)) for n in checked.names} == {
        ("tf.log", MISSING, ((2, 2),)),
        ("tf.math", THERE, ((4, 1),)),
        ("tf.math.gone", MISSING, ((2, 2),)),
    }
    (error,) = checked.errors
    assert error.place == (3, 1)
    assert error.text.startswith("syntax error: Missing parentheses")


def test_a_notebook_of_format_3_is_read(tmp_path):
    cells = [
        {"cell_type": "code", "input": "import tensorflow as tf\ntf.exp", "language": "python"}
    ]
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}))
    assert [n.name for n in check_command.check_file(str(path)).names] == ["tf.exp"]


# -- what cannot be read --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.py", b"def f(:\n", "syntax error: "),
        ("a.py", b"\xff\xfe\x00", "encoding"),
        ("a.py", b"# coding: nonsense\n", "unknown encoding"),
        ("a.py", b"x = 1\0", "null"),
        ("a.py", b"x = " + b"-" * 100_000 + b"1", ""),
        ("a.py", b"def f():\n return " + b"+".join([b"a"] * 2_000), ""),
        ("a.ipynb", b"[1", "it is no notebook: "),
        ("a.ipynb", b"{}", "it is no notebook: it has no 'cells'"),
        ("a.ipynb", b"[]", "it is no notebook: "),
        ("a.ipynb", b'{"cells": [3]}', "it is no notebook: "),
        ("a.ipynb", b'{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}',
         "it is a notebook in R, not in Python"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(name, content, text, tmp_path, capsys):
    (tmp_path / name).write_bytes(content)
    assert check_command.check([str(tmp_path / name)]) == 2
    shown = capsys.readouterr().out
    assert "  error      " in shown
    assert text in shown


def test_a_folder_without_programs_is_an_error(tmp_path, capsys):
    assert check_command.check([str(tmp_path)]) == 2
    assert "there is no Python file and no notebook" in capsys.readouterr().out


def test_folders_are_searched_but_for_environments(tmp_path):
    for name in ("a.py", "b.txt", "in/b.ipynb", ".git/c.py", "venv/d.py", "x/__pycache__/e.py"):
        write(tmp_path / name, "")
    write(tmp_path / "mine" / "pyvenv.cfg", "")
    write(tmp_path / "mine" / "f.py", "")
    found = [str(pathlib.Path(p).relative_to(tmp_path)) for p in programs([str(tmp_path)])]
    assert found == ["a.py", "in/b.ipynb"]


# -- what is printed ------------------------------------------------------------------------------


def readme_check() -> str:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"(?ms)^\$ python -m tapefacade check train\.py\n(.*?)^```$", text)
    assert found is not None
    return found[1]


PROGRAM = """\
import tensorflow as tf

tf.set_random_seed(1)
w = tf.Variable(2.0)


with tf.GradientTape() as tape:
    loss = tf.square(w)
"""


def test_the_output_is_that_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train.py", PROGRAM)
    assert check_command.check(["train.py"]) == 1
    assert capsys.readouterr().out == readme_check()


def test_quiet_output_leaves_out_what_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.py", "import tensorflow as tf\ntf.exp\n")
    write(tmp_path / "b.py", "import tensorflow as tf\ntf.exp\nhasattr(tf, 'gone') and tf.gone\n")
    write(tmp_path / "c.py", "1\n")
    assert check_command.check(["."], quiet=True) == 0
    assert capsys.readouterr().out.splitlines() == [
        "./b.py  1 there, 0 missing, 0 may change results or speed",
        "  missing    tf.gone  line 3, guarded",
        "               There is no name like it.",
        "3 files, 2 with TensorFlow  2 there, 0 missing, 0 may change results or speed",
    ]


def test_a_program_without_tensorflow_is_said_to_be_one(tmp_path, capsys):
    path = write(tmp_path / "a.py", "import numpy\n")
    assert check_command.check([path]) == 0
    assert capsys.readouterr().out == "1 file, 0 with TensorFlow\n"
    assert check_command.check([path], quiet=True) == 0
    assert capsys.readouterr().out == ""


def test_what_is_keras_2_is_told(tmp_path, capsys, caplog, monkeypatch):
    monkeypatch.setattr(notices, "_NOTICES_GIVEN", set())
    look_up.cache_clear()
    program = "import tensorflow as tf\ntf.keras.losses.mean_squared_error\n"
    assert check_command.check([write(tmp_path / "a.py", program)]) == 0
    shown = capsys.readouterr().out
    assert "tf.keras.losses.mean_squared_error is Keras 2; write tf.keras.losses.MSE." in shown
    assert not caplog.records


def test_a_difference_is_explained_in_the_first_file(tmp_path, capsys):
    for name in ("a.py", "b.py"):
        write(tmp_path / name, "import tensorflow as tf\ntf.name_scope('a')\n")
    assert check_command.check([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("tf.name_scope  line 2") == 2
    assert shown.count("Tensors have no names") == 1


def test_hints_that_are_the_same_are_given_once(tmp_path, capsys):
    path = write(
        tmp_path / "a.py", "import tensorflow as tf\n" + "tf.contrib.a(tf.contrib.b)\n" * 9
    )
    assert check_command.check([path]) == 1
    shown = capsys.readouterr().out
    assert shown.count("no part of TensorFlow 2") == 1
    assert "lines 2, 3, 4, 5, 6, 7 and 3 more" in shown


def test_json_has_the_documented_form(tmp_path, capsys):
    path = write(tmp_path / "train.py", PROGRAM)
    broken = write(tmp_path / "broken.py", "import tensorflow_hub\n(")
    assert check_command.check([path, broken], as_json=True) == 2
    found = json.loads(capsys.readouterr().out)
    example = json.loads(re.search(r"(?s)    (\{\"schema\".*?\})\n\n`", check_command.__doc__)[1])  # type: ignore[index]
    assert found.keys() == example.keys()
    assert found["schema"] == example["schema"] == 1
    assert found["status"] == 2
    assert found["summary"] == {
        "files": 2, "lines": 11, "there": 3, "more": 1, "different": 0, "missing": 1, "errors": 1,
    }  # fmt: skip
    for file in found["files"]:
        assert file.keys() == example["files"][0].keys()
        for kind in ("names", "notes", "errors"):
            for entry in file[kind]:
                assert entry.keys() == example["files"][0][kind][0].keys()
    assert found["files"][0]["names"][2] == {
        "name": "tf.set_random_seed",
        "status": "missing",
        "guarded": False,
        "text": "Write `tf.random.set_seed`.",
        "places": [{"cell": None, "line": 3}],
    }


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_and_progress_are_for_terminals(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(check_command, "SECONDS_PER_REPORT", 0.0)
    for name in "abc":
        write(tmp_path / f"{name}.py", "import tensorflow as tf\ntf.gone\n")
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert check_command.check([str(tmp_path)]) == 1
    assert "\033[31mmissing\033[0m    tf.gone" in out.getvalue()
    assert "2 files, 6 lines" in err.getvalue()
    assert err.getvalue().endswith("\r\033[K")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Styles(out).paint("text", "error") == "text"
    assert Styles(io.StringIO()).paint("text", "error") == "text"


def test_the_command_reads_without_running(tmp_path, capsys):
    main = importlib.import_module("tapefacade.__main__").main
    path = write(tmp_path / "a.py", "import tensorflow as tf\nraise SystemExit(9)\n")
    with pytest.raises(SystemExit) as stop:
        main(["check", "--quiet", path])
    assert stop.value.code == 0
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit) as stop:
        main(["check", str(tmp_path / "none.py")])
    assert stop.value.code == 2
    assert "there is no file or folder" in capsys.readouterr().err


def test_another_backend_of_keras_is_not_imported(tmp_path):
    path = write(tmp_path / "a.py", "from tensorflow import keras\nkeras.layers.Dense\n")
    code = "from tapefacade._port.check_command import check; import sys, os; "
    code += "status = check(sys.argv[1:])"
    code += "; print('tensorflow' in sys.modules, os.environ['KERAS_BACKEND']); sys.exit(status)"
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        cwd=CHECKOUT,
        env={**os.environ, "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False tensorflow"


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"# coding: latin-1\r\n"])
def test_fixing_keeps_the_ends_of_lines_and_the_encoding(tmp_path, start):
    path = tmp_path / "a.py"
    path.write_bytes(start + b"import tensorflow as tf\r\nx = tf.log(1.0)\r\n")
    assert check_command.fix([str(path)], writes=True) == 0
    assert path.read_bytes() == start + b"import tensorflow as tf\r\nx = tf.math.log(1.0)\r\n"


def test_what_an_extra_brings_is_missed_before_the_program_runs(tmp_path, monkeypatch, capsys):
    # The first checkpoint may come after an hour of training.
    code = "import tensorflow as tf\ntf.train.Checkpoint()\ntf.summary.scalar('a', 1)\ntf.abs(1)\n"
    path = write(tmp_path / "a.py", code)
    assert check_command.check([path]) == 0
    assert "not installed" not in capsys.readouterr().out
    monkeypatch.setattr(name_extras, "_is_there", lambda module: module != "safetensors")
    name_extras.lacking.cache_clear()
    try:
        (note,) = check_command.check_file(path).notes
    finally:
        name_extras.lacking.cache_clear()
    assert note.text.startswith("tf.train.Checkpoint needs what is not installed. Install what ")
    assert "`checkpoint` brings: pip install " in note.text
    assert note.place.line == 2


@pytest.mark.parametrize("extra", name_extras.EXTRAS, ids=lambda extra: extra.name)
def test_what_tells_of_an_extra_is_in_it(extra):
    assert name_extras._is_there(extra.module)
    assert not name_extras._is_there("no_such_package.module")
    packages = {"PIL": "pillow", "re2": "google-re2", "absl": "absl-py"}
    top = extra.module.partition(".")[0].replace("google", "protobuf")
    assert f"'{packages.get(top, top)}".lower() in requirements_of(extra.name).lower()
    names = [name for name in public_names(tapefacade) if extra.names.fullmatch(name)]
    assert names


def test_names_of_a_keras_that_is_not_installed_are_one_row(tmp_path, monkeypatch, capsys):
    def fail():
        raise ImportError("tf.keras needs Keras 3, which is not installed: pip install keras")

    monkeypatch.setitem(tapefacade._LATE, "keras", fail)
    monkeypatch.delitem(vars(tapefacade), "keras", raising=False)
    look_up.cache_clear()
    layers = ", ".join(f"tf.keras.layers.{n}" for n in ("Dense", "Conv2D", "LSTM", "GRU", "ReLU"))
    for name in ("a.py", "b.py"):
        write(tmp_path / name, f"import tensorflow as tf\nprint({layers})\ntf.log\n")
    try:
        assert check_command.check([str(tmp_path)]) == 1
    finally:
        look_up.cache_clear()
    shown = capsys.readouterr().out
    assert shown.count("tf.keras, 5 names  line 2") == 2
    assert shown.count("pip install keras") == 1
    assert shown.count("Write `tf.math.log`.") == 2
    assert "6 missing" in shown
