"""Functions that share variables as in TensorFlow 1, their scopes, and the losses they had."""

from programs.program import answers, caught, in_a_new_directory


def _named(variables):
    return [variable.name for variable in variables]


def scopes_with_default_names(tf, np):
    v = tf.compat.v1

    def opened(name, default=None):
        with v.variable_scope(name, default) as scope:
            with v.variable_scope(None, "inner") as inner:
                pass
            return scope.name, inner.name, v.get_variable("w", [1]).name

    found = [opened(None, "layer"), opened(None, "layer"), opened("layer"), opened(None, "layer")]
    with v.variable_scope("outer") as outer:
        found += [opened(None, "layer"), opened(None, "layer")]
    with v.variable_scope("outer"):
        found += [opened(None, "layer")]
    with v.variable_scope(outer):
        found += [opened(None, "layer")]
    return found, caught(lambda: opened(None))


def variables_without_initializers(tf, np):
    v = tf.compat.v1
    tf.random.set_seed(1)
    return [
        v.get_variable("w", [2, 2]),
        v.get_variable("i", [2], tf.int32),
        v.get_variable("v", [3]),
    ]


def templates(tf, np):
    v = tf.compat.v1

    def scaled(x, times=1.0):
        w = v.get_variable("w", [2], initializer=v.ones_initializer())
        b = v.get_variable("b", [], trainable=False, initializer=v.zeros_initializer())
        return x * w * times + b

    def sized(n, dtype=None):
        return v.get_variable("w", [n], dtype)

    def nested(x):
        return first(x) * own(x) * v.get_variable("k", [], initializer=v.ones_initializer())

    def numbered(x):
        for _ in range(2):
            with v.variable_scope(None, "part"):
                x = x * v.get_variable("w", [], initializer=v.ones_initializer())
        return x

    first = v.make_template("scale", scaled, times=3.0)
    before = [first.variables, first.variable_scope_name]
    second, own = v.make_template("scale", scaled), v.make_template("own", scaled)
    with v.variable_scope("outer"):
        placed = v.make_template("scale", scaled, create_scope_now_=True)
    outer, parts, shaped = (
        v.make_template(name, function)
        for name, function in (("nested", nested), ("parts", numbered), ("sized", sized))
    )
    got = v.make_template(
        "got", scaled, custom_getter_=lambda getter, name, **kw: getter(name + "_own", **kw)
    )
    made_inside = v.make_template("inside", scaled)
    called = [first(2.0), first(3.0), second(1.0), placed(1.0), outer(2.0), outer(3.0), got(1.0)]
    called += [parts(1.0), parts(2.0)]
    shaped(2)
    inside = tf.function(made_inside)
    called += [inside(tf.constant(2.0)), inside(tf.constant(3.0))]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(first(2.0) ** 2)
    every = (first, second, placed, outer, own, parts, got, made_inside)
    return {
        "before": before,
        "called": called,
        "slope": tape.gradient(loss, first.trainable_variables),
        "variables": [_named(one.variables) for one in every],
        "trainable": [_named(one.trainable_weights) for one in every],
        "others": [_named(one.non_trainable_variables) for one in every],
        "scopes": [one.variable_scope_name for one in every],
        "names": [one.name for one in every],
        "refused": [
            caught(lambda: v.make_template(None, scaled)),
            caught(lambda: v.make_template("a", scaled, unique_name_="a")),
            *(
                caught(statement).text.partition("\n")[0]
                for statement in (lambda: shaped(3), lambda: shaped(2, tf.int32))
            ),
        ],
    }


@in_a_new_directory
def templates_are_saved(tf, np):
    v = tf.compat.v1

    def scaled(x, value):
        w = v.get_variable("w", [], initializer=v.constant_initializer(value))
        with v.variable_scope("deep"):
            return x * w * v.get_variable("u", [], initializer=v.constant_initializer(value))

    one, other = (v.make_template("scale", scaled, value=value) for value in (2.0, 3.0))
    before = one(1.0), other(1.0)
    path = tf.train.Checkpoint(scale=one).save("templates")
    tf.train.Checkpoint(scale=other).restore(path).assert_consumed()
    names = [name for name, _ in tf.train.list_variables(path) if "scale" in name]
    return before, other(1.0), names


def more_losses(tf, np):
    v = tf.compat.v1.losses
    y, x = [[1.0, 2.0, 4.0], [0.0, 1.0, 0.5]], [[2.0, 4.0, 4.0], [1.0, 0.0, 1.0]]
    w = tf.constant(x)
    pairwise = v.mean_pairwise_squared_error
    with tf.GradientTape() as tape:
        tape.watch(w)
        total = pairwise(y, w) + v.cosine_distance(y, w, 1)
    return tape.gradient(total, w), answers(
        lambda: v.cosine_distance(y, x, axis=1),
        lambda: v.cosine_distance(y, x, 1, [[0.5], [0.0]], reduction=v.Reduction.SUM),
        lambda: v.cosine_distance(y, x, dim=0, reduction=v.Reduction.NONE),
        lambda: v.cosine_distance(y, x),
        lambda: v.cosine_distance(None, x, 1),
        lambda: v.cosine_distance(y, x, 1, dim=1),
        lambda: v.cosine_distance(y, [1.0], 1),
        lambda: pairwise(y, x),
        lambda: pairwise(y, x, weights=2.0),
        lambda: pairwise(y, x, weights=0.0),
        lambda: tf.function(pairwise)(tf.constant(y), tf.constant(x)),
        lambda: pairwise(y, x, weights=[[1.0], [0.0]]),
        lambda: pairwise(y, x, weights=[[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]),
        lambda: pairwise([1.0, 3.0], [2.0, 1.0]),
        lambda: pairwise(y, x, weights=[1.0, 2.0, 3.0]),
        lambda: pairwise(y, None),
        lambda: pairwise(1.0, 2.0),
        lambda: v.absolute_difference(y, x, reduction="x"),
        lambda: v.add_loss(tf.constant(1.0)),
        v.get_losses,
        v.get_regularization_losses,
        v.get_regularization_loss,
        v.get_total_loss,
    )
