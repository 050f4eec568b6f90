"""The name `tensorflow`, the command line, and what is said of names that are not there."""

import importlib
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import types

import pytest

import tapefacade
from tapefacade._core.missing_names import missing_message, nearest_name, public_names

CHECKOUT = pathlib.Path(tapefacade.__file__).parents[1]


@pytest.fixture
def alias():
    with tapefacade.install_as_tensorflow() as installed:
        yield installed


def names_after(code: str) -> dict:
    """The names that a program has made."""
    names = {}
    exec(textwrap.dedent(code), names)
    return names


# -- import forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("import tensorflow as it", lambda tf: tf),
        ("import tensorflow; it = tensorflow", lambda tf: tf),
        ("import tensorflow.math as it", lambda tf: tf.math),
        ("import tensorflow.math; it = tensorflow.math", lambda tf: tf.math),
        ("from tensorflow import math as it", lambda tf: tf.math),
        ("from tensorflow import constant as it", lambda tf: tf.constant),
        ("from tensorflow.math import log as it", lambda tf: tf.math.log),
        ("from tensorflow import *; it = GradientTape", lambda tf: tf.GradientTape),
        ("import tensorflow.compat.v2 as it", lambda tf: tf),
        ("from tensorflow.compat import v2 as it", lambda tf: tf),
        ("import tensorflow.compat.v2.math as it", lambda tf: tf.math),
        ("from tensorflow.compat.v2 import constant as it", lambda tf: tf.constant),
        ("from tensorflow.compat.v2.math import log as it", lambda tf: tf.math.log),
        ("import importlib; it = importlib.import_module('tensorflow.nn')", lambda tf: tf.nn),
    ],
)
def test_every_form_of_import_finds_the_same_object(alias, statement, wanted):
    assert names_after(statement)["it"] is wanted(tapefacade)


def test_the_version_is_that_of_tensorflow_2():
    assert tapefacade.__version__.startswith("2.")


def test_modules_keep_their_own_spec_and_name(alias):
    # Importing under a second name makes Python write the second spec into the module.
    before = tapefacade.math.__spec__
    sys.modules.pop("tensorflow.math")
    importlib.import_module("tensorflow.math")
    assert tapefacade.math.__spec__ is before
    assert tapefacade.math.__name__ == "tapefacade.math"
    assert sys.modules["tensorflow.math"] is tapefacade.math


def test_programs_that_look_for_tensorflow_find_it(alias):
    assert importlib.util.find_spec("tensorflow") is not None
    assert importlib.util.find_spec("tensorflow.math") is not None


# -- names that are missing -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("tf.log", "tf.math.log"),
        ("tf.math.logg", "tf.math.log"),
        ("tf.reduce_mall", "tf.reduce_all"),
        ("tf.all", "tf.reduce_all"),
        ("tf.mul", "tf.multiply"),
        ("tf.train", None),
        ("tf.math.log_softmaxx", "tf.nn.log_softmax"),
        ("tf.quuxes", None),
        ("tf.asb", "tf.abs"),
    ],
)
def test_nearest_name(wanted, found):
    names = [
        *("tf.abs", "tf.reduce_all", "tf.scalar_mul", "tf.multiply", "tf.tan"),
        *("tf.math.log", "tf.math.log1p", "tf.nn.log_softmax"),
    ]
    assert nearest_name(wanted, names) == found


def test_a_missing_attribute_names_the_nearest_one():
    with pytest.raises(AttributeError) as error:
        tapefacade.math.logg  # noqa: B018
    assert str(error.value) == (
        "tapefacade has no `tf.math.logg`; the nearest name it has is `tf.math.log`. "
        "`dir(tf.math)` lists what there is."
    )
    assert error.value.name == "logg"


