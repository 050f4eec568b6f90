"""What a tape records and gives: windows, watching, pauses, sources, targets."""

from programs.program import caught


def first_gradient(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    return {"value": y, "gradient": tape.gradient(y, x)}


def persistent(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x**2
        z = 1 / x
        w = x * [3.0, 4.0]
    return {
        "y": tape.gradient(y, x),
        "z": tape.gradient(z, x),
        "both": tape.gradient([y, z], x),
        "vector": tape.gradient(w, x),
        "y again": tape.gradient(y, x),
    }


def not_persistent(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return {
        "first": tape.gradient(y, x),
        "second": caught(lambda: tape.gradient(y, x)),
        "jacobian": caught(lambda: tape.jacobian(y, x)),
        "third": caught(lambda: tape.gradient(y, x)),
    }


def watching(tf, np):
    x, v, w = tf.constant(3.0), tf.Variable(2.0), tf.Variable(5.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        before = x * x
        tape.watch(x)
        after = x * x
        y = x * v * w
    return {
        "before": tape.gradient(before, x),
        "after": tape.gradient(after, x),
        "all": tape.gradient(y, [x, v, w]),
        "watched": [u.name for u in tape.watched_variables()],
    }


def watching_nests(tf, np):
    a, b, c = tf.constant(1.0), tf.constant([2.0]), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([a, {"b": b, "c": (c,)}])
        y = a * b * c
    return {
        "gradients": tape.gradient(y, {"a": a, "rest": [b, (c,)]}),
        "watched": [v.numpy() for v in tape.watched_variables()],
    }


def watching_after_use(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(y)
        tape.watch(x)
        z = y * x
    return tape.gradient(z, [x, y])


def watching_an_intermediate(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return {
        "z y": tape.gradient(z, y),
        "z x": tape.gradient(z, x),
        "both": tape.gradient(z, [x, y]),
        "target itself": tape.gradient(z, z),
        "target and others": tape.gradient(z, [z, y, x]),
        "y z": tape.gradient(y, z),
    }


def unwatched_intermediate(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = y * y
    return tape.gradient(z, [x, y])


def intermediates_used_twice(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 2.0
        a = tf.reduce_sum(y * y)
        b = a * tf.reduce_sum(x)
        c = a + b * tf.reduce_sum(y)
    return {
        "c": tape.gradient(c, [x, y, a, b]),
        "c b": tape.gradient([c, b], [x, y, a, b]),
        "a": tape.gradient(a, [b, c, x]),
    }


def no_automatic_watching(tf, np):
    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
    return {"gradient": tape.gradient(ys, {"x0": x0, "x1": x1}), "n": len(tape.watched_variables())}


def not_trainable_can_be_watched(tf, np):
    v = tf.Variable(3.0, trainable=False, name="frozen")
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    return {"gradient": tape.gradient(y, v), "watched": [u.name for u in tape.watched_variables()]}


def order_of_watched_variables(tf, np):
    a, b, c, d = (tf.Variable(1.0, name=n) for n in "abcd")
    with tf.GradientTape() as tape:
        y = c * a
        tape.watch(d)
        z = y + b + a + c
    return {
        "names": [v.name for v in tape.watched_variables()],
        "type": type(tape.watched_variables()).__name__,
        "same objects": [tape.watched_variables()[0] is a, tape.watched_variables()[3] is d],
        "gradient": tape.gradient(z, tape.watched_variables()),
    }


def watched_without_use(tf, np):
    x, t = tf.Variable(3.0, name="x"), tf.Variable(5.0, name="t")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        z = x * x
        tape.watch(t)
    return {"names": [v.name for v in tape.watched_variables()], "dt": tape.gradient(z, t)}


def watched_by_assignment_only(tf, np):
    v, w, u = (tf.Variable(1.0, name=n) for n in "vwu")
    with tf.GradientTape() as tape:
        v.assign(2.0)
        w.assign_add(1.0)
        u.read_value()
    return [x.name for x in tape.watched_variables()]


def stop_recording(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * y
        with tape.stop_recording():
            zz = x * x + y * y
        w = z * zz
    return {
        "z": tape.gradient(z, [x, y]),
        "zz": tape.gradient(zz, [x, y]),
        "w": tape.gradient(w, [x, y]),
        "zz itself": tape.gradient(w, [z, zz]),
    }


def stop_recording_and_watching(tf, np):
    x, t = tf.Variable(3.0, name="x"), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        with tape.stop_recording():
            tape.watch(t)
            unseen = x * t
        seen = t * t
    return {
        "t": tape.gradient(seen, t),
        "unseen": tape.gradient(unseen, [x, t]),
        "watched": [v.name for v in tape.watched_variables()],
    }


def gradient_while_stopped(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
        z = first * x
    return {"first": first, "z": tape.gradient(z, x)}


def stop_recording_not_persistent(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
        z = y * x
    return {"first": first, "again": caught(lambda: tape.gradient(z, x))}


def stop_recording_with_an_error(tf, np):
    x = tf.Variable(3.0)

    def fail(tape):
        with tape.stop_recording():
            raise KeyError("inside")

    with tf.GradientTape() as tape:
        told = caught(fail, tape)
        y = x * x
    return {"told": told, "gradient": tape.gradient(y, x)}


def reset(tf, np):
    x = tf.constant(3.0)
    v = tf.Variable(2.0, name="v")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
        tape.reset()
        seen = [u.name for u in tape.watched_variables()]
        z = x * x
        w = y * v
    return {
        "seen": seen,
        "z": caught(lambda: tape.gradient([z, y, w], [x, v, y])),
        "after": [u.name for u in tape.watched_variables()],
    }


def reset_and_watch_again(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        y = y + x * 5.0
    return tape.gradient(y, x)


def reset_outside(tf, np):
    tape = tf.GradientTape()
    never = caught(tape.reset)
    with tape:
        inside = caught(tape.reset)
    return {"never": never, "inside": inside, "after": caught(tape.reset)}


def entering_again(tf, np):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = x * y
    return {"z": tape.gradient(z, [x, y])}


def entering_again_persistent(tf, np):
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    w = y * 2.0
    with tape:
        z = x * y
        u = w * y
    return {"z": tape.gradient(z, x), "w": tape.gradient(w, x), "u": tape.gradient(u, [x, w, y])}


def entering_after_a_gradient(tf, np):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    first = tape.gradient(y, x)
    with tape:
        tape.watch(x)
        z = x * x * x
    return {"first": first, "second": caught(lambda: tape.gradient(z, x))}


def entering_an_active_tape(tf, np):
    def enter():
        with tf.GradientTape() as tape, tape:
            pass

    x = tf.constant(2.0)
    told = caught(enter)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return {"told": told, "next": tape.gradient(y, x)}


def stop_recording_outside(tf, np):
    def stop(tape):
        with tape.stop_recording():
            return "inside"

    tape = tf.GradientTape()
    never = caught(stop, tape)
    with tape:
        inside = caught(stop, tape)
    return {"never": never, "inside": inside, "after": caught(stop, tape)}


def watching_outside(tf, np):
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    never = caught(tape.watch, x)
    with tape:
        y = x * x
    after = caught(tape.watch, x)
    z = x * x
    return {"never": never, "after": after, "y": tape.gradient([y, z], x)}


def gradient_of_an_empty_tape(tf, np):
    x = tf.constant(2.0)
    return {
        "never entered": caught(lambda: tf.GradientTape().gradient(x, x)),
        "persistent": caught(lambda: tf.GradientTape(persistent=True).gradient(x, x)),
        "watched variables": caught(lambda: tf.GradientTape().watched_variables()),
    }


def several_tapes_in_one_with(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as for_x, tf.GradientTape() as for_y:
        for_x.watch(x)
        for_y.watch(y)
        z = x * y
    return {"x": for_x.gradient(z, x), "y": for_y.gradient(z, y)}


def independent_tapes(tf, np):
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        ys = tf.math.sin(x0) + tf.nn.sigmoid(x1)
    return {"x0": tape0.gradient(ys, x0), "x1": tape1.gradient(ys, x1)}


def overlapping_windows(tf, np):
    x = tf.constant(2.0)
    a, b = tf.GradientTape(persistent=True), tf.GradientTape(persistent=True)
    a.__enter__()
    a.watch(x)
    y = x * x
    b.__enter__()
    b.watch(x)
    z = y * x
    a.__exit__(None, None, None)
    w = z * x
    b.__exit__(None, None, None)
    return {
        "a": [a.gradient(t, x) for t in (y, z, w)],
        "b": [b.gradient(t, x) for t in (y, z, w)],
        "b y": b.gradient(w, y),
    }


def an_error_leaves_no_tape_open(tf, np):
    x = tf.Variable(2.0)

    def fail():
        with tf.GradientTape() as tape:
            kept.append((tape, x * x))
            raise KeyError("inside")

    kept = []
    told = caught(fail)
    (tape, y), later = kept[0], x * 3.0
    return {"told": told, "gradient": tape.gradient([y, later], x)}


def deleting_the_tape(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    g = tape.gradient(y, x)
    del tape
    return g


def variable_assigned_inside(tf, np):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        before = v * v
        v.assign(v * 2)
        after = v * v
    return {
        "before": tape.gradient(before, v),
        "after": tape.gradient(after, v),
        "both": tape.gradient([before, after], v),
        "now": v,
    }


def variable_assigned_after(tf, np):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    v.assign(100.0)
    return {"gradient": tape.gradient(y, v), "y": y, "v": v}


def state_blocks_history(tf, np):
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    return {"gradient": tape.gradient(y, [x0, x1]), "y": y}


def control_flow(tf, np):
    x, v0, v1 = tf.constant(1.0), tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    return {"v": tape.gradient(result, [v0, v1]), "x": tape.gradient(result, x)}


def loops(tf, np):
    def f(x, n):
        output = 1.0
        for i in range(n):
            if 1 < i < 5:
                output = tf.multiply(output, x)
        return output

    def grad(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            out = f(x, n)
        return caught(lambda: tape.gradient(out, x))

    x = tf.convert_to_tensor(2.0)
    return [grad(x, n) for n in (3, 4, 5, 6)]


def loop_on_values(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, steps = x, 0
        while y < 100.0:
            y = y * x
            steps += 1
    return {"y": y, "steps": steps, "gradient": tape.gradient(y, x)}


def same_value_twice(tf, np):
    """Two tensors that hold the same numbers are two sources."""
    a = np.array([1.0, 2.0], np.float32)
    x, y = tf.constant(a), tf.constant(a)
    v, w = tf.Variable(a), tf.Variable(a)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x * y + v * w * w
    return tape.gradient(z, [x, y, v, w])


def the_same_source_twice(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [x, x, {"x": x}])


def identity_makes_another_tensor(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        i = tf.identity(x)
        c = tf.convert_to_tensor(x)
        y = i * i * c
    return tape.gradient(y, [x, i, c])


def reading_a_variable(tf, np):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        a, b = v.read_value(), v.value()
        c = tf.convert_to_tensor(v)
        d = tf.identity(v)
        y = a * b * c * d
    return {
        "v": tape.gradient(y, v),
        "reads": tape.gradient(y, [a, b, c, d]),
        "read by read": [tape.gradient(t, v) for t in (a, b, c, d)],
    }


def a_read_made_before_the_tape(tf, np):
    v = tf.Variable(3.0)
    early = v.read_value()
    with tf.GradientTape() as tape:
        y = early * v
    return tape.gradient(y, [v, early])


def a_training_loop(tf, np):
    w, b = tf.Variable([[0.5], [-0.25]]), tf.Variable([0.0])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]])
    y = tf.constant([[1.0], [2.0], [3.0]])
    losses = []
    for step in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 / (step + 1) * dw)
        b.assign_sub(0.1 / (step + 1) * db)
        losses.append(loss)
    return {"losses": losses, "w": w, "b": b}
