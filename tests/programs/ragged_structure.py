"""Ragged tensors put together, taken apart, reduced, counted and multiplied."""

from programs.program import answers as all_answers
from programs.ragged_tensors import answers


def joining(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[3, 1, 4], [], [1, 5]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        rs = c([["a", "b"], ["c"]])
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        [tf.concat([rt, rt], axis=axis) for axis in (0, 1, -1)]
        [tf.concat([r2, r2], axis=axis) for axis in (0, 1, 2)]
        [tf.concat([r3, r3], axis=axis) for axis in (0, 1, 2)]
        [tf.concat([ru, ru], axis=axis) for axis in (0, 1, 2)]
        tf.concat([rt, c([[7], [8, 9], []])], axis=1)
        tf.concat([rt, [[7, 8]]], axis=0)
        tf.concat([t([[7], [8], [9]]), rt], axis=1)
        tf.concat([rs, rs], axis=1)
        tf.concat([r3, c([[[1.0], [2.0]], [[3.0]]], row_splits_dtype=tf.int32)], axis=0)
        tf.concat([rt, c([[7]])], axis=1)
        tf.concat([rt, rt], axis=2)
        tf.concat([rt, [1, 2]], axis=0)
        tf.concat([rt, c([[1.0]])], axis=0)
        tf.concat([rt, c([[1]], row_splits_dtype=tf.int32)], axis=0)
        tf.concat([r2, c([[[9]], [], [[8], [7]]])], axis=2)
        [tf.stack([rt, rt], axis=axis) for axis in (0, 1, 2, -1)]
        [tf.stack([r2, r2], axis=axis) for axis in (0, 1, 2, 3)]
        tf.stack([rt, c([[1]])])
        tf.stack([rt, c([[1]])], axis=1)
        tf.stack([rt, rt], axis=3)
        tf.ragged.stack([[1, 2], [3]])
        tf.ragged.stack([t([[1, 2], [3, 4]]), t([[5]])])
        tf.ragged.stack([t([1, 2]), t([3, 4])], axis=1)
        tf.ragged.stack([rt, rt])
        tf.ragged.stack(t([1, 2]))
        tf.ragged.stack([1, 2])
        tf.ragged.stack([["a"], ["b", "c"]])
        tf.ragged.stack([])
        tf.ragged.stack(["a", ["b"]])
        tf.ragged.stack([t([1, 2]), t([3])], axis=1)
        rg = c([[1.0], [2.0, 3.0]])
        G(lambda r, s: tf.concat([r, s], 1).to_tensor() ** 2, rg, [[4.0], [5.0]])
        """,
    )


def dimensions(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[3, 1, 4], [], [1, 5]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        d = R.from_tensor([[[1]], [[2]]], ragged_rank=2)
        [tf.expand_dims(rt, axis) for axis in (0, 1, 2, -1, -2)]
        [tf.expand_dims(r2, axis) for axis in (1, 2, 3)]
        [tf.expand_dims(r3, axis) for axis in (1, 2, 3)]
        tf.expand_dims(rt, 3)
        tf.expand_dims(rt, "a")
        [tf.squeeze(tf.expand_dims(rt, axis), axis) for axis in (0, 1, 2)]
        [tf.squeeze(c([[1, 2]]), 0), tf.squeeze(c([[1], [2]]), 1)]
        tf.squeeze(c([[[1, 2]], [[3]]]), 1)
        [tf.squeeze(d, [1, 2]), tf.squeeze(d, [1]), tf.squeeze(d, [2])]
        tf.squeeze(rt)
        tf.squeeze(rt, 0)
        tf.squeeze(rt, 1)
        tf.squeeze(rt, 5)
        [tf.tile(rt, n) for n in ([2, 1], [1, 2], [2, 2], [0, 1], [1, 0])]
        [tf.tile(r2, n) for n in ([1, 1, 2], [1, 2, 1], [2, 1, 2])]
        [tf.tile(r3, n) for n in ([1, 1, 2], [1, 2, 1])]
        tf.tile(rt, [-1, 1])
        tf.tile(rt, [1.0, 2.0])
        [tf.reverse(rt, axes) for axes in ([0], [1], [0, 1], [-1], [])]
        [tf.reverse(r2, axes) for axes in ([1], [2], [0, 2])]
        [tf.reverse(r3, axes) for axes in ([2], [1, 2])]
        tf.reverse(ru, [1])
        tf.reverse(rt, [2])
        tf.reverse(rt, 0)
        [tf.size(rt), tf.size(r3, out_type=tf.int64), tf.rank(rt), tf.rank(r3)]
        [repr(tf.shape(x)) for x in (rt, r3, ru)]
        tf.shape(rt)[0]
        [tf.reshape(rt, [-1]), tf.reshape(rt, [5, 1])]
        tf.split(rt, 3)
        tf.split(rt, [1, 2])
        tf.split(r3, 2, axis=2)
        tf.split(ru, 2, axis=1)
        tf.split(rt, 2)
        tf.split(rt, [1, 1])
        tf.split(rt, 3, axis=5)
        """,
    )


