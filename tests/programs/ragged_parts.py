"""Subscripts of ragged tensors, gathering, masks and conditions."""

from programs.ragged_tensors import answers


def rows(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([["a", "b"], [], ["c"], ["d", "e", "f"]])
        [rt[0], rt[1], rt[-1], rt[t(1)], rt[np.int64(1)]]
        [rt[:], rt[1:], rt[:-1], rt[::2], rt[::-1], rt[3:1], rt[3:1:-1], rt[100:], rt[t(1) : t(3)]]
        [rt[:, 1:], rt[:, :1], rt[:, :-1], rt[:, -1:], rt[:, ::2], rt[:, ::-1], rt[:, 1:3:2]]
        [rt[:, 100:], rt[:, -100:], rt[:, : t(1)], rt[:, 1::-1], rt[:, :0:-1]]
        [rt[0, 0], rt[0, 1:], rt[3, -1], rt[-1, ::-1], rt[1:, 1:]]
        [rt[...], rt[..., 1:], rt[0, ...], rt[:, ...], rt[:, ..., 1:], rt[1:, ..., :]]
        [rt[tf.newaxis], rt[:, tf.newaxis], rt[:, :, tf.newaxis], rt[tf.newaxis, :, 1:]]
        [rt[..., tf.newaxis], rt[0, tf.newaxis], rt[()], rt[[0, 1]]]
        list(rt)
        rt[4]
        rt[-5]
        rt[:, 0]
        rt[..., 0]
        rt[::0]
        rt[:, ::0]
        rt[1, 0]
        rt[0, 0, 0]
        rt[:, :, 0]
        rt["a"]
        rt[1.5]
        rt[True]
        rt[t([0, 1])]
        rt[1:"a"]
        rt[t(1.0)]
        """,
    )


def inner_parts(tf, np):
    return answers(
        tf,
        np,
        """
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], [], [7]]])
        r3 = R.from_row_splits(t(np.arange(12.0).reshape(6, 2)), t([0, 2, 2, 6]))
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        r0 = R.from_uniform_row_length([1, 2, 3, 4], 2)
        [r2[0], r2[1], r2[2, 0], r2[2, 0, 1], r2[0, :, 1:], r2[:, 1:], r2[:, :, 1:]]
        [r2[:, :1, :1], r2[..., ::-1], r2[2, 1:, 1:], r2[2, ..., 1:], r2[:, ::-1]]
        [r2[:, tf.newaxis], r2[:, :, tf.newaxis], r2[:, :, :, tf.newaxis], r2[::2, ::2, ::2]]
        [r3[0], r3[0, 1, 1], r3[:, 1:], r3[:, :, 0], r3[:, :1, 0], r3[..., 1], r3[2, 1:3, 0]]
        [r3[:, :, ::-1], r3[:, :, tf.newaxis], r3[0, tf.newaxis, 1], r3[0, ..., tf.newaxis]]
        [ru[0], ru[:, 0], ru[:, -1], ru[:, 1:], ru[:, :, 1:], ru[:, 0, :1], ru[1:], ru[0, 1]]
        [r0[:, 0], r0[:, 1:], r0[:, ::-1], r0[0], r0[1:], r0[:, t(1)]]
        r2[:, 0]
        r2[:, :, 0]
        r2[5, 0]
        r2[0, 0, 5]
        r2[-1, -2, -1]
        r3[..., 5]
        ru[:, 5]
        G(lambda v: R.from_row_splits(v, [0, 1, 3])[1] ** 2, [1.0, 2.0, 3.0])
        G(lambda v: R.from_row_splits(v, [0, 1, 3])[:, :1] ** 2, [1.0, 2.0, 3.0])
        G(lambda v: R.from_row_splits(v, [0, 2])[:, ::-1] * t([5.0, 6.0]), [1.0, 2.0])
        """,
    )


def gathering(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[3, 1, 4], [], [1, 5]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        r3 = R.from_row_splits(t([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), t([0, 2, 3]))
        ru = R.from_uniform_row_length(c([[1], [2, 3], [], [4]]), 2)
        tf.gather(rt, [0, 2])
        tf.gather(rt, [[0, 2], [1, 1]])
        tf.gather(rt, 1)
        tf.gather(rt, c([[0], [1, 2]]))
        tf.gather(t([10, 20, 30]), c([[0], [1, 2]]))
        tf.gather(t([[10], [20], [30]]), c([[0], [1, 2]]))
        tf.gather(t(["a", "b"]), c([[0], [1, 0]]))
        tf.gather(r2, c([[2], [0, 1]]))
        tf.gather(r3, [1, 0])
        tf.gather(ru, [1, 0])
        tf.gather(ru, [1], axis=1)
        tf.gather(rt, c([[0], [], [1, 1]]), batch_dims=1)
        tf.gather(t([[1, 2, 3], [4, 5, 6]]), c([[0], [1, 2]]), batch_dims=1)
        tf.gather(r2, c([[[0], [0]], [], [[2, 1], []]]), batch_dims=2)
        tf.gather(t([[10, 20, 30]]), c([[0], [1, 2]]), axis=1)
        tf.gather(rt, [3])
        tf.gather(rt, [-1])
        tf.gather(t([10, 20]), c([[0], [5]]))
        tf.gather(rt, [0, 0], batch_dims=1)
        tf.gather_nd(rt, [[0, 1], [2, 0]])
        tf.gather_nd(rt, [[0], [2]])
        tf.gather_nd(rt, [0, 1])
        tf.gather_nd(rt, [[[0]], [[1]]])
        tf.gather_nd(rt, c([[[0, 1]], [[2, 0], [2, 1]]], ragged_rank=1))
        tf.gather_nd(r2, [[0, 1], [2, 0]])
        tf.gather_nd(r3, [[0, 1, 0], [1, 0, 1]])
        tf.gather_nd(t([[1, 2], [3, 4]]), c([[[0, 1]], [[1, 0], [1, 1]]], ragged_rank=1))
        tf.gather_nd(rt, [[0, 5]])
        tf.gather_nd(rt, [[0, 1]], batch_dims=1)
        tf.gather_nd(rt, c([[0, 1], [2]]))
        G(lambda v: tf.gather(R.from_row_splits(v, [0, 1, 3]), [1, 1]), [1.0, 2.0, 3.0])
        G(lambda v: tf.gather(v, c([[0, 0], [2]])) ** 2, [1.0, 2.0, 3.0])
        """,
    )


