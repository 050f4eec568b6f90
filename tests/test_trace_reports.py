"""`fn.trace_report()`: which argument recorded a function again, where, and what to do."""

import linecache

import pytest

import tapefacade as tf


class Settings:
    def __init__(self, rate):
        self.rate = rate


def make():
    @tf.function
    def step(x, power=2, rest=None, settings=None):
        return x**2.0

    return step


def last(function):
    tracing = function.trace_report().tracings[-1]
    path, _, number = tracing.line.rpartition(":")
    return tracing, linecache.getline(path, int(number)).strip()


def test_a_function_that_was_not_called():
    step = make()
    assert step.trace_report().tracings == ()
    assert repr(step.trace_report()).endswith("was recorded never")


def test_the_first_recording_has_no_change():
    step = make()
    for _ in range(3):
        step(tf.ones([2, 3]))  # here
    (tracing,) = step.trace_report().tracings
    assert tracing.changes == ()
    assert last(step)[1].endswith("# here")
    assert tracing.seconds > 0.0
    assert tracing.compiled >= 1
    text = repr(step.trace_report())
    assert text.startswith(f"make.<locals>.step ({__file__}".replace("make.<locals>.", ""))
    assert "was recorded once, in " in text


def test_shapes():
    step = make()
    for size in (4, 5, 6):
        step(tf.ones([size, 3]))  # loop
    tracing, line = last(step)
    (change,) = tracing.changes
    assert str(change) == (
        "x was a float32 tensor of shape (5, 3) and is a float32 tensor of shape (6, 3)"
    )
    assert "drop_remainder=True" in change.advice
    assert line.endswith("# loop")
    step(tf.ones([3]))
    assert "pass tensors of one rank" in last(step)[0].changes[0].advice


@pytest.mark.parametrize("use", ["call", "eager"])
def test_dtypes_and_numbers(use):
    step = make()
    step(tf.ones([2]))
    step(tf.ones([2], tf.float64))
    (change,) = last(step)[0].changes
    assert change.advice == "convert it before the call: tf.cast(x, tf.float32)"
    step(tf.ones([2]), power=3)
    (change,) = last(step)[0].changes
    assert (change.name, change.old, change.new) == ("power", "the int 2", "the int 3")
    assert change.advice.startswith("pass a tensor, tf.constant(3)")
    step(tf.ones([2]), 2, True)
    (change,) = last(step)[0].changes
    assert (change.name, change.old, change.new) == ("rest", "None", "the bool True")
    assert change.advice.startswith("each value has a program of its own")


def test_parts_of_structures_are_named():
    step = make()
    for size in (3, 4):
        step(tf.ones([2]), rest={"x": [tf.ones([1]), tf.ones([size])], "y": 1})
    (change,) = last(step)[0].changes
    assert change.name == "rest['x'][1]"
    assert change.new == "a float32 tensor of shape (4,)"
    step(tf.ones([2]), rest={"x": [tf.ones([1])], "y": 1})
    (change,) = last(step)[0].changes
    assert change.name == "rest['x']"
    assert change.advice.startswith("pass the same structure")


def test_objects_are_told_by_the_attribute_that_differs():
    step = make()
    slow, fast = Settings(0.1), Settings(0.2)
    step(tf.ones([2]), settings=slow)
    step(tf.ones([2]), settings=fast)
    (change,) = last(step)[0].changes
    assert str(change) == "settings was a Settings with rate=0.1 and is a Settings with rate=0.2"
    assert change.advice.startswith("pass the same object each time")
    same = Settings(0.2)
    step(tf.ones([2]), settings=same)
    (change,) = last(step)[0].changes
    assert change.new == "a Settings (another object)"
    for rate in (0.3, 0.4):  # gone when the next one comes
        step(tf.ones([2]), settings=Settings(rate))
    (change,) = last(step)[0].changes
    assert change.new == "a Settings with rate=0.4"
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w")
    step(v)
    step(w)
    (change,) = last(step)[0].changes
    assert "w:0" in change.new


def test_functions_are_told_by_their_lines():
    step = make()
    for factor in (2.0, 3.0):
        step(tf.ones([2]), settings=lambda x, factor=factor: x * factor)
    (change,) = last(step)[0].changes
    assert change.new.startswith("the function <lambda> (")
    assert "test_trace_reports.py:" in change.new


def test_the_call_that_is_most_alike_is_compared():
    step = make()
    for rest in ({"x": tf.ones([2])}, {"x": tf.ones([2]), "y": tf.ones([2])}, {"x": 1.5}):
        step(tf.ones([2]), rest=rest)
    (change,) = last(step)[0].changes
    assert change.name.endswith("['x']")
    assert change.new == "the float 1.5"


def test_python_that_runs_at_every_call_is_told_of():
    @tf.function(autograph=False)
    def branch(x):
        return x if x > 0 else -x

    branch(tf.constant(1.0))
    (tracing,) = branch.trace_report().tracings
    assert "looked at a value" in tracing.why
    assert "its Python runs at every call" in repr(branch.trace_report())


def test_methods_and_calls_by_functions():
    class Model:
        @tf.function
        def call(self, x):
            return x + 1.0

    model = Model()

    @tf.function
    def outer(x):
        return model.call(x)  # inner

    outer(tf.ones([2]))
    outer(tf.ones([3]))  # outer
    assert last(outer)[1].endswith("# outer")
    assert last(model.call)[1].endswith("# inner")
    assert len(model.call.trace_report().tracings) == 2


def test_failed_recordings_are_not_told_of_and_many_are_counted(monkeypatch):
    from tapefacade._function.function import trace_report

    monkeypatch.setattr(trace_report, "MAX_KEPT", 2)
    step = make()
    with pytest.raises(TypeError):
        step(tf.ones([2]), 1, 2, 3, 4, 5)
    for power in range(5):
        step(tf.ones([2]), power)
    text = repr(step.trace_report())
    assert "was recorded 5 times" in text
    assert text.endswith("and 3 more")


def test_notebooks_get_a_table():
    step = make()
    step(tf.ones([2]))
    step(tf.ones([3]))
    table = step.trace_report()._repr_html_()
    assert (
        "<td>x was a float32 tensor of shape (2,) and is a float32 tensor of shape (3,)</td>"
        in table
    )
    assert "<td>first recording</td>" in table
