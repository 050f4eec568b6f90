"""`tf.Module`, and the scopes of names and of creators of variables."""

from programs.program import caught


def _classes(tf):
    class Dense(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b", trainable=False)

        @tf.Module.with_name_scope
        def __call__(self, x):
            if not hasattr(self, "late"):
                self.late = tf.Variable(1.0, name="late")
            return x @ self.w + self.b

    class TwoLayerNet(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.layers = [Dense(2, 3), Dense(3, 1, name="last")]
            self.d = {"z": tf.Variable(1.0, name="z"), "a": Dense(1, 1)}
            self.t = (tf.Variable(2.0), [tf.Variable(3.0)])
            with self.name_scope:
                self.scoped = tf.Variable(4.0, name="scoped")
            self.none, self.number, self.alias, self.me = None, 3, self.layers[0], self

    return Dense, TwoLayerNet


def variables(tf, np):
    dense, net = _classes(tf)
    m = net()
    found = {
        "names": [m.name, m.name_scope.name, dense(1, 1, name="abc").name],
        "variables": [(v.name, v.shape) for v in m.variables],
        "trainable": [v.name for v in m.trainable_variables],
        "others": [v.name for v in m.non_trainable_variables],
        "submodules": [s.name for s in m.submodules],
        "called": m.layers[0](tf.ones([1, 2])),
        "late": m.layers[0].late.name,
        "after the call": [v.name for v in m.variables],
        "paths": [
            "/".join(map(str, path))
            for path, _ in m._flatten(
                recursive=False, with_path=True, predicate=lambda v: isinstance(v, tf.Variable)
            )
        ],
        "bad name": caught(lambda: dense(1, 1, name="1 x")),
    }
    m.layers.append(tf.Variable(9.0, name="nine"))
    found["appended"] = [v.name for v in m.variables if "nine" in v.name]
    return found


def classes(tf, np):
    class CamelCaseHTTPServer2D(tf.Module):
        pass

    class WithoutInit(tf.Module):
        def __init__(self):
            self.v = tf.Variable(1.0)

    class Ignoring(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES | {"skip"}

        def __init__(self):
            super().__init__()
            self.skip, self.keep = tf.Variable(1.0, name="skip"), tf.Variable(1.0, name="keep")
            self._private = tf.Variable(1.0, name="private")

    return {
        "camel": CamelCaseHTTPServer2D().name,
        "without init": [len(WithoutInit().variables), caught(lambda: WithoutInit().name)],
        "ignored": [v.name for v in Ignoring().variables],
    }


def training(tf, np):
    _, net = _classes(tf)
    m = net()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(m.layers[1](m.layers[0](tf.ones([2, 2]))) ** 2)
    gradients = tape.gradient(loss, m.trainable_variables)
    return {"loss": loss, "gradients": gradients}


def names(tf, np):
    found = []
    with tf.name_scope("a") as outer:
        found += [outer, tf.Variable(1.0, name="v").name]
        with tf.name_scope("b") as inner:
            found += [inner, tf.Variable(1.0).name, tf.get_current_name_scope()]
        with tf.name_scope("") as none:
            found += [none, tf.Variable(1.0, name="q").name]
        with tf.name_scope("c/") as whole:
            found += [whole]
        found += [tf.get_current_name_scope()]
    scope = tf.name_scope("twice")
    with scope, scope as nested:
        found += [nested]
    return {
        "found": found,
        "outside": tf.get_current_name_scope(),
        "name": scope.name,
        "none": caught(lambda: tf.name_scope(None)),
        "number": caught(lambda: tf.name_scope(1)),
    }


def creators(tf, np):
    asked = []

    def creator(tag):
        def create(next_creator, **kwargs):
            asked.append((tag, sorted(kwargs)))
            kwargs["name"] = f"{tag}_{kwargs['name']}"
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(creator("outer")), tf.variable_creator_scope(creator("inner")):
        v = tf.Variable(1.0, trainable=False, name="v")
    return {"asked": asked, "variable": v, "after": tf.Variable(2.0, name="w")}


def init_scope(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        with tf.init_scope():
            y = x * x
        z = x * 3.0
    return tape.gradient([y, z], x)
