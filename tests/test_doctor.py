"""`python -m tapefacade doctor`: what makes a program slow, by planted faults."""

import itertools
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest
from steps import settle

import tapefacade as tf
from tapefacade._port.doctor import EnoughStepsError, Examination, SlowPart

CHECKOUT = pathlib.Path(tf.__file__).parents[1]
HERE = os.path.abspath(__file__)


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()


def examined(program, steps=1000):
    """What is found in a program, by kind."""
    with Examination(steps) as examination:
        program()
    found = examination.findings()
    for before, after in itertools.pairwise(found):  # about equal ones in one order
        assert after.seconds < 4 * before.seconds
    return {one.kind: one for one in found}, examination


def place(marker):
    lines = pathlib.Path(HERE).read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, start=1) if line.endswith(f"# {marker}")]
    return f"{HERE}:{number}"


def step(w, x, factor=1.0):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w) * factor)  # shapes
    w.assign_sub(0.015625 * tape.gradient(loss, w))
    return loss


def test_times_that_differ_by_chance_change_no_order(monkeypatch):
    parts = [SlowPart(kind, (), "", "", 0.0) for kind in ("looks", "float64", "shapes")]
    for seconds in [(0.004, 0.0028, 0.3), (0.004, 0.0045, 0.4)]:
        own = [part._replace(seconds=s) for part, s in zip(parts, seconds, strict=True)]
        monkeypatch.setattr(Examination, "_slow_looks", lambda self, own=own: own)
        assert [one.kind for one in Examination(10).findings()] == ["shapes", "looks", "float64"]


def test_a_good_program():
    w, x = tf.Variable(tf.ones([6, 1])), tf.ones([5, 6])
    found, examination = examined(lambda: [step(w, x) for _ in range(12)])
    assert found == {}
    assert examination.advice().startswith("12 steps in ")
    assert examination.advice().endswith("nothing stands out")


def test_looks_in_a_loop():
    w, x = tf.Variable(tf.ones([7, 1])), tf.ones([5, 7])

    def program():
        for _ in range(10):
            loss = step(w, x)
            float(loss)  # first look
            w.numpy()
            if tf.reduce_max(x) > 0.0:  # second look
                pass

    found, _ = examined(program)
    looks = found["looks"]
    assert set(looks.lines) >= {place("first look"), place("second look")}
    assert "in each step" in looks.text
    assert "look at them now and then" in looks.advice


def test_one_look_in_each_step():
    w, x = tf.Variable(tf.ones([12, 1])), tf.ones([5, 12])

    def program():
        losses = []
        for _ in range(10):
            losses.append(step(w, x).numpy())  # kept losses

    assert examined(program)[0]["looks"].lines == (place("kept losses"),)


def test_one_look_in_a_hundred_steps_is_right():
    w, x = tf.Variable(tf.ones([7, 1])), tf.ones([5, 7])

    def program():
        for number in range(30):
            loss = step(w, x)
            if number % 10 == 0:
                float(loss)

    assert "looks" not in examined(program)[0]


def test_shapes_that_change():
    w = tf.Variable(tf.ones([8, 1]))
    # The last of them is still to be computed when the program ends.
    found, examination = examined(lambda: [step(w, tf.ones([n, 8])) for n in (20, 24, 21, 27, 22)])
    shapes = found["shapes"]
    assert shapes.lines == (place("shapes"),)
    assert "programs compiled for shapes (20, 8), (24, 8), (21, 8) and 1 more" in shapes.text
    assert "axis 0 was 20, 24, 21 and 1 more" in shapes.text
    assert "drop_remainder=True" in shapes.advice
    assert "pad it to (27, 8)" in shapes.advice
    assert "`np.pad(x, [(0, 27 - x.shape[0]), (0, 0)])`" in shapes.advice
    assert "1. " in examination.advice()
    assert "# shapes" in examination.advice()


def test_numbers_of_python_that_record_again():
    @tf.function
    def scaled(x, rate):
        return x * rate

    x = tf.ones([9])

    def program():
        for number in range(6):
            scaled(x, 0.1 * number)  # rate

    found, _ = examined(program)
    retraces = found["retraces"]
    assert retraces.lines == (place("rate"),)
    assert "recorded 6 times: rate was the float 0.4" in retraces.text
    assert retraces.advice.startswith("Pass a tensor, tf.constant(0.5")