def conditions(tf, np):
    return answers(
        tf,
        np,
        """
        rt = c([[3, 1, 4], [], [1, 5]])
        r2 = c([[[1, 2], [3]], [], [[4, 5, 6], []]])
        rs = c([["a", "b"], ["c"]])
        mask = tf.ragged.boolean_mask
        tf.where(rt > 2, rt, 0)
        tf.where(rt > 2, rt, c([[0, 0, 0], [], [7, 8]]))
        tf.where(t([[True], [False], [True]]), rt, -rt)
        tf.where(rt > 2, 1, 0)
        tf.where(rt > 2, "a", "b")
        tf.where(rs == "a", rs, "z")
        tf.where(False, rt, -rt)
        tf.where(rt > 2)
        tf.where(r2 > 2)
        tf.where(rt, rt, rt)
        mask(rt, c([[True, False, True], [], [False, True]]))
        mask([1, 2, 3], [True, False, True])
        mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]])
        mask([[1, 2, 3], [4, 5, 6]], [True, False])
        mask(r2, [True, False, True])
        mask(r2, c([[True, False], [], [False, True]]))
        mask(r2, c([[[True, False], [True]], [], [[False, True, True], []]]))
        mask([[[1, 2], [3, 4]]], [[True, False]])
        mask(rs, rs == "a")
        mask(rt, True)
        mask(rt, [1, 0, 1])
        mask(rt, c([[True], [False, True]]))
        G(lambda v: tf.where(R.from_row_splits(v, [0, 1, 3]) > 1.5, v[0], 2.0), [1.0, 2.0, 3.0])
        """,
    )
