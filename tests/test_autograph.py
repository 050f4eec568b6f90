"""Python's control flow on tensors, as instructions of a function's program."""

import contextlib
import functools
import json
import linecache
import pathlib
import signal
import traceback

import numpy as np
import pytest
import statements_refused
from statements_at_random import Writer
from steps import counted, settle

import tapefacade as tf
from tapefacade._autograph import conversion
from tapefacade._function.control import checkpointed_loop
from tapefacade._trace import program_in_pieces
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER

c = tf.constant


def twice(function, *args):
    """What a function gives when it is called for the second time."""
    function(*args)
    return function(*args)


def is_program(function):
    """Whether all that a function has recorded runs without Python."""
    return all(trace.recorded is not None for trace in function._traces.values())


def lines(function):
    """What the function says of its statements."""
    (trace,) = function._traces.values()
    return "\n".join(trace.report.lines())


# When functions are rewritten.


def test_functions_that_look_at_no_value_are_not_rewritten():
    before = conversion.REWRITE_COUNTS["rewritten"]

    @tf.function
    def f(x, flag):
        if flag and x.shape.rank == 1:
            return x * 2.0
        return tf.cond(x[0] > 0.0, lambda: x, lambda: -x)

    for _ in range(3):
        f(c([1.0]), True)
        f(c([1.0]), False)
    assert conversion.REWRITE_COUNTS["rewritten"] == before


def test_the_first_call_is_python_the_second_is_recorded_the_third_runs_none():
    runs = []

    @tf.function
    def f(x):
        runs.append(1)
        if x > 0.0:
            return x * 2.0
        return -x

    assert [f(c(v)).numpy() for v in (1.0, -3.0, 2.0, -4.0)] == [2.0, 3.0, 4.0, 4.0]
    assert len(runs) == 2
    assert is_program(f)


def test_other_shapes_of_a_function_that_looks_are_recorded_at_once():
    runs = []

    @tf.function
    def f(x):
        runs.append(1)
        while tf.reduce_sum(x) < 10.0:
            x = x * 2.0
        return x

    f(c([1.0]))
    f(c([1.0]))
    f(c([1.0, 2.0]))
    assert f(c([1.0, 3.0])).numpy().tolist() == [4.0, 12.0]
    assert len(runs) == 3


def test_a_program_with_statements_is_one_dispatch():
    @tf.function
    def f(x):
        n = tf.constant(0)
        while x < 1000.0:
            if x > 10.0:  # noqa: SIM108
                x = x * 3.0
            else:
                x = x + 1.0
            n += 1
        return x, n

    twice(f, c(1.0))
    f(c(1.0))
    with counted() as count:
        f(c(2.0))[0].numpy()
    assert (count.compiled, count.dispatched) == (0, 1)


# First calls.


class Descent:
    """A loop of unknown length under a tape, and an update."""

    def __init__(self, size=2):
        self.w = tf.Variable(np.linspace(0.1, 0.6, size, dtype="f"))

    def __call__(self, x):
        n = 0
        with tf.GradientTape() as tape:
            while tf.reduce_max(x) < 20.0:
                x = x * 1.5 + self.w if n % 2 == 0 else x + tf.gather(self.w, [n % 2]) * tf.sin(x)
                n += 1
            loss = tf.reduce_mean(x**2)
        slope = tape.gradient(loss, self.w)
        self.w.assign_sub(1e-3 * slope)
        return loss, n, slope, self.w


