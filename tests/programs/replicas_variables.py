"""Variables of strategies: how assignments in replicas come together, and checkpoints of them."""

import copy
import tempfile

from programs.program import caught
from programs.replicas import _float, _mirrored, _number

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def _made(tf, synchronization, aggregation, value=1.0):
    with _mirrored(tf, 2).scope():
        return tf.Variable(
            value, trainable=False,
            synchronization=tf.VariableSynchronization[synchronization],
            aggregation=tf.VariableAggregation[aggregation],
        )  # fmt: skip


def _assigned(tf, synchronization, aggregations):
    """What variables hold, outside and in replicas, after assignments of all kinds."""
    strategy = _mirrored(tf, 2)
    found = []
    for aggregation in aggregations:
        v = _made(tf, synchronization, aggregation)

        def seen(v=v):
            return caught(v.numpy), strategy.run(lambda: v + 0.0).values

        in_replicas = [
            lambda v=v: v.assign(_float(tf) + 5.0),
            lambda v=v: v.assign_add(_float(tf) + 1.0),
            lambda v=v: v.assign_sub(_float(tf) + 1.0),
            lambda v=v: v.assign_add(1.0),
            lambda v=v: v.assign(2.0),
        ]
        found.append(repr(v))
        for assign in in_replicas:

            def run(assign=assign):
                strategy.run(lambda: (assign(), None)[1])

            found.append((caught(run), seen()))
            in_function = getattr(caught(tf.function(run)), "name", None)
            found.append((in_function, seen()))
        found.append((caught(lambda v=v: (v.assign(6.0), None)[1]), seen()))
        found.append((caught(lambda v=v: (v.assign_add(1.0), None)[1]), seen()))

        def update(strategy, x, v=v):
            strategy.extended.update(v, lambda u, y: u.assign(y), args=(x,), group=False)

        def merge(update=update):
            context = tf.distribute.get_replica_context()
            context.merge_call(update, args=(_float(tf) * 3.0,))

        strategy.run(merge)
        found.append(seen())
        found.append([type(v).__name__, v.synchronization.name, v.aggregation.name])
    return found


def variables_kept_equal(tf, np):
    return _assigned(tf, "AUTO", ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"])


def variables_of_which_each_replica_has_its_own(tf, np):
    return _assigned(tf, "ON_READ", ["SUM", "MEAN", "ONLY_FIRST_REPLICA"])


def variables_of_integers(tf, np):
    strategy = _mirrored(tf, 2)
    total = _made(tf, "ON_READ", "SUM", tf.constant(3, tf.int64))
    found = [total.numpy()]
    strategy.run(lambda: (total.assign_add(2), None)[1])
    found.append(total.numpy())
    total.assign(6)
    found += [total.numpy(), strategy.run(lambda: total + 0).values]
    return found, caught(lambda: _made(tf, "AUTO", "MEAN", 3))


def rows_of_variables(tf, np):
    strategy = _mirrored(tf, 2)
    found = []
    for aggregation in ("NONE", "MEAN"):
        v = _made(tf, "AUTO", aggregation, [1.0, 2.0])

        def add(v=v):
            rows = tf.IndexedSlices(tf.reshape(_float(tf), [1]), tf.constant([0]))
            v.scatter_add(rows)

        def replace(v=v):
            rows = tf.IndexedSlices(tf.reshape(_float(tf), [1]), tf.constant([0]))
            v.scatter_update(rows)

        for change in (add, replace):
            found.append((caught(lambda c=change: strategy.run(c)), repr(v)))
    v.assign([0.0, 1.0])
    return found, repr(v), v + 1.0, v[0]


def gradients_of_variables(tf, np):
    strategy = _mirrored(tf, 2)
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])

    def replica():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w) * (_float(tf) + 1.0)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return gradient, w + 0.0, loss

    found = []
    for run in (strategy.run, tf.function(strategy.run)):
        found.append([value.values for value in run(replica)])
        found.append((repr(w), w.trainable, w.name))
    return found


def variables_made_in_replicas(tf, np):
    strategy, made = _mirrored(tf, 2), []

    def replica():
        if not made:
            made.append(tf.Variable([3.0, 4.0], name="lazy"))
        return made[0] * (_float(tf) + 1.0)

    values = tf.function(lambda: strategy.run(replica))().values
    return values, repr(made[0])