def test_many_small_ops():
    w = tf.Variable(tf.ones([2]))

    def program():
        for _ in range(8):
            with tf.GradientTape() as tape:
                y = w
                for _ in range(400):
                    y = tf.sin(y) * 0.984375  # small
            tape.gradient(y, w)
            time.sleep(0.02)  # as Python that takes long

    found, _ = examined(program)
    assert place("small") in found["ops"].lines
    assert "@tf.function" in found["ops"].advice


def test_many_small_ops_without_a_tape():
    def program():
        x = tf.ones([13])
        for _ in range(8):
            for _ in range(400):
                x = tf.sin(x) * 0.984375  # no tape
            x.numpy()

    found, _ = examined(program)
    assert found["ops"].lines == (place("no tape"),)
    assert "ops outside of functions" in found["ops"].text
    assert "@tf.function" in found["ops"].advice


def test_float64_by_accident():
    w, noise = tf.Variable(tf.ones([10, 1])), np.random.default_rng(0)

    def program():
        for _ in range(5):
            wide = tf.constant(noise.normal(size=[10])) ** 2.0  # wide
            step(w, tf.ones([5, 10]), tf.cast(tf.reduce_mean(wide), tf.float32))

    found, _ = examined(program)
    assert found["float64"].lines[0] == place("wide")
    assert "tf.cast(x, tf.float32)" in found["float64"].advice


WIDE_PROGRAM = """
import numpy as np
import tapefacade as tf

w = tf.Variable(np.zeros([14, 1]))
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.convert_to_tensor(np.random.rand(5, 14)) @ w)  # all wide
    w.assign_sub(tape.gradient(loss, w))
"""


def test_float64_that_the_program_never_names(tmp_path):
    path = tmp_path / "wide.py"
    path.write_text(WIDE_PROGRAM, encoding="utf-8")
    found, _ = examined(lambda: exec(compile(WIDE_PROGRAM, str(path), "exec"), {}))
    assert f"{path}:8" in found["float64"].lines
    assert "never names" in found["float64"].text


def test_float64_on_purpose():
    w, x = tf.Variable(tf.ones([3, 1], tf.float64)), tf.ones([4, 3], tf.float64)
    found, _ = examined(lambda: [step(w, x, tf.ones([], tf.float64)) for _ in range(5)])
    assert "float64" not in found


def test_a_slow_dataset():
    w = tf.Variable(tf.ones([11, 1]))

    def slow():
        for _ in range(8):
            time.sleep(0.08)
            yield np.ones([4, 11], np.float32)

    data = tf.data.Dataset.from_generator(slow, output_signature=tf.TensorSpec([4, 11], tf.float32))

    def program():
        for x in data:  # dataset
            step(w, x)

    found, _ = examined(program)
    assert found["dataset"].lines == (place("dataset"),)
    assert "prefetch(tf.data.AUTOTUNE)" in found["dataset"].advice


def test_the_program_ends_after_some_steps():
    w, x, taken = tf.Variable(tf.ones([6, 1])), tf.ones([5, 6]), []

    def program():
        for number in range(100):
            step(w, x)
            taken.append(number)

    with pytest.raises(EnoughStepsError), Examination(4):
        program()
    assert len(taken) == 4
    assert tf.GradientTape.__enter__.__qualname__ == "GradientTape.__enter__"


def test_the_command(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import sys\n"
        "import tensorflow as tf\n"
        "w = tf.Variable(2.0)\n"
        "for number in range(1000):\n"
        "    with tf.GradientTape() as tape:\n"
        "        y = w * w\n"
        "    w.assign_sub(0.1 * tape.gradient(y, w))\n"
        "    print(float(y), float(tf.square(w)), sys.argv[1])\n"
    )
    done = command("doctor", "--steps", "20", "slow.py", "-x", folder=tmp_path)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 20
    assert done.stdout.startswith("4.0 2.56")
    assert done.stdout.splitlines()[0].endswith(" -x")
    head, first, line, advice = done.stderr.splitlines()[-4:]
    assert head.startswith("tapefacade doctor: slow.py: 20 steps in ")
    assert first.startswith("1. 40 looks at values, 2 in each step")
    assert line == "   slow.py:8  print(float(y), float(tf.square(w)), sys.argv[1])"
    assert advice.startswith("   Each look ends the program")
    done = command("doctor", "none.py", folder=tmp_path)
    assert done.returncode == 2
    assert "there is no file 'none.py'" in done.stderr
    assert command("doctor", "--steps", "0", "slow.py", folder=tmp_path).returncode == 2


def command(*arguments, folder):
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-m", "tapefacade", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