def test_the_first_call_of_a_function_that_looks_compiles_nothing():
    python, function = Descent(), Descent()
    wanted = python(c([0.3, 0.2]))
    compiled = tf.function(function)
    x = c([0.3, 0.2])
    settle()
    with counted() as count:
        found = compiled(x)
        settle()
    assert count.compiled == 0
    for one, other in zip(found, wanted, strict=True):
        assert tf.convert_to_tensor(one).dtype == tf.convert_to_tensor(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-5)
    for one, other in zip(compiled(x), python(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert is_program(compiled)


SIZES = {"large values": 20_000, "determinism": 3, "Python at every call": 5}


@pytest.mark.parametrize(("why", "size"), SIZES.items())
def test_first_calls_are_compiled_where_that_is_better(why, size, monkeypatch):
    if why == "determinism":
        monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", False)
    function = tf.function(Descent(size), autograph=why != "Python at every call")
    x = tf.ones([size])
    settle()
    with counted() as count:
        function(x)
        settle()
    assert count.compiled > 0


def test_what_runs_often_in_a_first_call_is_compiled(monkeypatch):
    monkeypatch.setattr(program_in_pieces, "COMPILATION_FACTOR", 0.001)

    @tf.function
    def f(x):
        while x < 60.0:
            x = tf.sin(x) * 0.25 + x + 0.5
        return x

    with counted() as count:
        f(c(0.0)).numpy()
    assert count.compiled == 1


def test_later_calls_of_python_that_runs_each_time_are_compiled():
    data = tf.data.Dataset.from_tensor_slices(np.linspace(0, 1, 18, dtype="f").reshape(9, 2))
    w = tf.Variable([0.5, -0.5])

    @tf.function
    def f(rate):
        total = c(0.0)
        for row in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cos(row * w))
            w.assign_sub(rate * tape.gradient(loss, w))
            total += loss
        return total

    compiled = []
    for _ in range(5):
        with counted() as count:
            f(c(0.1)).numpy()
        compiled.append(count.compiled)
    assert compiled[0] == 0
    assert compiled[1] > 0
    assert compiled[3:] == [0, 0]


def test_errors_of_a_first_call_are_those_of_its_ops():
    @tf.function
    def f(x, i):
        while x < 10.0:
            x = x * 2.0
        row = tf.gather(tf.ones([3]) * x, i * tf.cast(x, tf.int32))
        if x > 10.0:
            return row
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices = 16 is not in \[0, 3\)"):
        f(c(1.0), c(1)).numpy()
    assert f(c(1.0), c(0)).numpy() == 16.0


def test_a_first_call_keeps_no_array_of_the_users():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 0.0:
            x = -x
        return tf.reshape(x, [-1]), x[0]

    given = np.ones([2, 2], "f")
    row, part = f(given)
    row.numpy()[:] = 7.0
    given[:] = 5.0
    assert row.numpy().tolist() == [1.0] * 4
    assert part.numpy().tolist() == [1.0] * 2


@pytest.mark.parametrize("how", ["setting", "decorator"])
def test_functions_can_be_left_alone(how):
    def python(x):
        if x > 0.0:
            return x
        return -x

    if how == "setting":
        f = tf.function(python, autograph=False)
    else:
        f = tf.function(tf.autograph.experimental.do_not_convert(python))
    assert twice(f, c(-2.0)).numpy() == 2.0
    assert not is_program(f)


def test_a_function_that_is_left_alone_is_called_as_it_is():
    @tf.autograph.experimental.do_not_convert
    def helper(x):
        return x if x > 0.0 else -x

    @tf.function
    def f(x):
        if x > -10.0:
            x = helper(x)
        return x

    assert twice(f, c(-2.0)).numpy() == 2.0
    assert not is_program(f)
    assert "looked at a value" in lines(f)


def test_generators_run_as_python():
    def numbers(n):
        while n > 0:
            yield n
            n -= 1

    @tf.function
    def f(n):
        return sum(numbers(n))

    assert twice(f, c(4)).numpy() == 10


def test_functions_without_source_run_as_python():
    names = {}
    exec("def f(x):\n    return x if x > 0.0 else -x", names)
    f = tf.function(names["f"])
    assert twice(f, c(-2.0)).numpy() == 2.0
    assert not is_program(f)


# What is rewritten.


class Account:
    """A class with private names, and a method that calls its base's."""

    def __init__(self):
        self.__total = c(0.0)

    @tf.function
    def add(self, x):
        if x > 0.0:
            self.__total = self.__total + x
        return self.__total


class Saving(Account):
    @tf.function
    def add(self, x):
        found = super().add(x)
        if found > 5.0:
            return found * 2.0
        return found


def test_methods_with_private_names_and_super():
    assert twice(Saving().add, c(3.0)).numpy() == 12.0
    assert twice(Account().add, c(3.0)).numpy() == 6.0


def test_closures_share_their_variables():
    scale = 1.0

    @tf.function
    def f(x):
        if x > 0.0:
            return x * scale
        return x

    twice(f, c(2.0))
    scale = 5.0
    assert f(c([2.0])[0]).numpy() == 2.0  # recorded
    assert twice(tf.function(f.python_function), c(2.0)).numpy() == 10.0


def test_nonlocal_variables_are_assigned():
    count = c(0)

    @tf.function
    def f(n):
        def more():
            nonlocal total
            total = total + n

        total = c(0)
        while n > 0:
            more()
            n -= 1
        return total + count

    assert twice(f, c(4)).numpy() == 10
    assert is_program(f)


def test_partial_functions_and_callable_objects():
    class Choice:
        def __call__(self, x):
            return x if x > 0.0 else -x

    def scaled(scale, x):
        return x * scale if x > 0.0 else x

    for python in (Choice(), functools.partial(scaled, 3.0)):
        f = tf.function(python)
        assert (
            twice(f, c(2.0)).numpy() == twice(tf.function(python, autograph=False), c(2.0)).numpy()
        )
        assert is_program(f)


def test_default_arguments_and_annotations_stay():
    @tf.function
    def f(x: tf.Tensor, scale: float = 2.0, *, shift: float = 1.0) -> tf.Tensor:
        if x > 0.0:
            return x * scale + shift
        return x

    assert twice(f, c(3.0)).numpy() == 7.0


def test_concrete_functions_of_functions_that_look():
    @tf.function
    def f(x):
        while x < 10.0:
            x = x * 2.0
        return x

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert concrete(c(3.0)).numpy() == 12.0


def test_arrays_that_grow_by_an_element_in_each_iteration():
    @tf.function
    def f(start):
        found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        with tf.GradientTape() as tape:
            tape.watch(start)
            x = start
            for i in tf.range(5):
                if x > 10.0:
                    x = x / 2.0
                found = found.write(i, x * tf.cast(i, tf.float32))
            y = tf.reduce_sum(found.stack() ** 2)
        return found.stack(), found.size(), tape.gradient(y, start)

    wanted = f.python_function(c(3.0))
    for one, other in zip(twice(f, c(3.0)), wanted, strict=True):
        np.testing.assert_allclose(one, other)
    assert is_program(f)


def test_arrays_that_grow_until_a_break():
    @tf.function
    def f(x):
        found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(20):
            x = x * 1.5
            found = found.write(i, x)
            if x > 20.0:
                break
        return found.stack()

    for start in (1.0, 30.0, 0.001, 1.0):
        wanted = f.python_function(c(start))
        np.testing.assert_allclose(twice(f, c(start)), wanted)
    assert "for i in tf.range(20):  # an instruction" in lines(f)


def test_the_elements_of_an_array_that_branches_change_are_a_tensor():
    """Though they are those of the array itself, which is another result of the branches."""

    def f(x, k):
        array = tf.TensorArray(tf.float32, size=2).unstack([x, x])
        if k == 1:
            array = array.write(1, -x)
            elements = array.stack()
        else:
            n = c(0)
            while n < k:
                n += 1
                array = array.write(0, x * 2.0)
            elements = array.stack()
        return elements, array.write(1, x * 3.0).stack()

    compiled = tf.function(f)
    for x, k in ((0.5, 1), (0.7, 1), (-0.5, 3)):
        for one, other in zip(compiled(c(x), c(k)), f(c(x), c(k)), strict=True):
            np.testing.assert_array_equal(one, other)
    assert is_program(compiled)


def test_arrays_that_grow_otherwise_run_as_python():
    @tf.function
    def f(n):
        found = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(6):
            if i % n == 0:
                found = found.write(i // n, i)
        return found.stack()

    assert twice(f, c(2)).numpy().tolist() == [0, 2, 4]


def test_match_and_try_stay_python_around_statements():
    @tf.function
    def f(kind, x):
        match kind:
            case "double":
                if x > 0.0:
                    return x * 2.0
            case _:
                pass
        try:
            if x > 5.0:
                return x
        finally:
            x = x + 0.0
        return -x

    assert twice(f, "double", c(3.0)).numpy() == 6.0
    assert twice(f, "double", c(-3.0)).numpy() == 3.0
    assert twice(f, "other", c(7.0)).numpy() == 7.0
    assert is_program(f)


def test_what_an_iteration_unpacks_for_itself_is_no_state():
    @tf.function
    def f(x):
        while x < 10.0:
            small, large = x + 1.0, x * 2.0
            (one, [other, _]), x = (small, [large, x]), small + large
            x = x + 0.0 * (one + other)
        return x

    assert twice(f, c(1.0)).numpy() == 13.0
    assert f(c(20.0)).numpy() == 20.0
    assert is_program(f)


def test_conditions_that_assign():
    @tf.function
    def f(x):
        n = 0
        while (y := x * 0.5) > 1.0:
            x = y
            n += 1
        return x, y, n

    assert [t.numpy() for t in twice(f, c(9.0))] == [1.125, 0.5625, 3]
    assert [t.numpy() for t in f(c(1.0))] == [1.0, 0.5, 0]
    assert is_program(f)


def test_conditions_that_assign_in_loops_with_jumps():
    @tf.function
    def f(x, most):
        total = c(0.0)
        for i in tf.range(3):
            n = c(0)
            while (half := x * 0.5) > 0.25:
                x = half
                n += 1
                if x > 6.0:
                    continue
                if (rest := total + x) > most:
                    return total, half, i
                total = rest
                if n > 3:
                    break
            else:
                total += 100.0
            x = half * 16.0
        return total, half, -1

    def plain(x, most):
        return f.python_function(c(x), c(most))

    for x, most in ((9.0, 2.0), (9.0, 50.0), (9.0, 500.0), (0.1, 500.0), (3.0, 500.0)):
        for _ in range(2):
            found = f(c(x), c(most))
            expected = plain(x, most)
            assert [float(t) for t in found] == [float(t) for t in expected]
    assert is_program(f)


def test_lists_and_dictionaries_changed_in_place_are_state():
    @tf.function
    def f(n):
        table, row = {"sum": c(0)}, [c(1), c(1)]
        held = table
        while n > 0:
            table["sum"] += n
            row[0], row[1] = row[1], row[0] + row[1]
            n -= 1
        return held["sum"], row[1]

    assert [t.numpy() for t in twice(f, c(5))] == [15, 13]
    assert is_program(f)


def test_what_a_with_statement_names_is_no_state_of_the_loop_around_it():
    @tf.function
    def f(x):
        for i in tf.range(9):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**4
            slope = tape.gradient(y, x)
            if y < 0.1:
                return x, i
            x -= 0.05 * slope
        return x, -1

    x, i = twice(f, c(1.0))
    assert (float(x), int(i)) == (pytest.approx(0.54079, abs=1e-4), 5)
    assert is_program(f)


def test_what_a_condition_reads_is_no_state_before_it_is_assigned():
    @tf.function
    def f(rows):
        found = c(-1)
        for row in rows:
            if row[0] < 0:
                found = row[1]
            else:
                k = c(0)
                while True:
                    k += 1
                    if k > row[0] or k > 3:
                        break
                found += k
        return found

    assert twice(f, c([[1, 5], [-1, 7], [9, 9]])).numpy() == 11
    assert is_program(f)


# What cannot be staged runs as Python: as it does without rewriting.


def grows(x):
    while tf.reduce_sum(x) < 20.0:
        x = tf.concat([x, x], 0)
    return x


def changes_dtype(n):
    total = 0
    for i in tf.range(n):
        total = total + tf.cast(i, tf.float32)
    return total


def none_at_first(n):
    best = None
    while n > 0:
        best = n
        n -= 1
    return best


def list_grows(n):
    found = []
    for i in tf.range(n):
        found.append(i * i)
    return found


KEPT = []


def keep(x):
    KEPT.append(x)


def kept_elsewhere(n):
    for i in tf.range(n):
        keep(i * 2)
    return tf.add_n(KEPT[-3:])


def text_in_branches(x):
    kind = "big" if x > 10 else "small"
    return x + len(kind)


def raises_in_branch(x):
    if x > 100:
        raise ValueError("too big")
    return x + 1


def python_break(n):
    total = c(0)
    for _ in range(5):
        total += n
        if total > 7:
            break
    return total


def undefined_in_a_branch(x):
    if x > 0:
        y = x * 2
    return y


def looks(n):
    total = 0
    while n > 0:
        total += int(n)
        n -= 1
    return c(total)


@pytest.mark.parametrize(
    ("python", "argument", "why"),
    [
        (grows, [1.0, 2.0], "'x' changes from float32[2] to float32[4]"),
        (changes_dtype, 4, "Input #1 of 'AddV2' Op has type float"),
        (none_at_first, 3, "'best' changes from None"),
        (list_grows, 3, "the structure of 'found' changes"),
        (text_in_branches, 3, "is 'big' or 'small'"),
        (raises_in_branch, 3, "ValueError: too big"),
        (python_break, 3, "looked at a value"),
        (undefined_in_a_branch, 3, "'y' is not defined in both branches"),
        (looks, 3, "looked at a value"),
    ],
)
def test_what_cannot_be_staged_gives_what_python_gives(python, argument, why):
    wanted = python(c(argument))
    f = tf.function(python)
    for _ in range(3):
        found = f(c(argument))
        for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
            np.testing.assert_array_equal(one, other)
    (trace,) = f._traces.values()
    assert trace.recorded is None
    assert why in trace.why


def test_what_is_kept_elsewhere_is_no_tensor_of_a_body():
    f = tf.function(kept_elsewhere)
    assert f(c(5)).numpy() == 18
    assert f(c(5)).numpy() == 18


def test_a_statement_that_is_refused_leaves_others_staged():
    @tf.function
    def f(n, x):
        x = grows(x)
        total = c(0)
        while n > 0:
            total += n
            n -= 1
        return total, tf.size(x)

    assert [t.numpy() for t in twice(f, c(4), c([1.0, 2.0]))] == [10, 16]
    told = lines(f)
    assert "while tf.reduce_sum(x) < 20.0:  # Python, because 'x' changes" in told
    assert "while n > 0:  # an instruction" in told


# Errors name the user's lines.


def test_errors_of_ops_in_rewritten_functions_are_at_the_users_line():
    @tf.function
    def f(x, y):
        if x > 0.0:
            x = x + 1.0
        return tf.matmul(y, y) * x

    for _ in range(2):
        with pytest.raises(ValueError, match="Dimensions must be equal") as caught:
            f(c(1.0), tf.ones([2, 3]))
    shown = "".join(traceback.format_exception(caught.value))
    assert "return tf.matmul(y, y) * x" in shown


def test_lines_of_rewritten_functions_are_the_users():
    def line():
        return traceback.extract_stack(limit=2)[0].lineno

    found = []

    @tf.function
    @tf.autograph.experimental.do_not_convert
    def left(x):
        return x

    @tf.function(
        reduce_retracing=True,
    )
    def f(x):
        if x > 0.0:
            x = left(x)
        found.append(line())
        return x

    first = f.python_function.__code__.co_firstlineno
    f(c(1.0))
    f(c(1.0))
    assert found == [first + 6, first + 6]
    assert f"{first + 4}: if x > 0.0:  # an instruction" in lines(f)


def test_a_variable_without_a_value_is_an_unbound_local():
    @tf.function
    def f(x):
        if x > 0:
            y = x
        return y

    assert twice(f, c(1)).numpy() == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(c(-1))


def test_assertions_are_checked_at_every_call():
    @tf.function
    def f(x):
        assert x > 0.0, "positive"
        return x * 2.0

    assert twice(f, c(1.0)).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        f(c(-1.0))


# Derivatives.


def test_gradients_of_loops_of_unknown_length():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, n = x, 0
            while y < 50.0:
                y = y * x + tf.sin(y)
                n += 1
        return y, tape.gradient(y, x), n

    compiled = tf.function(f)
    for start in (1.5, 1.9, 3.0, 100.0):
        wanted = f(c(start))
        twice(compiled, c(start))
        for one, other in zip(compiled(c(start)), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)
    assert is_program(compiled)


def test_a_tape_around_a_function_with_a_tape_around_a_loop(monkeypatch):
    """It differentiates the gradient of the loop, with the forward pass that this has."""
    monkeypatch.setattr(checkpointed_loop, "SLOTS", ((16, 1, None),))

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while y < 9.0:
                y = y * x
            loss = y * y
        return y * tape.gradient(loss, x)

    def slope(function, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = function(x)
        return result, tape.gradient(result, x)

    compiled = tf.function(f)
    for start in (1.5, 1.6, 2.5):
        x = c(start, tf.float64)
        np.testing.assert_allclose(slope(compiled, x), slope(f, x), rtol=1e-9)
    assert is_program(compiled)


def test_gradients_of_loops_longer_than_their_slots(monkeypatch):
    """Chunks within chunks: every level of the reverse pass is used."""
    monkeypatch.setattr(checkpointed_loop, "SLOTS", ((3, 3, None),))

    @tf.function
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while n > 0:
                y = y + tf.sin(y) * x
                n -= 1
        return y, tape.gradient(y, x)

    start = c(0.5, tf.float64)
    f(start, c(1))
    for n in (0, 1, 3, 4, 9, 10, 26, 27):
        y, slope = 0.5, 1.0
        for _ in range(n):
            slope += np.cos(y) * slope * 0.5 + np.sin(y)
            y += np.sin(y) * 0.5
        found = f(start, c(n))
        np.testing.assert_allclose(found[0], y, rtol=1e-9)
        np.testing.assert_allclose(found[1], slope, rtol=1e-9)


# What TensorFlow refuses.


REFUSED = statements_refused.functions(tf)
ANSWERS = json.loads(
    (pathlib.Path(__file__).parent / "goldens" / "statements_refused.json").read_text()
)


@contextlib.contextmanager
def ended_within(seconds):
    """Fails where something takes longer."""

    def late(*_):
        raise TimeoutError(f"it has not ended after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_does_what_python_does_and_ends(name):
    assert "Error: " in ANSWERS[name]  # TensorFlow's
    python, arguments = REFUSED[name]
    wanted = tf.nest.flatten(python(*arguments))
    function = tf.function(python)
    with ended_within(120):
        for _ in range(3):
            found = tf.nest.flatten(function(*arguments))
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted, strict=True):
                assert tf.convert_to_tensor(one).dtype == tf.convert_to_tensor(other).dtype
                np.testing.assert_allclose(one, other, rtol=1e-6)


# Loops that call Python.


class Game:
    """An environment in NumPy, and a policy that plays it in a loop."""

    def __init__(self, seed=None):
        self.random = np.random.RandomState(0)
        self.left, self.calls = 0, []
        self.seed = seed
        self.w = tf.Variable(self.random.randn(4, 8).astype("f") * 0.5)
        self.u = tf.Variable(self.random.randn(8, 2).astype("f") * 0.5)

    keeps = False

    def move(self, action):
        self.left -= 1
        self.calls.append(int(action))
        state = self.random.randn(4).astype("f") + np.float32(0.1) * action.astype("f")
        return state, np.array(1.0, "f"), np.array(self.left <= 0)

    def episode(self, state, most=12):
        chosen = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        actions = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        total = c(0.0)
        for t in tf.range(most):
            logits = tf.nn.tanh(state[None] @ self.w) @ self.u
            action = tf.random.categorical(logits, 1, seed=self.seed)[0, 0]
            chosen = chosen.write(t, tf.nn.log_softmax(logits)[0, action])
            state, reward, done = tf.numpy_function(
                self.move, [action], [tf.float32, tf.float32, tf.bool]
            )
            actions, rewards = actions.write(t, action), rewards.write(t, reward)
            total += reward * tf.reduce_sum(state)
            if done:
                break
        self.kept = (actions, rewards) if self.keeps else ()
        return chosen.stack(), total, state

    def step(self, state):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(state)
            with tf.GradientTape() as tape:
                chosen, total, last = self.episode(state)
                loss = tf.reduce_sum(chosen**2) * total
            penalty = tf.reduce_sum(tape.gradient(loss, self.w) ** 2)
        gradients = outer.gradient(loss, [self.w, self.u, state])
        return loss, last, *gradients, outer.gradient(penalty, self.u)

    def play(self, function, lengths):
        found = []
        for self.left in lengths:
            found.append([np.asarray(value) for value in function(tf.ones(4))])
        return found


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("method", ["step", "episode"])
def test_a_loop_with_a_numpy_function_does_what_python_does(method, seed):
    found = []
    for autograph in (True, False):
        tf.random.set_seed(5)
        game = Game(seed)
        function = tf.function(getattr(game, method), autograph=autograph)
        game.keeps = True
        results = game.play(function, (3, 5, 1, 7))
        found.append(([*results, [array.stack() for array in game.kept]], game.calls))
        if autograph:
            assert "compiled up to each call of Python" in function.statements()[0]
    assert found[0][1] == found[1][1]
    for one, other in zip(found[0][0], found[1][0], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)


def test_a_loop_with_a_numpy_function_compiles_nothing_for_other_lengths():
    game = Game()
    play = tf.function(lambda state: game.episode(state)[1:])
    game.play(play, (3, 5, 4))
    with counted() as count:
        game.play(play, (2, 9, 11))
    assert count.compiled == 0
    assert len(game.calls) == 34


def test_gradients_of_episodes_of_other_lengths_compile_nothing():
    found = []
    for autograph in (True, False):
        tf.random.set_seed(1)
        game = Game(3)

        def train(state, game=game):
            with tf.GradientTape() as tape:
                chosen, _, last = game.episode(state)
                weights = tf.range(tf.shape(chosen)[0], 0, -1)
                loss = -tf.reduce_mean(chosen * tf.cast(weights, tf.float32)) + tf.reduce_sum(last)
            gradients = tape.gradient(loss, [game.w, game.u])
            game.w.assign_sub(0.01 * gradients[0])
            return loss, *gradients

        function = tf.function(train, autograph=autograph)
        results = game.play(function, (3, 5))
        with counted() as count:
            results += game.play(function, (4, 6, 2, 9, 11, 7))
        assert count.compiled == 0 or not autograph
        found.append(results)
    for one, other in zip(*found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("body", ["rows at the number", "rows of all kinds", "in a branch"])
def test_a_loop_over_the_steps_of_an_episode_is_one_for_all_lengths(body):
    """It takes rows of longer tensors; where its body shows how long they are, of these ones."""
    scale = tf.Variable(0.5)

    def returns(n):
        rewards, signs = tf.numpy_function(
            lambda n: (np.sin(np.arange(n, dtype="f")), np.where(np.arange(n) % 3, 1, -1)[:, None]),
            [n], [tf.float32, tf.int64],
        )  # fmt: skip
        with tf.GradientTape() as tape:
            rewards, total = rewards * scale, tf.constant([1.0])
            count = tf.shape(rewards)[0]
            found = tf.TensorArray(tf.float32, count)
            kept = tf.TensorArray(tf.int64, count, clear_after_read=False).unstack(signs[::-1])
            for t in tf.range(count):
                total = 0.9 * total + rewards[t] * tf.cast(signs[t], tf.float32)
                if body == "rows of all kinds":
                    total += rewards[t - 1] + 0.1 * tf.reduce_mean(rewards)
                if body == "in a branch" and total[0] > 1.0:
                    found = found.write(t, total - 1.0)
                else:
                    found = found.write(t, total)
                kept = kept.write(t, kept.read(t) + signs[t])
            rows = found.stack()
            loss = tf.reduce_sum(rows * tf.cast(kept.stack(), tf.float32)) + rows[-1, 0]
        return rows, kept.stack(), total, tape.gradient(loss, scale)

    function = tf.function(returns)
    for n in (2, 4, 3, 5):
        function(tf.constant(n))
    for n in (6, 1, 7) if body == "rows at the number" else (3, 6):
        with counted() as count:
            found = [tf.identity(value) for value in function(tf.constant(n))]
            settle()
        assert count.compiled == 0 or n != 7
        for one, other in zip(found, returns(tf.constant(n)), strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, 1e-4, 1e-5)
    assert not [line for line in function.statements() if "Python" in line]


def test_a_loop_with_an_array_that_is_not_written_and_a_function_made_in_it():
    """Python knows the types of what the function returns when it has called it, rewritten."""

    @tf.function
    def f(x, n):
        empty, found = (tf.TensorArray(tf.float32, 0, dynamic_size=True) for _ in range(2))
        for t in tf.range(6):
            x = tf.numpy_function(lambda x: np.float32(0.5) * x + np.float32(1.0), [x], tf.float32)
            x.set_shape([])
            found = found.write(t, x)
            if not f:
                empty = empty.write(t, x)
            if t + 1 == n:
                break
        return found.stack(), empty.size()

    for n in (5, 4, 3):
        rows, size = f(c(0.0), c(n))
        assert np.array_equal(rows, (2 - 0.5 ** np.arange(n)).astype("f"))
        assert int(size) == 0
    assert [line for line in f.statements() if "compiled up to each call of Python" in line]


def test_a_loop_whose_numpy_function_is_never_called_is_left_at_once():
    game = Game()
    play = tf.function(lambda state, most: game.episode(state, tf.minimum(most, 1))[1])
    game.left = 1
    play(tf.ones(4), c(1))
    play(tf.ones(4), c(1))
    calls = len(game.calls)
    assert float(play(tf.ones(4), c(0))) == 0.0
    assert len(game.calls) == calls


def test_the_error_of_a_numpy_function_in_a_loop_is_raised_once():
    calls = []

    def half(x):
        calls.append(float(x))
        if x < 0.2:
            raise KeyError("too small")
        return np.float32(x / 2)

    @tf.function
    def f(x, low):
        while x > low:
            x = tf.numpy_function(half, [x], tf.float32)
        return x

    assert [float(f(c(8.0), c(1.0))) for _ in range(3)] == [1.0] * 3
    with counted() as count:
        assert float(f(c(8.0), c(1.0))) == 1.0
    assert count.dispatched == 4  # one, and then one for each iteration
    calls.clear()
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'too small'"):
        f(c(1.0), c(0.0))
    assert calls == [1.0, 0.5, 0.25, 0.125]


def test_a_numpy_function_whose_shapes_change_runs_as_python_from_then_on():
    sizes = iter([2, 2, 2, 2, 2, 3, 2, 3, 4, 5])

    def rows():
        return np.ones(next(sizes), "f")

    @tf.function
    def f(n):
        total = c(0.0)
        while n > 0:
            total += tf.reduce_sum(tf.numpy_function(rows, [], tf.float32))
            n -= 1
        return total

    assert [float(f(c(2))), float(f(c(2)))] == [4.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[3\]\] where it had returned"):
        f(c(2))
    assert float(f(c(4))) == 14.0


def test_a_variable_that_a_numpy_function_assigns_has_its_new_value_in_the_loop():
    found = []
    for autograph in (True, False):
        v = tf.Variable(1.0)

        def double(x, v=v):
            v.assign(v * 2.0)
            return x

        @tf.function(autograph=autograph)
        def f(x, n, v=v):
            total = c(0.0)
            for _ in tf.range(n):
                total += x * v
                x = tf.numpy_function(double, [x], tf.float32)
                total += v
            return total

        found.append([float(f(c(0.5), c(3))) for _ in range(3)])
        if autograph:
            assert "compiled up to each call" in f.statements()[0]
    assert found[0] == found[1]


def test_a_loop_in_a_loop_that_calls_python_is_compiled():
    def add(x):
        return x + np.float32(1.0)

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x * 0.5
            for _ in tf.range(n):
                x = tf.numpy_function(add, [x], tf.float32)
        return x

    x = 1.0
    for _ in range(3):
        x = x * 0.5 + 3.0
    assert [float(f(c(1.0), c(3))) for _ in range(3)] == [x] * 3
    outer, inner = f.statements()
    assert "Python, because" in outer
    assert "compiled up to each call of Python" in inner


DTYPES = [
    "bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex64",
]  # fmt: skip


@pytest.mark.parametrize("is_taped", [False, True])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (40, 90)])
def test_a_loop_that_calls_python_keeps_values_of_all_types(shape, is_taped):
    def turned(x, y):
        return -x, np.asarray(y * np.float16(0.5))

    # The types of results are remembered by code.
    turned.__code__ = turned.__code__.replace(co_name=f"turned_{shape}_{is_taped}")

    def changed(tensor):
        return tf.logical_not(tensor) if tensor.dtype == tf.bool else tensor + tensor

    @tf.function
    def f(state, x, n):
        half = tf.cast(x, tf.float16)
        for _ in tf.range(n):
            x, half = tf.numpy_function(turned, [x, half], [tf.float64, tf.float16])
            state = [changed(tensor) for tensor in state]
            y, half = tf.numpy_function(turned, [x, half], [tf.float64, tf.float16])
            x += 2.0 * y
        return *state, x, half

    def run(values, x, n):
        if not is_taped:
            return f(values, x, n)
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = f(values, x, n)
        return results

    values = [tf.cast(tf.fill(shape, 2.0), dtype) for dtype in DTYPES]
    x = tf.reshape(tf.range(np.prod(shape), dtype=tf.float64), shape)
    for n in (4, 4, 3):
        expected = [np.full(shape, n % 2 == 0), *[np.full(shape, 2.0 ** (n + 1))] * 11]
        expected += [x.numpy(), x.numpy() * 0.25**n]
        for tensor, value, dtype in zip(
            run(values, x, c(n)), expected, [*DTYPES, "float64", "float16"], strict=True
        ):
            assert tensor.dtype == dtype
            np.testing.assert_array_equal(tensor, value.astype(tensor.dtype.as_numpy_dtype))
    assert "compiled up to each call of Python" in f.statements()[0]


@pytest.mark.parametrize("is_taped", [False, True])
def test_a_numpy_function_in_a_loop_may_change_what_it_has_returned_and_was_given(is_taped):
    kept = np.zeros(2, "float32")

    def changing(x):
        kept[:] += x
        x[:] = -1.0
        return kept, kept.astype(">f4")

    @tf.function
    def f(x, n):
        total = tf.zeros([2])
        for _ in tf.range(n):
            y, swapped = tf.numpy_function(changing, [x], [tf.float32, tf.float32])
            total += x * y + 0.0 * swapped
        return total

    def run(x, n):
        kept[:] = 0.0
        if not is_taped:
            return f(x, n), None
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = f(x, n)
        return total, tape.gradient(total, x).numpy().tolist()

    for n in (3, 3, 3, 4):
        total, gradient = run(c([1.0, 2.0]), c(n))
        ways = n * (n + 1) / 2  # 1 + 2 + ...
        assert total.numpy().tolist() == [ways, 4.0 * ways]
        assert gradient in (None, [ways, 2.0 * ways])
    assert "compiled up to each call of Python" in f.statements()[0]


def test_a_check_fails_in_the_iteration_in_which_it_would():
    calls = []

    def following(i):
        calls.append(int(i))
        return i + np.int32(1)

    @tf.function
    def f(values, i, most):
        total = c(0.0)
        while i < most:
            total += tf.gather(values, i)
            i = tf.numpy_function(following, [i], tf.int32)
        return total

    values = c([1.0, 2.0, 3.0])
    assert [float(f(values, c(0), c(3))) for _ in range(3)] == [6.0] * 3
    calls.clear()
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(values, c(1), c(5))
    assert calls == [1, 2]


def nested(value):
    """A function of a module that calls itself in a scope of its own, a comprehension."""
    if isinstance(value, list):
        return [nested(part) for part in value]
    return value


def tried(function):
    try:
        return nested(function())
    except Exception as error:
        return type(error).__name__


def test_a_function_of_a_module_calls_itself():
    @tf.function
    def function(x):
        if x > 0.0:
            x = x + 1.0
        return tried(lambda: [x, [x * 2.0]])

    for x in (2.0, 3.0, -1.0):
        first, (second,) = function(c(x))
        found = x + 1.0 if x > 0.0 else x
        assert (float(first), float(second)) == (found, 2.0 * found)


# Random programs.


def written(seed):
    """A random function, with a file that Python can read."""
    text, name = Writer(seed).function(), f"<program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"tf": tf, "__name__": "programs"}
    exec(compile(text, name, "exec"), names)
    return text, names["program"]


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_are_what_python_gives(seed):
    text, python = written(seed)
    compiled = tf.function(python)
    for x, n in ((0.7, 3), (-1.3, 5), (2.1, 0)):
        wanted = python(c(x), c(n))
        for _ in range(2):
            found = compiled(c(x), c(n))
            for one, other in zip(found, wanted, strict=True):
                assert one.dtype == other.dtype, text
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6, err_msg=text)
    (trace,) = compiled._traces.values()
    assert trace.recorded is not None, (trace.why, text)
