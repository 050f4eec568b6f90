"""Optimizers and the global step of TensorFlow 1: `tf.compat.v1.train`; sequences as tensors."""

import array
import collections

from programs.program import caught


def _steps(tf, optimizer, count=3, **kwargs):
    """The variables after some steps, and what the optimizer holds for them."""
    x, y = tf.Variable([[1.0, 2.0], [3.0, -4.0]], name="x"), tf.Variable(2.0, name="y")
    for _ in range(count):
        optimizer.minimize(lambda: tf.reduce_sum(x**2 * y) + y**3, **kwargs)
    slots = {
        name: tf.convert_to_tensor(optimizer.get_slot(x, name))
        for name in optimizer.get_slot_names()
    }
    held = [tf.convert_to_tensor(v) for v in optimizer.variables()]
    return {"x": x, "y": y, "slots": slots, "held": held, "name": optimizer.get_name()}


def optimizers(tf, np):
    v = tf.compat.v1.train
    return {
        "gradient descent": _steps(tf, v.GradientDescentOptimizer(0.01)),
        "a function": _steps(tf, v.GradientDescentOptimizer(lambda: tf.constant(0.02))),
        "adam": _steps(tf, v.AdamOptimizer(0.1)),
        "its arguments": _steps(tf, v.AdamOptimizer(0.1, 0.8, beta2=0.9, epsilon=0.1)),
        "adagrad": _steps(tf, v.AdagradOptimizer(0.1, initial_accumulator_value=0.5)),
    }


def steps_in_functions(tf, np):
    v = tf.compat.v1.train
    x = tf.Variable([1.0, 2.0], dtype=tf.float64)
    optimizer, count = v.AdamOptimizer(0.1), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(x, [1, 1]) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [x]), [x], strict=True), count)
        return loss

    return [step() for _ in range(3)], x, count


def gradients_of_losses(tf, np):
    x, optimizer = tf.Variable([1.0, 2.0]), tf.compat.v1.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(lambda: x**2, [x], grad_loss=tf.constant([1.0, 2.0]))
    rows = tf.IndexedSlices(tf.constant([3.0]), tf.constant([1]), tf.constant([2]))
    optimizer.apply_gradients([(rows, x)])
    adam, w = tf.compat.v1.train.AdamOptimizer(0.5, name="A"), tf.Variable(1.0, name="w")
    adam.apply_gradients([(tf.constant(1.0), w)])
    return {
        "gradient": pairs[0][0],
        "same": pairs[0][1] is x,
        "names": [slot.name for slot in adam.variables()],
        "none": optimizer.compute_gradients(lambda: tf.constant(1.0)),
        "slices": x,
    }


def wrong_arguments(tf, np):
    v, x = tf.compat.v1.train, tf.Variable([1.0, 2.0], name="x")
    o = v.GradientDescentOptimizer(0.5)
    return {
        "no function": caught(o.minimize, tf.constant(1.0)),
        "no variables": caught(o.apply_gradients, []),
        "no gradients": caught(o.apply_gradients, [(None, x)]),
        "no name": caught(v.Optimizer, True, None),
        "not positive": caught(v.AdagradOptimizer, 0.5, 0.0),
    }


def global_steps(tf, np):
    v = tf.compat.v1.train
    step, x = v.get_or_create_global_step(), tf.Variable(1.0)
    step.assign(4)
    v.GradientDescentOptimizer(0.5).apply_gradients([(1.0, x)], global_step=step)
    return {
        "step": step,
        "dtype": step.dtype.name,
        "same": v.get_global_step() is step and v.get_or_create_global_step() is step,
        "again": caught(v.create_global_step),
        "trainable": step.trainable,
    }


def dense_or_sparse(tf, np):
    convert = tf.compat.v1.convert_to_tensor_or_sparse_tensor
    sparse = tf.sparse.from_dense([1, 0])
    value = tf.compat.v1.SparseTensorValue([[0]], [1], [2])
    return {
        "dense": convert([1, 2], tf.float32),
        "sparse": convert(sparse) is sparse,
        "value": tf.sparse.to_dense(convert(value)),
        "wrong": caught(convert, sparse, tf.float32),
        "directory": isinstance(tf.compat.v1.test.get_temp_dir(), str),
    }


class Sequence:
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place]


class Iterable:
    def __iter__(self):
        return iter([1, 2])


def sequences(tf, np):
    given = {
        "integers": Sequence(1, 2),
        "floats": Sequence(1.0, 2.0),
        "nested": Sequence(Sequence(1), Sequence(2)),
        "in a list": [Sequence(1, 2), [3, 4]],
        "empty": Sequence(),
        "texts": Sequence("a", "b"),
        "deque": collections.deque([1, 2]),
        "UserList": collections.UserList([1, 2]),
        "array": array.array("d", [1.0, 2.0]),
        "bytes": bytearray(b"ab"),
    }
    refused = [{1: 2}, {1: 2}.keys(), {1, 2}, Iterable(), collections.OrderedDict(a=1)]
    return {
        **{name: tf.convert_to_tensor(value) for name, value in given.items()},
        "dtype": tf.constant(Sequence(1, 2), tf.float32),
        "operand": tf.constant([1.0, 2.0]) * Sequence(1.0, 2.0),
        "refused": [caught(tf.convert_to_tensor, value).name for value in refused],
    }


