"""tf.RaggedTensor: how ragged tensors are made, what they tell, how they are shown."""

import textwrap

from programs.program import caught


def told(tf, value):
    """What is known of a value, ragged tensors taken apart."""
    if isinstance(value, tf.RaggedTensor):
        return {
            "shape": str(value.shape),
            "splits": [str(splits.numpy().tolist()) for splits in value.nested_row_splits],
            "of": value.row_splits.dtype.name,
            "values": value.flat_values,
        }
    if isinstance(value, list | tuple):
        return type(value)(told(tf, item) for item in value)
    if isinstance(value, tf.IndexedSlices):
        return tf.convert_to_tensor(value)
    return value


def gradients(tf, function, *values):
    """The gradients of a function of tensors and ragged tensors."""
    sources = [v if isinstance(v, tf.RaggedTensor) else tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch([v.flat_values if isinstance(v, tf.RaggedTensor) else v for v in sources])
        result = function(*sources)
        if isinstance(result, tf.RaggedTensor):
            result = result.flat_values
    return tape.gradient(result, sources)


def answers(tf, np, text):
    """What each line of a text evaluates to; `name = expression` names a value."""
    names = {"tf": tf, "np": np, "R": tf.RaggedTensor, "c": tf.ragged.constant, "t": tf.constant}
    names["G"] = lambda function, *values: gradients(tf, function, *values)
    found = {}
    for line in textwrap.dedent(text).strip().splitlines():
        name, _, expression = line.partition(" = ")
        if expression and name.isidentifier():
            names[name] = eval(expression, names)
        else:
            found[line] = caught(lambda line=line: told(tf, eval(line, names)))
    return found


def from_row_splits(tf, np):
    return answers(
        tf,
        np,
        """
        inner = R.from_row_splits([1, 2, 3], t([0, 2, 3]))
        R.from_row_splits([1, 2, 3], [0, 2, 3])
        R.from_row_splits([1, 2, 3], t([0, 2, 3]))
        R.from_row_splits([1, 2, 3], np.array([0, 2, 3], np.int32))
        R.from_row_splits([1, 2, 3], tf.Variable([0, 2, 3]))
        R.from_row_splits(tf.Variable([1, 2, 3]), [0, 2, 3])
        R.from_row_splits(["a", "b"], [0, 0, 2])
        R.from_row_splits([[1, 2], [3, 4]], [0, 0, 2])
        R.from_row_splits(inner, [0, 2])
        R.from_row_splits(inner, np.array([0, 2]))
        R.from_row_splits(inner, t([0, 2], tf.int64))
        R.from_row_splits([], [0])
        R.from_row_splits([1, 2, 3], [0, 2, 4])
        R.from_row_splits([1, 2, 3], [1, 2, 3])
        R.from_row_splits([1, 2, 3], [0, 3, 2, 3])
        R.from_row_splits([1, 2, 3], [0, 1, 2, 1, 0, 1, 3])
        R.from_row_splits([1, 2, 3], [])
        R.from_row_splits([1, 2, 3], [0.0, 3.0])
        R.from_row_splits([1, 2, 3], [[0, 3]])
        R.from_row_splits([1, 2, 3], 3)
        R.from_row_splits([1, 2, 3], ["a"])
        R.from_row_splits([1, 2, 3], None)
        R.from_row_splits(None, [0, 2])
        R.from_row_splits(3, [0, 3])
        R.from_row_splits([1, 2, 3], t([0, 2, 3], tf.int16))
        R.from_row_splits([1, 2, 3], [0, 2, 4], validate=False).row_splits
        R.from_row_splits([1, 2, 3], [0, 2, 3], validate=3)
        """,
    )


def from_others(tf, np):
    return answers(
        tf,
        np,
        """
        R.from_row_lengths([1, 2, 3], [2, 0, 1, 0])
        R.from_row_lengths([], [])
        R.from_row_lengths([1, 2, 3], [2, 2])
        R.from_row_lengths([1, 2, 3], [4, -1])
        R.from_row_lengths([1, 2, 3], [3.0])
        R.from_value_rowids([1, 2, 3], [0, 0, 2])
        R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5)
        R.from_value_rowids([1, 2, 3], t([0, 0, 2]), t(5))
        R.from_value_rowids([], [], 2)
        R.from_value_rowids([1, 2, 3], [0, 0, 2], 2)
        R.from_value_rowids([1, 2, 3], [0, 0, 2], -1)
        R.from_value_rowids([1, 2, 3], [0, 0, 2], [5])
        R.from_value_rowids([1, 2, 3], [0, 0, 2], t(5))
        R.from_value_rowids([1, 2, 3], [0, 2, 1])
        R.from_value_rowids([1, 2, 3], [0, 2])
        R.from_value_rowids([1, 2, 3], [-1, 0, 1])
        R.from_value_rowids([1, 2, 3], [0.0, 1.0, 2.0])
        R.from_row_starts([1, 2, 3], [0, 2, 2])
        R.from_row_starts([], [])
        R.from_row_starts([1, 2, 3], [1, 2, 2])
        R.from_row_starts([1, 2, 3], [0, 2, 4])
        R.from_row_starts([1, 2, 3], [0, 2, 1])
        R.from_row_limits([1, 2, 3], [0, 2, 3])
        R.from_row_limits([1, 2, 3], [0, 2])
        R.from_row_limits([1, 2, 3], [0, 2, 1])
        R.from_row_limits([1, 2, 3], [-1, 3])
        R.from_uniform_row_length([1, 2, 3, 4], 2)
        R.from_uniform_row_length([1, 2, 3, 4], t(2))
        R.from_uniform_row_length(R.from_row_splits([1, 2, 3], [0, 2, 3]), 2)
        R.from_uniform_row_length(R.from_row_splits([1, 2, 3], [0, 2, 3]), 2).uniform_row_length
        R.from_uniform_row_length([], 0, nrows=5)
        R.from_uniform_row_length([1, 2, 3, 4], 3)
        R.from_uniform_row_length([1, 2, 3, 4], 2, nrows=3)
        R.from_uniform_row_length([1, 2, 3, 4], -2)
        R.from_uniform_row_length([1, 2, 3, 4], 2.0)
        R.from_uniform_row_length([1, 2, 3, 4], [2])
        R([1, 2, 3], [0, 3])
        """,
    )


def from_nested(tf, np):
    return answers(
        tf,
        np,
        """
        R.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
        R.from_nested_row_splits(t([1, 2, 3]), [])
        R.from_nested_row_splits([1, 2, 3], t([[0, 2], [0, 1]]))
        R.from_nested_row_splits([1, 2, 3], [0, 3])
        R.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        R.from_nested_row_lengths([1, 2, 3], t([1, 2]))
        R.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]])
        R.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]], [4, 2])
        R.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]], [4])
        R.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]], t([4, 2]))
        """,
    )


def from_tensor(tf, np):
    return answers(
        tf,
        np,
        """
        x = [[1, 0], [0, 4], [0, 0], [5, 6]]
        y = [[[1, 0], [0, 0]], [[0, 0], [0, 0]]]
        R.from_tensor(x)
        R.from_tensor(x, lengths=[1, 2, 0, 5])
        R.from_tensor(x, lengths=[-1, 3, 1, 1])
        R.from_tensor(x, padding=0)
        R.from_tensor(x, lengths=[1])
        R.from_tensor(x, lengths=[1.0, 1.0, 1.0, 1.0])
        R.from_tensor(x, lengths=5)
        R.from_tensor(x, padding=0.5)
        R.from_tensor(x, padding=[0])
        R.from_tensor(x, lengths=[1, 2, 0, 2], padding=0)
        R.from_tensor(y, padding=[0, 0])
        R.from_tensor(y, padding=0, ragged_rank=2)
        R.from_tensor(y, padding=0)
        R.from_tensor(y, ragged_rank=2)
        R.from_tensor(y, lengths=([1, 2], [1, 2, 0]))
        R.from_tensor([1, 2])
        R.from_tensor(x, ragged_rank=0)
        R.from_tensor(x, ragged_rank=2)
        R.from_tensor(x, ragged_rank="a")
        R.from_tensor(x, row_splits_dtype=tf.int32)
        R.from_tensor([["a", ""], ["b", "c"]], padding="")
        R.from_tensor([["a", ""], ["b", "c"]], lengths=[1, 2])
        R.from_tensor(np.zeros((0, 3)))
        R.from_tensor(np.zeros((2, 0)))
        G(lambda v: R.from_tensor(v, lengths=[1, 2]) ** 2, [[1.0, 2.0], [3.0, 4.0]])
        G(lambda v: R.from_tensor(v, padding=4.0) ** 2, [[1.0, 2.0], [3.0, 4.0]])
        G(lambda v: R.from_tensor(v) ** 2, [[1.0, 2.0], [3.0, 4.0]])
        """,
    )


def to_tensor(tf, np):
    return answers(
        tf,
        np,
        """
        rt = R.from_row_splits([1, 2, 3, 4], [0, 2, 2, 3, 4])
        r2 = R.from_row_splits(rt, [0, 1, 4])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        rs = c([["a", "bc"], [], ["d"]])
        rt.to_tensor()
        rt.to_tensor(9)
        rt.to_tensor(shape=[None, 3])
        rt.to_tensor(shape=[5, 3])
        rt.to_tensor(shape=[2, 1])
        rt.to_tensor(shape=t([-1, 3]))
        rt.to_tensor(shape=tf.TensorShape(None))
        rt.to_tensor(np.int64(3))
        r2.to_tensor(-1)
        r2.to_tensor(shape=[None, 2, 1])
        r3.to_tensor()
        r3.to_tensor(t([7.0, 8.0]))
        r3.to_tensor(5.0, shape=[None, 3, 2])
        rs.to_tensor()
        rs.to_tensor("x")
        c([[], []]).to_tensor()
        R.from_row_splits(t([True, False]), [0, 0, 2]).to_tensor()
        R.from_uniform_row_length(rt, 2).to_tensor(shape=[None, 3, 1])
        rt.to_tensor(default_value=9.5)
        rt.to_tensor("a")
        rt.to_tensor(t(3, tf.int64))
        rt.to_tensor(shape=[2])
        rt.to_tensor(shape=[-1, 3])
        r2.to_tensor([1, 2])
        r3.to_tensor(t([7.0, 8.0, 9.0]))
        r3.to_tensor([[1.0, 2.0]])
        r3.to_tensor(shape=[None, None, 3])
        G(lambda v: R.from_row_splits(v, [0, 1, 3, 3]).to_tensor() ** 2, [1.0, 2.0, 3.0])
        G(lambda v, d: R.from_row_splits(v, [0, 1, 3, 3]).to_tensor(d) ** 2, [1.0, 2.0, 3.0], 5.0)
        G(lambda v: R.from_row_splits(v, [0, 2, 4]).to_tensor() ** 2, [1.0, 2.0, 3.0, 4.0])
        """,
    )


def measures(tf, np):
    return answers(
        tf,
        np,
        """
        r1 = R.from_row_splits([1, 2, 3, 4], [0, 2, 2, 3, 4])
        r2 = R.from_row_splits(r1, [0, 1, 4])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        e = R.from_row_splits([], [0])
        [x.values for x in (r1, r2, r3, e)]
        [x.flat_values for x in (r1, r2, r3, e)]
        [x.row_splits for x in (r1, r2, r3, e)]
        [x.nested_row_splits for x in (r1, r2, r3, e)]
        [x.ragged_rank for x in (r1, r2, r3, e)]
        [x.shape for x in (r1, r2, r3, e)]
        [x.get_shape() for x in (r1, r2, r3, e)]
        [x.dtype for x in (r1, r2, r3, e)]
        [x.nrows() for x in (r1, r2, r3, e)]
        r1.nrows(out_type=tf.int32)
        [x.row_lengths() for x in (r1, r2, r3, e)]
        [r2.row_lengths(axis=k) for k in (0, 1, 2, -1, -2, -3)]
        r3.row_lengths(axis=2)
        r2.row_lengths(axis=3)
        r2.row_lengths("a")
        [x.row_starts() for x in (r1, r2, r3, e)]
        [x.row_limits() for x in (r1, r2, r3, e)]
        [x.value_rowids() for x in (r1, r2, r3, e)]
        [x.nested_row_lengths() for x in (r1, r2, r3, e)]
        [x.nested_value_rowids() for x in (r1, r2, r3, e)]
        [x.bounding_shape() for x in (r1, r2, r3, e)]
        [r2.bounding_shape(axis=k) for k in (0, 1, 2, [0, 2])]
        r2.bounding_shape(axis=3)
        r2.bounding_shape(out_type=tf.int32)
        r1.consumers()
        len(r1)
        bool(r1)
        hash(r1)
        r1.nothing
        """,
    )


def others(tf, np):
    """Ragged tensors with another part."""
    return answers(
        tf,
        np,
        """
        r1 = R.from_row_splits([1, 2, 3, 4], [0, 2, 2, 3, 4])
        r2 = R.from_row_splits(r1, [0, 1, 4])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        r4 = c([[[[1, 2], [3]], [[4]]], [[[5]]]])
        ru = R.from_uniform_row_length(R.from_uniform_row_length([1, 2, 3, 4], 2), 1)
        r1.with_values([1.0, 2.0, 3.0, 4.0])
        r1.with_values([[1, 2]] * 4)
        r1.with_values(R.from_row_splits([1, 2], [0, 1, 1, 2, 2]))
        r1.with_values([1, 2, 3])
        r1.with_values(4)
        r1.with_values(R.from_row_splits([1, 2], t([0, 1, 1, 2, 2])))
        r2.with_flat_values(["a", "b", "c", "d"])
        r2.with_flat_values(R.from_row_splits([1, 2], [0, 1, 1, 2, 2]))
        r2.with_flat_values([5, 6, 7])
        r2.with_row_splits_dtype(tf.int32)
        r1.with_row_splits_dtype(tf.float32)
        [r2.merge_dims(*axes) for axes in ((0, 1), (1, 2), (0, 2), (-2, -1), (1, 1))]
        [r3.merge_dims(*axes) for axes in ((0, 1), (1, 2), (0, 2))]
        [r4.merge_dims(*axes) for axes in ((1, 2), (0, 2), (1, 3), (2, 3), (-3, -1))]
        [ru.merge_dims(*axes) for axes in ((0, 1), (1, 2))]
        r2.merge_dims(0, 3)
        r2.merge_dims(2, 1)
        r2.merge_dims("a", 1)
        """,
    )


def texts(tf, np):
    """How ragged tensors are shown."""
    return answers(
        tf,
        np,
        """
        r1 = R.from_row_splits([1, 2, 3, 4], [0, 2, 2, 3, 4])
        repr(r1)
        str(c([["a", "bc"], [], ["d"]]))
        f"{c([[1.5, 2], [3]])}"
        repr(c([[1, 2], [3, 4]]))
        repr(c([[[1, 2], [3]], [[4, 5], [6]]]))
        repr(c([[[1, 2]], [[], [3], [4]]]))
        repr(c([[True], []]))
        repr(c([[1 + 2j], []]))
        repr(c([[[[1, 2]], []], []]))
        [repr(c(x)) for x in ([[]], [[], []], [[[]], []])]
        repr(c([], ragged_rank=1))
        repr(R.from_tensor(np.zeros((2, 0, 3)), ragged_rank=2))
        repr(R.from_row_splits(tf.range(2000), [0, 1000, 2000]))
        repr(R.from_row_splits(tf.range(3000), list(range(0, 3001, 2))))
        repr(R.from_row_splits(tf.range(60), [0, 30, 60]))
        repr(R.from_row_splits(t(np.arange(12.0).reshape(6, 2) / 4), [0, 2, 6]))
        repr(R.from_row_splits(t(np.arange(24.0).reshape(6, 2, 2) / 4), [0, 2, 6]))
        repr(R.from_row_splits(t(["a" * 100, "b" * 100]), [0, 2]))
        repr(c([[1e10, 1e-10, 123456789.123]], dtype=tf.float64))
        repr(c([[float("nan")], [float("inf"), -0.0]]))
        repr(c([["é", "日本"], []]))
        r1.to_list()
        c([["a", "bc"], []]).to_list()
        c([[1.5]]).to_list()
        c([[[1, 2]], [[], [3]]]).to_list()
        repr(r1.numpy())
        repr(c([[1, 2], [3, 4]]).numpy())
        repr(c([[["a", "b"]], [[], ["c"]]]).numpy())
        repr(c([[], []]).numpy())
        """,
    )
