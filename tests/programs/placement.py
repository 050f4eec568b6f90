"""Names of devices, and what orders ops: DeviceSpec, tf.device, group, control dependencies."""

import pickle

from programs.program import caught


def device_specs(tf, np):
    spec = tf.DeviceSpec
    names = [
        "/job:worker/replica:1/task:2/device:GPU:3",
        "/gpu:0",
        "CPU:0",
        "/device:CPU:*",
        "",
        "/job:a",
        "/job:ps/task:0/cpu:0",
        "/job:a/job:b",
        "GPU",
        "nonsense",
        "/device:GPU",
        "/task:x",
        "/cpu:0/gpu:0",
    ]
    some = spec(job="w", device_type="gpu", device_index=1)
    merged = some.make_merged_spec(spec(task=4, device_type="CPU", device_index=0))
    return {
        "texts": [caught(lambda name=name: spec.from_string(name).to_string()) for name in names],
        "repr": [repr(some), str(some), repr(spec.from_string(names[0]))],
        "parts": [some.job, some.replica, some.task, some.device_type, some.device_index],
        "replace": some.replace(task=3).to_string(),
        "merged": [merged.to_string(), some.make_merged_spec(spec()).to_string()],
        "parse_from_string": some.parse_from_string("/cpu:0").to_string(),
        "equal": [some == spec("w", None, None, "GPU", 1), some == spec("w"), some == 1],
        "hash": hash(some) == hash(spec("w", None, None, "GPU", 1)),
        "numbers": [spec(device_type="CPU", device_index="1").to_string(), spec(job=1).job],
        "wrong": caught(lambda: spec(task="a")),
        "pickled": pickle.loads(pickle.dumps(some)) == some,
        "others": spec(device_type="tpu").to_string(),
    }


def blocks_on_devices(tf, np):
    def within(name):
        with tf.device(name):
            return (tf.constant([1.0, 2.0]) + 1.0).device

    names = ["CPU:0", "/cpu:0", "", None, "cpu", "/GPU:7", "TPU:0", "/device:CPU:*", 3, "nonsense"]
    names += ["/device:GPU", "GPU:x", "/job:a", tf.DeviceSpec(device_type="GPU"), lambda op: "cpu"]
    return [caught(within, name) for name in names]


def order(tf, np):
    called = []

    def after(*inputs):
        with tf.control_dependencies(*inputs):
            return tf.constant(1)

    pair = [tf.constant(1), None]
    return {
        "group": [tf.group(tf.constant(1), [tf.constant(2)]), tf.group(), tf.group(None, name="a")],
        "no_op": tf.no_op(),
        "tuple": [tf.tuple(pair), tf.tuple(pair) is pair, tf.tuple([1, 2])],
        "after": [after([tf.constant(1)]), after(None), after([]), after([1])],
        "wrong": [caught(after, 1), caught(after, len)],
        "called": [after([lambda: called.append(1)]), len(called)],
    }


def static_values(tf, np):
    values = [tf.constant([1, 2]), 1, tf.Variable(1.0), [1, 2], None, np.ones(2)]
    return {
        "values": [tf.get_static_value(value) for value in values],
        "partial": tf.get_static_value(tf.constant([1, 2]), partial=True),
        "symbolic": [tf.is_symbolic_tensor(value) for value in values],
    }


def functions_as_they_are(tf, np):
    autograph = tf.autograph

    def absolute(x):
        if x > 0:
            return x
        return -x

    kept = autograph.experimental.do_not_convert
    feature = autograph.experimental.Feature
    x = tf.constant(-2.0)
    return {
        "to_graph": autograph.to_graph(absolute)(x),
        "do_not_convert": [kept(absolute)(x), kept()(absolute)(x), kept(absolute).__name__],
        "nothing": [
            autograph.set_verbosity(0),
            autograph.experimental.set_loop_options(maximum_iterations=3),
        ],
        "features": [repr(feature.ALL), len(feature.all()), len(feature.all_but(feature.LISTS))],
        "without code": [
            caught(autograph.to_code, 3).text,
            caught(autograph.to_graph, 3).text,
        ],
    }


def aggregation(tf, np):
    method = tf.AggregationMethod
    return [
        method.ADD_N,
        method.DEFAULT,
        method.EXPERIMENTAL_TREE,
        method.EXPERIMENTAL_ACCUMULATE_N,
    ]