def reductions(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[3, 1, 4], [], [1, 5], [9]])
        rf = c([[1.0, 2.0], [], [3.0]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        rb = c([[True, False], [], [True]])
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        [tf.reduce_sum(rt, axis=axis) for axis in (None, 0, 1, -1, -2, [0, 1], [])]
        [tf.reduce_sum(rt, axis=axis, keepdims=True) for axis in (None, 0, 1, (0, 1))]
        [tf.reduce_sum(r2, axis=axis) for axis in (0, 1, 2, [0, 1], [0, 2], [1, 2], [-1, -2])]
        [tf.reduce_sum(r2, axis=axis, keepdims=True) for axis in (0, 1, 2, [1, 2])]
        [tf.reduce_sum(r3, axis=axis) for axis in (0, 1, 2, [1, 2], [0, 2], [0, 1])]
        [tf.reduce_sum(ru, axis=axis) for axis in (0, 1, 2)]
        [tf.reduce_mean(rf, axis=axis) for axis in (None, 0, 1, [0, 1])]
        [tf.reduce_mean(rt), tf.reduce_mean(rt, axis=1), tf.reduce_mean(r2, axis=2)]
        [tf.reduce_max(rt, axis=axis) for axis in (None, 0, 1)]
        [tf.reduce_max(rf, axis=1), tf.reduce_max(r2, axis=1), tf.reduce_min(rf, axis=1)]
        [tf.reduce_prod(rt, axis=axis) for axis in (None, 0, 1)]
        [tf.reduce_any(rb, axis=axis) for axis in (None, 0, 1)]
        [tf.reduce_all(rb, axis=0), tf.reduce_all(rb, axis=1), tf.reduce_all(rt, axis=1)]
        [tf.math.reduce_variance(rf, axis=axis) for axis in (None, 0, 1)]
        [tf.math.reduce_std(rf, axis=1, keepdims=True), tf.math.reduce_variance(rt, axis=1)]
        tf.math.reduce_logsumexp(rf, axis=1)
        [tf.reduce_sum(c([[], []]), axis=axis) for axis in (None, 0, 1)]
        tf.reduce_sum(rt, axis=2)
        tf.reduce_sum(rt, axis="a")
        tf.reduce_sum(rt, axis=t(1))
        tf.reduce_sum(c([["a"], ["b"]]), axis=1)
        """,
    )


def gradients_of_reductions(tf, np):
    return answers(
        tf,
        np,
        """
        v = [1.0, 2.0, 2.0]
        w = t([1.0, 2.0, 3.0])
        rows = lambda v: R.from_row_splits(v, [0, 1, 1, 3])
        G(lambda v: tf.reduce_sum(rows(v), axis=1) * w, v)
        G(lambda v: tf.reduce_sum(rows(v), axis=0) * w[:2], v)
        G(lambda v: tf.reduce_mean(rows(v), axis=1) * w, v)
        G(lambda v: tf.reduce_mean(rows(v)), v)
        G(lambda v: tf.reduce_max(rows(v), axis=1) * w, v)
        G(lambda v: tf.reduce_max(rows(v)), v)
        G(lambda v: tf.reduce_prod(rows(v), axis=1) * w, [1.0, 0.0, 2.0])
        G(lambda v: tf.math.reduce_variance(rows(v), axis=1), [1.0, 0.0, 2.0])
        G(lambda v: tf.math.reduce_std(rows(v), axis=1), [1.0, 0.0, 2.0])
        """,
    )


def segments(tf, np):
    return answers(
        tf,
        np,
        """
        rf = c([[1.0, 2.0], [], [3.0]])
        rt = c([[3, 1, 4], [], [1, 5]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        stacked = tf.ragged.stack_dynamic_partitions
        ids = tf.ragged.row_splits_to_segment_ids
        splits = tf.ragged.segment_ids_to_row_splits
        tf.math.unsorted_segment_sum(rf, t([0, 1, 0]), 3)
        tf.math.unsorted_segment_sum(rf, c([[0, 1], [], [0]]), 3)
        tf.math.unsorted_segment_mean(rf, t([0, 0, 2]), 3)
        tf.math.unsorted_segment_min(r2, t([0, 0, 1]), 3)
        tf.math.unsorted_segment_sum(t([1.0, 2.0, 3.0]), c([[0, 1], [], [2]]), 3)
        tf.math.unsorted_segment_sum(rf, [0, 1], 3)
        tf.math.unsorted_segment_sum(rf, [0, 1, 5], 3)
        tf.math.unsorted_segment_sum(rf, c([[0], [1], [2]]), 3)
        stacked(["a", "b", "c"], [1, 0, 1], 3)
        stacked(rt, [1, 0, 1], 2)
        stacked(rt, c([[0, 1, 0], [], [1, 1]]), 2)
        stacked([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2)
        stacked([[1, 2], [3, 4]], [0, 1], 2)
        stacked(5, 0, 2)
        stacked(["a", "b", "c"], [1, 0, 3], 2)
        stacked(["a", "b", "c"], [1, 0, -1], 2)
        stacked(["a", "b", "c"], [1, 0], 2)
        stacked([1, 2], c([[0], [1]]), 2)
        tf.dynamic_partition(rt, c([[0, 1, 0], [], [1, 1]]), 2)
        tf.dynamic_partition(rt, [0, 1, 0], 2)
        [ids([0, 3, 3, 5]), ids(t([0, 3, 3, 5])), ids([0, 3, 3, 5], out_type=tf.int32)]
        ids([0.0])
        ids([[0]])
        ids([])
        [splits([0, 0, 2]), splits([0, 0, 2], num_segments=5), splits([0, 0, 2], num_segments=1)]
        [splits([], num_segments=2), splits(t([0, 0])), splits(t([0, 0]), out_type=tf.int64)]
        splits([0.0])
        splits([-1, 0])
        [tf.math.bincount(rt), tf.math.bincount(rt, axis=-1), tf.math.bincount(rt, axis=0)]
        [tf.math.bincount(rt, minlength=8, axis=-1), tf.math.bincount(rt, maxlength=4, axis=-1)]
        tf.math.bincount(rt, weights=tf.cast(rt, tf.float32), axis=-1)
        tf.math.bincount(rt, axis=-1, binary_output=True)
        """,
    )


def products(tf, np):
    return answers(
        tf,
        np,
        """
        a = c([[[1.0, 2.0], [3.0, 4.0]], [[5.0]]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        r4 = R.from_row_splits(tf.ones([3, 2, 2]), [0, 1, 3])
        tf.matmul(a, c([[[1.0], [2.0]], [[3.0]]]))
        tf.matmul(a, c([[[1.0, 1.0], [2.0, 1.0]], [[3.0]]]))
        tf.matmul(r3, t([[[1.0], [2.0]], [[3.0], [4.0]]]))
        tf.matmul(r4, r4)
        tf.matmul(r3, r3, transpose_a=True)
        tf.matmul(c([[1.0, 2.0], [3.0, 4.0]]), t([[1.0], [1.0]]))
        tf.matmul(r3, t([[1.0, 2.0], [3.0, 4.0]]))
        tf.matmul(c([[1.0, 2.0], [], [3.0]]), t([[1.0]]))
        tf.matmul(r4, tf.ones([2, 1, 2, 2]))
        G(lambda r: tf.matmul(r, t([[[1.0], [2.0]], [[3.0], [4.0]]])), r3)
        """,
    )


def lookups(tf, np):
    return answers(
        tf,
        np,
        """
        w = t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        tf.nn.embedding_lookup(w, c([[0, 1], [2]]))
        tf.nn.embedding_lookup(w, c([[0, 1], [2]]), max_norm=1.0)
        tf.nn.embedding_lookup(w, c([[[0], [1]], [[2]]]))
        tf.nn.embedding_lookup(w, c([[0, 1], [5]]))
        G(lambda w: tf.nn.embedding_lookup(w, c([[0, 0], [2]])) ** 2, [[1.0], [2.0], [3.0]])
        """,
    )


def sparse(tf, np):
    taken_apart = "lambda s: (s.indices, s.values, s.dense_shape)"
    return answers(
        tf,
        np,
        f"""
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        parts = {taken_apart}
        parts(c([[3, 1, 4], [], [1, 5]]).to_sparse())
        parts(c([[[1, 2], [3]], [], [[4, 5, 6], []]]).to_sparse())
        parts(r3.to_sparse())
        parts(c([["a"], []]).to_sparse())
        R.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 3]))
        R.from_sparse(tf.SparseTensor([[0, 0]], ["a"], [2, 3]), row_splits_dtype=tf.int32)
        R.from_sparse(tf.SparseTensor([[0, 0], [0, 2], [2, 0]], [1, 2, 3], [4, 3]))
        R.from_sparse(tf.SparseTensor([[0]], [1], [1]))
        R.from_sparse(5)
        G(lambda v: R.from_row_splits(v, [0, 1, 3]).to_sparse().values ** 2, [1.0, 2.0, 3.0])
        """,
    )


def rows_without_values(tf, np):
    fill = tf.ragged_fill_empty_rows

    def watched():
        x, default = tf.constant([1.0, 2.0]), tf.constant(9.0)
        with tf.GradientTape() as tape:
            tape.watch([x, default])
            y = fill([0, 2], x, 3, default)[1] ** 2
        return tape.gradient(y, [x, default])

    @tf.function
    def within(rows, values):
        return tuple(fill(rows, values, 4, 0.5))

    return all_answers(
        lambda: fill([0, 0, 2, 2, 3], [1, 2, 3, 4, 5], 5, 9),
        lambda: fill(tf.zeros([0], tf.int64), tf.zeros([0]), 2, 9.0),
        lambda: fill([2, 0, 2], [1, 2, 3], 4, 9),
        lambda: fill([0], ["a"], 2, "z"),
        lambda: fill([5], [1], 4, 9),
        lambda: fill([0, -1], [1, 2], 4, 9),
        lambda: fill([0, 1], [1], 4, 9),
        lambda: tf.ragged_fill_empty_rows_grad([0, 1, 4], [1.0, 2.0, 3.0, 4.0, 5.0]),
        watched,
        lambda: within(tf.constant([3, 1], tf.int64), tf.constant([1.0, 2.0])),
    )
