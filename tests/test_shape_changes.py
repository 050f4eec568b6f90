"""What is said of programs that are compiled again and again, for other shapes."""

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._trace import shape_changes
from tapefacade._trace.shape_changes import SHAPE_CHANGES


@pytest.fixture(autouse=True)
def nothing_has_been_told(monkeypatch):
    monkeypatch.setattr(SHAPE_CHANGES, "_told", set())


def told(caplog):
    return [r.getMessage() for r in caplog.records if "Shapes change" in r.getMessage()]


def rows(number, columns=3):
    return tf.constant(np.ones([number, columns], np.float32))


def train(lengths, columns):
    w = tf.Variable(tf.ones([columns, 1]))
    for length in lengths:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(rows(length, columns) @ w))  # here
        w.assign_sub(0.1 * tape.gradient(loss, w))
        loss.numpy()


def line_of(function, mark):
    first = function.__code__.co_firstlineno
    with open(function.__code__.co_filename, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return next(n for n in range(first, len(lines) + 1) if lines[n - 1].endswith(mark))


def test_five_shapes_of_a_step_are_told_with_the_line_and_what_to_do(caplog):
    train([11, 12, 13, 14], 5)
    assert told(caplog) == []
    train([15], 5)
    (text,) = told(caplog)
    place = f"{__file__}:{line_of(train, '# here')}"
    assert f"Shapes change at {place}: pad, or leave the last batch out" in text
    assert "(11, 5), (12, 5), (13, 5) and 2 more so far; axis 0 was 11, 12, 13 and 2 more." in text


def test_a_line_is_told_of_once(caplog):
    train(range(20, 40), 6)
    train(range(20, 40), 7)
    assert len(told(caplog)) == 1


def test_a_smaller_last_batch_is_not_told_of(caplog):
    train([50, 50, 50, 51] * 5, 8)
    assert told(caplog) == []


def test_what_compiles_in_no_time_is_not_told_of(caplog):
    for length in range(60, 80):
        tf.exp(rows(length)).numpy()
    assert told(caplog) == []


def test_the_line_is_that_of_the_input_that_changes(caplog):
    w = tf.Variable(tf.ones([3]))
    for length in range(80, 86):
        fixed = rows(79)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(fixed * w)
            loss += tf.reduce_sum(rows(length) * w)  # changes
        tape.gradient(loss, w).numpy()
    test = test_the_line_is_that_of_the_input_that_changes
    (text,) = told(caplog)
    assert f"{__file__}:{line_of(test, '# changes')}:" in text


def test_shapes_of_functions_are_told_of(caplog):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def train_step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x**3)
        return tape.gradient(loss, x)

    for length in range(90, 97):
        for _ in range(2):
            train_step(rows(length)).numpy()
    assert len(told(caplog)) == 1


def test_numbers_that_are_part_of_the_program_are_told_of(caplog):
    w = tf.Variable(tf.ones([40, 1]))

    def step(groups):
        with tf.GradientTape() as tape:
            table = tf.reshape(w * 2.0, [groups, -1])  # groups
            loss = tf.reduce_sum(tf.reduce_sum(table, 1) ** 2)
        tape.gradient(loss, w).numpy()

    for groups in (1, 2, 4, 5):
        for _ in range(2):
            step(groups)
    messages = [r.getMessage() for r in caplog.records if "Numbers that are" in r.getMessage()]
    assert messages == []
    for groups in (8, 10, 20):
        step(groups)
    (text,) = [r.getMessage() for r in caplog.records if "Numbers that are" in r.getMessage()]
    place = f"{__file__}:{line_of(step, '# groups')}"
    assert f"change at {place}: give numbers that change as tensors" in text
    assert "tf.reshape was given (1, -1), (2, -1), (4, -1) and 2 more so far" in text


def test_many_programs_are_forgotten(monkeypatch):
    monkeypatch.setattr(shape_changes, "MAX_PROGRAMS", 2)
    x = rows(99)
    for ops in range(1, 8):
        for _ in range(ops):
            x = tf.sin(x)
        x.numpy()
    assert len(SHAPE_CHANGES._found) <= 3