def moving_averages(tf, np):
    found = {}
    settings = {"plain": {}, "counted": {"num_updates": 3}, "variable": {"num_updates": 1},
                "no bias": {"zero_debias": True, "name": "mean"}}  # fmt: skip
    for name, given in settings.items():
        v, w = tf.Variable([1.0, 2.0], name=f"v_{name[0]}"), tf.Variable(3.0, name=f"w_{name[0]}")
        step = tf.Variable(1)
        given = {**given, "num_updates": step} if name == "variable" else given
        averages = tf.train.ExponentialMovingAverage(0.9, **given)
        first = [averages.average(v), averages.average_name(v), averages.apply([v, w])]
        v.assign([2.0, 4.0])
        step.assign_add(1)
        averages.apply([v])
        average = averages.average(v)
        found[name] = [
            first, average, averages.average(w), average.trainable, averages.name,
            averages.average_name(v), average.name, sorted(averages.variables_to_restore([v])),
        ]  # fmt: skip
    within = tf.train.ExponentialMovingAverage(0.5)
    v = tf.Variable([3.0, 4.0], name="inner")

    @tf.function
    def train(x):
        v.assign_add(x)
        within.apply([v])
        return within.average(v)

    found["in a function"] = [train(tf.ones(2)), train(tf.ones(2)), within.average(v), v]
    with tf.GradientTape() as tape:
        y = v * within.average(v)
    found["on a tape"] = tape.gradient(y, [v, within.average(v)])
    found["refused"] = [
        caught(lambda x=x: within.apply([x])) for x in (tf.constant(1.0), tf.Variable(1, name="n"))
    ]
    found["none"] = [within.apply(), within.apply([]), within.average(tf.Variable(1.0))]
    return found


def more_optimizers(tf, np):
    v, rate, x = tf.compat.v1.train, tf.Variable(0.0), tf.Variable([1.0, 2.0])
    ftrl = v.FtrlOptimizer(rate, beta=0.5)
    for number in (0.5, 0.1):
        rate.assign(number)
        ftrl.apply_gradients([(tf.constant([1.0, 2.0]), x)])
    return {
        "rates": x,
        "momentum": _steps(tf, v.MomentumOptimizer(0.01, 0.9)),
        "nesterov": _steps(tf, v.MomentumOptimizer(0.01, 0.9, use_nesterov=True)),
        "rmsprop": _steps(tf, v.RMSPropOptimizer(0.01)),
        "its arguments": _steps(tf, v.RMSPropOptimizer(0.01, 0.8, 0.5, 0.1)),
        "centered": _steps(tf, v.RMSPropOptimizer(0.01, centered=True, momentum=0.5)),
        "adadelta": _steps(tf, v.AdadeltaOptimizer(0.5, 0.9, 0.01)),
        "ftrl": _steps(tf, v.FtrlOptimizer(0.1)),
        "weights": _steps(
            tf,
            v.FtrlOptimizer(
                0.1, l1_regularization_strength=0.5, l2_regularization_strength=0.25,
                l2_shrinkage_regularization_strength=0.125,
            ),
        ),
        "power": _steps(tf, v.FtrlOptimizer(0.1, -0.25, beta=0.5)),
        "negative": caught(v.FtrlOptimizer, 0.1, l1_regularization_strength=-1.0),
        "positive": caught(v.FtrlOptimizer, 0.1, 1.0),
    }  # fmt: skip


def schedules(tf, np):
    v = tf.compat.v1.train
    step = tf.Variable(0)
    rates = {
        "exponential": v.exponential_decay(0.5, step, 10, 0.9),
        "stairs": v.exponential_decay(0.5, step, 10, 0.9, staircase=True),
        "natural": v.natural_exp_decay(0.5, step, 10, 0.9),
        "inverse": v.inverse_time_decay(0.5, step, 10, 0.9, True),
        "polynomial": v.polynomial_decay(0.5, step, 10, 0.1, 2.0),
        "cycle": v.polynomial_decay(0.5, step, 10, cycle=True),
        "cosine": v.cosine_decay(0.5, step, 20, 0.1),
        "restarts": v.cosine_decay_restarts(0.5, step, 5, 2.0, 0.5, 0.1),
        "equal restarts": v.cosine_decay_restarts(0.5, step, 5, 1.0),
        "linear cosine": v.linear_cosine_decay(0.5, step, 20, 2.0, 0.1, 0.01),
        "piecewise": v.piecewise_constant(step, [5, 15], [1.0, 0.5, 0.25]),
    }
    found = []
    for number in (0, 5, 10, 12, 16, 31):
        step.assign(number)
        found.append({name: rate() for name, rate in rates.items()})

    @tf.function
    def within(n):
        x = tf.constant(1.0, tf.float64)
        return v.exponential_decay(0.5, n, 10, 0.5), v.inverse_time_decay(x, n, 10, 1.0)

    x = tf.Variable(1.0)
    v.GradientDescentOptimizer(v.exponential_decay(0.5, 10, 10, 0.5)).apply_gradients([(1.0, x)])
    return {
        "rates": found,
        "within": within(tf.constant(5)),
        "used": x,
        "dtypes": caught(v.piecewise_constant, 1.0, [1], [1.0, 2.0]),
        "values": caught(v.piecewise_constant, 1, [1], [1.0, 2]),
        "lengths": caught(lambda: v.piecewise_constant(1, [1], [1.0])()),
    }
