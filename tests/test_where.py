"""`python -m tapefacade where NAME`: the places of definitions and of their rows of tests."""

import pathlib

import pytest

import tapefacade
from tapefacade.__main__ import main

ROOT = pathlib.Path(tapefacade.__file__).parent.parent


def printed(capsys, monkeypatch, *names):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main(["where", *names])
    return ended.value.code, capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("name", "file", "text", "rows"),
    [
        ("tf.nn.conv2d_transpose", "_ops/nn/convolution_transposed.py", "conv2d_transpose", "nn/"),
        ("math.xlogy", "_ops/math/", "xlogy", "math/"),
        ("tf.raw_ops.Atan2", "_compat/renamed_functions.py", "def call", None),
        ("tf.GradientTape", "_tape/tape.py", "class GradientTape", None),
        ("tf.math", "math/__init__.py", '"""', None),
        ("tf.test.TestCase", "_testing/test_case.py", "@lacks(", None),
        ("tf.device", "_config/device_placement.py", "class device", None),
        ("tf.float32", "_core/dtypes.py", "float32 =", None),
        ("tf.types.experimental.TensorLike", "_core/tensor_like.py", "TensorLike", None),
    ],
)
def test_the_definition_comes_first_and_the_rows_after_it(
    name, file, text, rows, capsys, monkeypatch
):
    status, lines = printed(capsys, monkeypatch, name)
    assert status == 0
    path, line = lines[0].rsplit(":", 1)
    assert path.startswith(f"tapefacade/{file}")
    below = (ROOT / path).read_text().splitlines()[int(line) - 1 :]
    assert any(text in one for one in below[:5])
    if rows and (ROOT / "tests" / "cases").is_dir():
        path, line = lines[1].rsplit(":", 1)
        assert path.startswith(f"tests/cases/{rows}")
        assert name.rpartition(".")[2] in (ROOT / path).read_text().splitlines()[int(line) - 1]


def test_a_name_that_is_missing(capsys, monkeypatch):
    status, lines = printed(capsys, monkeypatch, "tf.math.logg", "tf.math.log", "tf.float32.max")
    assert status == 1
    assert "the nearest name it has is `tf.math.log`" in lines[0]
    assert lines[1].startswith("tapefacade/_ops/math/elementary.py:")
    assert lines[-1].startswith("tf.float32.max: ")
