"""tf.print against the texts that TensorFlow wrote."""

import json
import pathlib
import sys

import numpy as np
import pytest
from cases_printing import calls, printed

import tapefacade as tf

GOLDEN = json.loads((pathlib.Path(__file__).parent / "goldens" / "printing.json").read_text())


@pytest.mark.parametrize("call", list(calls()), ids=" ".join)
def test_text(call, tmp_path):
    assert printed(tf, np, tmp_path / "text", *call) == GOLDEN[" ".join(call)]


def test_streams(capsys):
    tf.print("to", tf.constant([1.0, 2.5]))
    tf.print("out", output_stream=sys.stdout)
    assert capsys.readouterr() == ("out\n", "to [1 2.5]\n")


def test_a_variable_is_printed_as_it_is_now(capsys):
    v = tf.Variable(1.0)
    v.assign_add(1.0)
    tf.print(v)
    assert capsys.readouterr().err == "2\n"


def test_wrong_keywords_are_an_error():
    with pytest.raises(ValueError, match=r"Unrecognized keyword arguments for tf\.print"):
        tf.print(1, separator="|")
    with pytest.raises(ValueError, match="neither a stream nor"):
        tf.print(1, output_stream="nowhere")