def test_a_missing_attribute_like_no_other_says_so():
    with pytest.raises(
        AttributeError, match=r"no `tf\.quuxquux`, nor a name like it\. `dir\(tf\)`"
    ):
        tapefacade.quuxquux  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("from tensorflow import log", "no `tf.log`; the nearest name it has is `tf.math.log`"),
        ("from tensorflow.math import logg", "no `tf.math.logg`; the nearest"),
        ("from tapefacade import konstant", "nearest name it has is `tf.constant`"),
        ("import tensorflow.maths", "no `tf.maths`; the nearest name it has is `tf.math`"),
        ("import tensorflow.maths.special", "no `tf.maths`; the nearest name it has is `tf.math`"),
        ("from tensorflow.maths import log", "no `tf.maths`; the nearest name it has is `tf.math`"),
        ("import tensorflow.constant", "write `from tensorflow import constant`"),
        ("from tensorflow.python.framework import opps", "no 'opps'; the nearest it has is 'ops'"),
        ("import tensorflow.python.utils", "no module 'tensorflow.python.utils'; the nearest"),
        ("import tensorflow.core.framework", "'tensorflow.core.framework' is private"),
    ],
)
def test_an_import_of_a_missing_name_says_what_there_is(alias, statement, text):
    with pytest.raises(ImportError) as error:
        names_after(statement)
    assert text in str(error.value)


def test_programs_can_ask_whether_a_name_is_there(alias):
    assert not hasattr(tapefacade, "konstant")
    assert getattr(tapefacade.math, "logg", None) is None
    assert not hasattr(tapefacade, "__wrapped__")


def test_names_that_python_asks_for_cost_no_search():
    with pytest.raises(AttributeError, match="module 'tapefacade' has no attribute '__wrapped__'"):
        tapefacade.__wrapped__  # noqa: B018


def test_public_names_have_their_namespace_in_front():
    names = set(public_names(tapefacade))
    assert {"tf.constant", "tf.math", "tf.math.log", "tf.GradientTape"} <= names
    assert not any(part.startswith("_") for name in names for part in name.split("."))


def test_every_namespace_answers_for_missing_names():
    found = [m for n, m in sys.modules.items() if n in namespace_names()]
    own = [m for m in found if m.__name__.startswith("tapefacade")]
    for namespace in [m for m in own if not m.__name__.startswith("tapefacade.keras")]:
        with pytest.raises(AttributeError) as error:
            namespace.surely_missing  # noqa: B018
        assert str(error.value) == missing_message(namespace.__name__, "surely_missing")


def namespace_names() -> set[str]:
    return {
        name
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "tapefacade"
        and not any(part.startswith("_") for part in name.split("."))
        and module is not None
    }


# -- installing and undoing -----------------------------------------------------------------------


def state() -> tuple[dict, list]:
    modules = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == "tensorflow"}
    return modules, list(sys.meta_path)


def test_undo_restores_what_was_there():
    before = state()
    alias = tapefacade.install_as_tensorflow()
    names_after("import tensorflow.compat.v2.math")
    alias.undo()
    assert state() == before
    assert importlib.util.find_spec("tensorflow") is not tapefacade.__spec__


def test_undo_brings_a_real_tensorflow_back(monkeypatch):
    real, inner = types.ModuleType("tensorflow"), types.ModuleType("tensorflow.python.eager")
    monkeypatch.setitem(sys.modules, "tensorflow", real)
    monkeypatch.setitem(sys.modules, "tensorflow.python.eager", inner)
    monkeypatch.setitem(sys.modules, "tensorflow_probability", types.ModuleType("other"))
    before = state()
    with tapefacade.install_as_tensorflow():
        assert sys.modules["tensorflow"] is tapefacade
        assert "tensorflow.python.eager" not in sys.modules
        assert "tensorflow_probability" in sys.modules
    assert state() == before
    assert sys.modules["tensorflow"] is real


def test_installing_twice_is_harmless():
    before = state()
    with tapefacade.install_as_tensorflow():
        once = state()
        with tapefacade.install_as_tensorflow():
            assert state() == once
        assert sys.modules["tensorflow"] is tapefacade
    assert state() == before


def test_the_last_one_to_undo_gives_the_name_back():
    before = state()
    first = tapefacade.install_as_tensorflow()
    second = tapefacade.install_as_tensorflow()
    first.undo()
    first.undo()
    assert sys.modules["tensorflow"] is tapefacade
    second.undo()
    assert state() == before


def test_the_name_comes_back_after_an_exception():
    before = state()
    with pytest.raises(ZeroDivisionError), tapefacade.install_as_tensorflow():
        names_after("import tensorflow; 1 / 0")
    assert state() == before


# -- the command line -----------------------------------------------------------------------------


def command(*arguments: object, folder: pathlib.Path | None = None) -> subprocess.CompletedProcess:
    return python("-m", "tapefacade", *arguments, folder=folder)


