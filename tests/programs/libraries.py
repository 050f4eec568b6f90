"""What libraries written for TensorFlow ask beside the documented functions."""

from programs.program import caught


def shapes_to_broadcast(tf, np):
    of = tf.broadcast_dynamic_shape
    i, j, f = (tf.constant([2], t) for t in ("int32", "int64", "float32"))
    return {
        "empty and int32": of([], i),
        "empty and int64": of(j, []),
        "both empty": of([], []),
        "typed by nobody": of([], [3]),
        "empty array": of(np.zeros(0, np.float32), i),
        "empty long array": of(np.zeros(0, np.int64), i),
        "raw": tf.raw_ops.BroadcastArgs(s0=[], s1=i),
        "float": caught(lambda: of([2.0], [3])),
        "float tensor": caught(lambda: of(f[:0], i)),
    }


def distinct_parts(tf, np):
    x = tf.constant([[1, 2, 2], [1, 2, 2], [3, 4, 4]])
    nan = tf.constant([1.0, np.nan, np.nan, 2, 2])
    unique, counted = tf.raw_ops.UniqueV2, tf.raw_ops.UniqueWithCountsV2
    return {
        "rows": counted(x=x, axis=[0]),
        "columns": counted(x=x, axis=[1]),
        "last": counted(x=x, axis=[-1], out_idx=tf.int64),
        "axis of int64": unique(x=x, axis=tf.constant([1], tf.int64)),
        "vector": counted(x=tf.constant([1.0, 2, 2]), axis=[]),
        "nan": counted(x=nan, axis=[0]),
        "rows of nan": counted(x=tf.stack([nan, nan]), axis=[0]),
        "text": counted(x=tf.constant(["a", "b", "a"]), axis=[0]),
        "rows of text": unique(x=tf.constant([["a", "b"], ["a", "b"]]), axis=[0]),
        "no rows": counted(x=tf.zeros([0, 2]), axis=[0]),
        "cube": unique(x=tf.reshape(tf.constant([1, 2, 1, 2, 3, 4, 3, 4]), [2, 2, 2]), axis=[1]),
        "refused": [
            caught(lambda axis=axis: counted(x=x, axis=axis)) for axis in ([], [2], [0, 1], 0)
        ],
        "scalar": caught(lambda: counted(x=tf.constant(2.0), axis=[0])),
    }


def graphs_of_tensors(tf, np):
    found = {"outside": caught(lambda: tf.constant(1).graph)}

    @tf.function
    def ask(x):
        graph = tf.compat.v1.get_default_graph()
        found["inside"] = [x.graph is graph, tf.constant(1).graph is graph, (x + 1).graph is graph]
        return x

    ask(tf.constant(1))
    found["after"] = caught(lambda: ask(tf.constant(1)).graph)
    return found
