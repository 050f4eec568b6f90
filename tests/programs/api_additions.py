"""Names that programs meet rarely: cross-device classes, metadata of summaries, traces, modules."""

import os
import tempfile

from programs.program import Caught, answers, caught


def cross_device_classes(tf, np):
    space = tf.distribute
    one = tf.constant(1.0)

    def reduced():
        ops = space.ReductionToOneDevice()
        strategy = space.MirroredStrategy(["CPU:0"], cross_device_ops=ops)
        with strategy.scope():
            v = tf.Variable(1.0)

        def replica():
            return v + 1

        @tf.function
        def step():
            return strategy.run(replica)

        return strategy.reduce("SUM", step(), axis=None)

    return answers(
        reduced,
        lambda: space.ReductionToOneDevice().reduce(space.ReduceOp.SUM, one, one),
        lambda: space.HierarchicalCopyAllReduce(num_packs=-1),
        lambda: space.NcclAllReduce(num_packs=-1),
        lambda: issubclass(space.NcclAllReduce, space.CrossDeviceOps),
    )


def metadata_of_summaries(tf, np):
    kind = tf.compat.v1.SummaryMetadata
    plugin = kind.PluginData(plugin_name="scalars", content=b"x")
    made = kind(plugin_data=plugin, summary_description="d", display_name="n")
    data = made.SerializeToString()
    return [
        kind().plugin_data.plugin_name, made.plugin_data.plugin_name, made.plugin_data.content,
        made.display_name, data, kind.FromString(data) == made, str(made),
    ]  # fmt: skip


def constants_of_saved_models(tf, np):
    space = tf.saved_model
    return {name: getattr(space, name) for name in dir(space) if name.isupper()}


def variables_in_build(tf, np):
    class FlexibleDense(tf.keras.layers.Layer):
        def __init__(self, out_features, **kwargs):
            super().__init__(**kwargs)
            self.out_features = out_features

        def build(self, input_shape):
            self.w = tf.Variable(tf.ones([input_shape[-1], self.out_features]), name="w")
            self.b = tf.Variable(tf.zeros([self.out_features]), name="b")

        def call(self, inputs):
            return tf.matmul(inputs, self.w) + self.b

    class TwoLayers(tf.keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.first, self.second = FlexibleDense(3), FlexibleDense(2)

        def call(self, x):
            return self.second(self.first(x))

    layer = FlexibleDense(3)
    before = len(layer.variables), len(layer.trainable_weights)
    y = layer(tf.constant([[2.0, 2.0], [3.0, 3.0]]))
    model = TwoLayers()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones([1, 3])) ** 2)
    model.compile("sgd", "mse")
    history = model.fit(np.ones([4, 3], "float32"), np.ones([4, 2], "float32"), verbose=0).history
    inputs = tf.keras.Input([3])
    functional = tf.keras.Model(inputs, FlexibleDense(2)(FlexibleDense(3)(inputs)))
    return [
        before, y, len(layer.variables), len(layer.trainable_weights),
        tape.gradient(loss, model.trainable_variables), len(model.variables), history["loss"],
        functional(tf.ones([1, 3])), len(functional.variables),
    ]  # fmt: skip


def weights_before_building(tf, np):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.weights.h5")
        for model in (tf.keras.Sequential([tf.keras.layers.Dense(2)]), Model()):
            for call in (model.save_weights, model.load_weights):
                answer = caught(call, path)
                text = answer.text.replace(folder, "") if isinstance(answer, Caught) else answer
                found.append([getattr(answer, "name", None), text])
    return found