def python(*arguments: object, folder: pathlib.Path | None = None) -> subprocess.CompletedProcess:
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def write(path: pathlib.Path, code: str) -> pathlib.Path:
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return path


def test_a_script_runs_as_under_python(tmp_path):
    (tmp_path / "scripts").mkdir()
    write(
        tmp_path / "scripts" / "helper.py", "import tensorflow as tf\nnumber = tf.constant(2.0)\n"
    )
    script = write(
        tmp_path / "scripts" / "program.py",
        """
        import pickle, sys
        import tensorflow as tf
        from helper import number

        class Thing:
            pass

        if __name__ == "__main__":
            print(sys.argv)
            print(__file__ == sys.modules["__main__"].__file__, sys.path[0])
            print(type(pickle.loads(pickle.dumps(Thing()))) is Thing)
            print(float(tf.math.square(number)), "é")
            sys.exit(7)
        """,
    )
    done = command("run", "scripts/program.py", "--help", "-m", "x", "--", "y", folder=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "['scripts/program.py', '--help', '-m', 'x', '--', 'y']",
        f"True {os.path.realpath(script.parent)}",
        "True",
        "4.0 é",
    ]
    assert done.returncode == 7


def test_a_traceback_begins_in_the_script(tmp_path):
    script = write(
        tmp_path / "wrong.py",
        """
        import tensorflow as tf

        def step():
            return tf.constant([1.0]) @ 1 / 0 if False else 1 / 0

        step()
        """,
    )
    done = command("run", script)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{script}", line 7, in <module>'
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "tapefacade" not in done.stderr


def test_a_missing_name_in_a_script_is_an_error_at_its_line(tmp_path):
    script = write(tmp_path / "old.py", "import tensorflow as tf\ntf.log(1.0)\n")
    done = command("run", script)
    assert done.returncode == 1
    assert f'File "{script}", line 2, in <module>' in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: tapefacade has no `tf.log`; the nearest name it has is `tf.math.log`. "
        "`dir(tf)` lists what there is."
    )


def test_a_syntax_error_is_the_scripts(tmp_path):
    script = write(tmp_path / "broken.py", "import tensorflow as tf\ndef f(:\n")
    done = command("run", script)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == f'  File "{script}", line 2'


def test_a_module_runs_as_under_python(tmp_path):
    (tmp_path / "package").mkdir()
    write(tmp_path / "package" / "__init__.py", "import tensorflow as tf\n")
    write(
        tmp_path / "package" / "__main__.py",
        """
        import sys
        from . import tf
        from tensorflow.math import log

        print(__name__, __package__, sys.argv[1:], float(log(tf.constant(1.0))))
        raise SystemExit("stopped")
        """,
    )
    done = command("run", "-m", "package", "--rate", "-m", folder=tmp_path)
    assert done.stdout == "__main__ package ['--rate', '-m'] 0.0\n"
    assert done.stderr == "stopped\n"
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "no_such_script.py"], "there is no file 'no_such_script.py'"),
        (["run", "-m", "no_such_module"], "there is no module 'no_such_module'"),
        (["run"], "which script?"),
        (["rum"], "invalid choice: 'rum'"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_words_that_make_no_command_end_with_status_2(arguments, text, capsys, monkeypatch):
    main = importlib.import_module("tapefacade.__main__").main
    monkeypatch.chdir(CHECKOUT / "tests")
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    shown = capsys.readouterr().err
    assert stop.value.code == 2
    assert text in shown
    assert shown.startswith("usage: python -m tapefacade")


def test_the_help_names_the_commands(capsys):
    main = importlib.import_module("tapefacade.__main__").main
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    shown = capsys.readouterr().out
    assert stop.value.code == 0
    assert "run a program that says `import tensorflow as tf`" in shown
    assert "demo" in shown


def test_the_version_is_printed():
    done = command("--version")
    assert done.returncode == 0
    assert re.fullmatch(
        rf"tapefacade (0\.\d+\.\d+|\(not installed\)), jax [\d.]+, "
        rf"follows TensorFlow {re.escape(tapefacade.__version__)}\n",
        done.stdout,
    )


@pytest.mark.slow
def test_the_demo_learns():
    done = command("demo")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "(This is said once.)" not in line]
    assert not said  # but how long a slow machine waits
    name, _, error = done.stdout.splitlines()[-1].rpartition(": ")
    assert name == "final relative L2 error"
    assert float(error) < 1e-3


