"""Blocks of tapes that are entered again after values have been looked at."""

from programs.program import caught


def looked_at(tf, np):
    x, w = tf.Variable([1.0, 2.0, 3.0]), tf.constant([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(w)
        y = tf.linalg.matvec(w, x * x)
    looked = y.numpy()
    outside = y * 3.0
    with tape:
        z = tf.exp(y * 0.1) * x[:2]
        through = outside * 2.0
    return {
        "values": [looked, z, through],
        "gradients": tape.gradient(z, [x, w, y]),
        "first block": tape.gradient(y, [x, w]),
        "not recorded": [tape.gradient(through, x) is None, tape.gradient(through, outside)],
        "jacobian": tape.jacobian(z, x),
        "watched": len(tape.watched_variables()),
    }


def in_a_loop(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cumsum(x * x)
    sums = []
    for i in range(3):
        with tape:
            y_i = y[i] * tf.cast(i + 1, tf.float32)
        sums.append(float(tf.reduce_sum(tape.gradient(y_i, x))))
    with tape:
        total = tf.add_n([y[0], y[1]])
    return {"sums": sums, "total": tape.gradient(total, x)}


def assigned_between(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * v
    found = [float(y)]
    v.assign(5.0)
    found.append(v.numpy())
    with tape:
        z = y * v
    v.assign_add(1.0)
    found.append(v.numpy())
    return {"found": found, "z": z, "gradients": tape.gradient(z, [x, v, y]), "v": v}


def random_numbers(tf, np):
    tf.random.set_seed(3)
    x = tf.Variable(tf.ones([4]))
    with tf.GradientTape() as tape:
        noisy = x * tf.random.normal([4])
    first = noisy.numpy()
    more = tf.random.normal([2]).numpy()
    with tape:
        loss = tf.reduce_sum(noisy * noisy)
    return {"values": [first, more, loss], "gradient": tape.gradient(loss, x)}


def other_tapes(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        y = x * x
    looked = [float(y)]
    with tf.GradientTape() as third:
        q = x * y
    looked.append(float(q))
    with first:
        z = y * q
    looked.append(float(z))
    with second:
        u = z * y
    return {
        "looked": looked,
        "first": first.gradient(z, x),
        "second": second.gradient(u, x),
        "third": third.gradient(q, x),
    }


def orders(tf, np):
    x = tf.Variable(1.5)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = x**4
        slope = inner.gradient(y, x)
    looked = float(slope)
    with outer:
        bent = slope * x
    return {"looked": looked, "second": outer.gradient(bent, x), "plain": outer.gradient(slope, x)}


def rows_and_rules(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda upstream: 5.0 * upstream

    with tf.GradientTape() as tape:
        rows = doubled(tf.gather(table, [2, 0]))
    looked = rows.numpy()
    with tape:
        loss = tf.reduce_sum(rows * rows)
    return {"looked": looked, "gradient": tf.convert_to_tensor(tape.gradient(loss, table))}


def reset_and_used(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    float(y)
    with tape:
        tape.reset()
        z = x * y
    gone = [tape.gradient(z, y) is None, caught(lambda: tape.gradient(z, x))]
    with tape:
        u = x * z
    return {"gone": gone, "used": tape.gradient(u, x)}


def in_bodies(tf, np):
    x, matrix = tf.Variable([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.linalg.matvec(matrix, x * x)

    def row(i):
        with tape:
            y_i = tf.gather(y, i)
        return tape.gradient(y_i, x)

    return {
        "vectorized": tf.vectorized_map(row, tf.range(3)),
        "mapped": tf.map_fn(row, tf.range(3), fn_output_signature=tf.float32),
    }


def used_once_for_all_rows(tf, np):
    x, matrix = tf.Variable([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def tape_and_target():
        with tf.GradientTape() as tape:
            y = tf.linalg.matvec(matrix, x * x)
        return tape, y

    def row(i):
        with entered:
            y_i = tf.gather(y, i)
        return entered.gradient(y_i, x, unconnected_gradients="zero")

    entered, y = tape_and_target()
    given, z = tape_and_target()
    return {
        "entered": tf.vectorized_map(row, tf.range(3)),
        "given": tf.vectorized_map(lambda up: given.gradient(z, x, output_gradients=up), tf.eye(3)),
        "used": [caught(tape.gradient, y, x) for tape in (entered, given)],
    }