def checkpoints_hold_one_value(tf, np):
    strategy = _mirrored(tf, 2)
    mirrored, total = _made(tf, "AUTO", "NONE", [1.0, 2.0]), _made(tf, "ON_READ", "SUM", 0.0)

    def change():
        mirrored.assign(mirrored + 1.0)
        total.assign_add(_float(tf) + 1.0)

    with tempfile.TemporaryDirectory() as directory:
        checkpoint = tf.train.Checkpoint(m=mirrored, t=total)
        strategy.run(change)
        path = checkpoint.save(f"{directory}/c")
        shapes = sorted(tf.train.list_variables(path))
        strategy.run(change)
        before = mirrored.numpy(), total.numpy()
        checkpoint.restore(path)
        restored = mirrored.numpy(), total.numpy(), strategy.run(lambda: total + 0.0).values
        alone = [tf.Variable([0.0, 0.0]), tf.Variable(0.0)]
        tf.train.Checkpoint(m=alone[0], t=alone[1]).restore(path)
        alone[1].assign_add(7.0)
        back = tf.train.Checkpoint(m=alone[0], t=alone[1]).write(f"{directory}/d")
        tf.train.Checkpoint(m=mirrored, t=total).read(back)
        return (
            shapes, before, restored, alone[0].numpy(), mirrored.numpy(), total.numpy(),
            strategy.run(lambda: (total + 0.0, mirrored + 0.0, _number(tf)))[0].values,
        )  # fmt: skip


def values_of_replicas_assigned_outside(tf, np):
    strategy = _mirrored(tf, 2)
    own = strategy.run(lambda: _float(tf) + tf.constant([1.0, 2.0]))
    found = []
    for aggregation in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        v = _made(tf, "ON_WRITE", aggregation, [1.0, 2.0])
        for way in ("assign", "assign_add", "assign_sub"):
            for run in (lambda f: f(), lambda f: tf.function(f)()):
                run(lambda v=v, way=way: (getattr(v, way)(own), None)[1])
                found.append((way, repr(v)))
            getattr(v, way)([10.0, 20.0])  # adds to what each replica has
            found.append((way, repr(v), v + 0.0))
    return found


def rows_of_variables_in_all_ways(tf, np):
    strategy = _mirrored(tf, 2)
    found = []
    aggregations = ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"]
    ways = ["add", "sub", "mul", "div", "min", "max", "update"]
    for aggregation in aggregations:
        for way in ways:
            v = _made(tf, "AUTO", aggregation, [1.0, 2.0, 3.0])

            def inside(v=v, way=way):
                rows = tf.IndexedSlices(tf.reshape(_float(tf) + 2.0, [1]), tf.constant([1]))
                getattr(v, f"scatter_{way}")(rows)

            def outside(v=v, way=way):
                getattr(v, f"scatter_{way}")(tf.IndexedSlices(tf.constant([4.0]), tf.constant([0])))

            found.append((aggregation, way, caught(lambda f=inside: strategy.run(f)), repr(v)))
            found.append((caught(outside), repr(v)))
    v = _made(tf, "ON_READ", "SUM", [1.0, 2.0])
    rows = tf.IndexedSlices(tf.constant([4.0]), tf.constant([0]))
    return found, [caught(getattr(v, f"scatter_{way}"), rows) for way in ways]


def variables_without_synchronization(tf, np):
    return [caught(lambda kind=kind: _made(tf, "NONE", kind)).name for kind in ("NONE", "MEAN")]


def copies_of_variables(tf, np):
    strategy = _mirrored(tf, 2)
    found = []
    for kind in ("ON_WRITE", "ON_READ"):
        v = _made(tf, kind, "ONLY_FIRST_REPLICA" if kind == "ON_READ" else "NONE")
        strategy.run(lambda v=v: (v.assign(_float(tf) + 1.0), None)[1])
        other = copy.deepcopy(v)
        strategy.run(lambda v=other: (v.assign_add(10.0), None)[1])
        found += [repr(v), repr(other), type(other).__name__]
    return found


def variables_that_are_not_brought_together(tf, np):
    strategy, v = _mirrored(tf, 2), _made(tf, "ON_READ", "NONE", 2.0)
    strategy.run(lambda: (v.assign_add(_float(tf)), None)[1])
    statements = [
        v.numpy, v.read_value, v.value, lambda: v + 1.0, lambda: tf.convert_to_tensor(v),
        lambda: tf.reduce_sum(v),
    ]  # fmt: skip
    found = [caught(statement) for statement in statements]
    each = [value.numpy() for value in strategy.experimental_local_results(v)]
    return found, each, strategy.run(v.read_value).values, repr(v)


def variables_as_values_of_replicas(tf, np):
    strategy, found = _mirrored(tf, 2), []
    for kind in (("ON_READ", "SUM"), ("ON_READ", "MEAN"), ("AUTO", "NONE")):
        v = _made(tf, *kind, [1.0, 2.0])
        strategy.run(lambda v=v: (v.assign([_float(tf), 5.0]), None)[1])
        reduced = [
            strategy.reduce(way, v, axis=axis)
            for way in ("SUM", "MEAN")
            for axis in (None, 0)
            if kind[0] == "ON_READ"
        ]
        found.append((reduced, strategy.gather(v, 0)))
    return found