def test_the_demo_is_a_tensorflow_program():
    demo = pathlib.Path(tapefacade.__file__).with_name("demo") / "pinn.py"
    text = demo.read_text(encoding="utf-8")
    assert "\nimport tensorflow as tf\n" in text
    assert "tapefacade" not in text.split('"""')[2]


def test_keras_is_told_to_use_jax(monkeypatch):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    with tapefacade.install_as_tensorflow():
        assert os.environ["KERAS_BACKEND"] == "jax"
    assert "KERAS_BACKEND" not in os.environ


def test_a_chosen_backend_of_keras_is_left_alone(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    with tapefacade.install_as_tensorflow():
        assert os.environ["KERAS_BACKEND"] == "torch"
    assert os.environ["KERAS_BACKEND"] == "torch"


KERAS_BY_ITS_NAME = """
import sys
import tapefacade
if "first" in sys.argv:
    import keras
alias = tapefacade.install_as_tensorflow()
import tensorflow as tf
import keras
from keras import layers
model = keras.Sequential([keras.Input((2,)), layers.Dense(1, use_bias=False)])
with tf.GradientTape() as tape:
    y = model(tf.ones([1, 2]))
try:
    print(tape.gradient(y, model.trainable_variables)[0].numpy().tolist())
    print(keras.__spec__.loader.__class__.__name__, tf.keras.layers.Dense is layers.Dense)
except AttributeError as error:
    print(*error.__notes__)
"""


@pytest.mark.parametrize("backend", [None, "jax"])
def test_keras_by_its_own_name_is_the_keras_on_tapes(monkeypatch, backend):
    if backend is None:
        monkeypatch.delenv("KERAS_BACKEND", raising=False)
    else:
        monkeypatch.setenv("KERAS_BACKEND", backend)
    done = python("-c", KERAS_BY_ITS_NAME)
    assert done.stdout.splitlines() == ["[[1.0], [1.0]]", "SourceFileLoader True"]


KERAS_WITHOUT_ALIAS = KERAS_BY_ITS_NAME.replace(
    "alias = tapefacade.install_as_tensorflow()\nimport tensorflow as tf", "tf = tapefacade"
)


@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is not None, reason="Keras would run")
@pytest.mark.parametrize("backend", [None, "tensorflow"])
@pytest.mark.parametrize("program", [KERAS_BY_ITS_NAME, KERAS_WITHOUT_ALIAS])
def test_keras_that_would_look_for_tensorflow_is_the_keras_on_tapes(monkeypatch, backend, program):
    if backend is None:
        monkeypatch.delenv("KERAS_BACKEND", raising=False)
    else:
        monkeypatch.setenv("KERAS_BACKEND", backend)
    done = python("-c", program, "first")
    assert done.stdout.splitlines() == ["[[1.0], [1.0]]", "SourceFileLoader True"]


KERAS_BESIDE_TENSORFLOW = """
import sys, types, importlib.machinery
sys.modules["tensorflow"] = types.ModuleType("tensorflow")
sys.modules["tensorflow"].__spec__ = importlib.machinery.ModuleSpec("tensorflow", None)
import tapefacade
try:
    import keras
except Exception as error:
    print(type(error).__name__)
"""


def test_keras_runs_on_tensorflow_where_that_has_been_imported(monkeypatch):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    (said,) = python("-c", KERAS_BESIDE_TENSORFLOW).stdout.splitlines()
    assert said in ("ModuleNotFoundError", "AttributeError", "ImportError")  # of an empty module


@pytest.mark.parametrize(
    ("text", "backend"),
    [('{"backend": "numpy"}', "numpy"), ('{"backend": "jax"}', "jax"), ("{", "jax")],
)
def test_a_backend_in_the_file_of_keras_is_respected(monkeypatch, tmp_path, text, backend):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "keras.json").write_text(text)
    program = "import tapefacade, keras; print(keras.backend.backend(), keras.ops.ones(1))"
    name, value = python("-c", program).stdout.split(" ", 1)
    assert name == backend
    assert value.startswith("tf.Tensor" if backend == "jax" else "[1.]")


def test_a_gradient_for_variables_of_plain_keras_says_what_to_import(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    done = python("-c", KERAS_BY_ITS_NAME, "first")
    assert "write `keras = tf.keras` (or `from tapefacade import keras`)" in done.stdout
