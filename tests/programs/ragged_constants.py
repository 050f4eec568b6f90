"""tf.ragged.constant, tf.ragged.range, and tf.RaggedTensorSpec."""

from programs.ragged_tensors import answers


def constant(tf, np):
    return answers(
        tf,
        np,
        """
        x = [[[1, 2], [3, 4]], [[5, 6]]]
        c([[1, 2], [3]])
        c([1, 2, 3])
        c("a")
        c([])
        c([[], [1]])
        c([[[]]])
        c([[1], [2.5]])
        c([["a"], [b"b", "c"]])
        c([[True], [False, True]])
        c([[1 + 1j], []])
        c([[2**40], []])
        c([[1, 2], [3]], dtype=tf.float32)
        c([[300], []], dtype=tf.int8)
        c([[], []], dtype=tf.string)
        c([[1, 2], [3]], row_splits_dtype="int32")
        c(x, ragged_rank=1)
        c(x, ragged_rank=0 + 2)
        c(x, inner_shape=(2,))
        c(x, inner_shape=())
        c([[1, 2], [3, 4]], ragged_rank=0)
        c([], ragged_rank=2)
        c([[]], ragged_rank=2)
        c([], ragged_rank=1, inner_shape=(2,))
        c(np.array([[1, 2], [3, 4]]))
        c([np.array([1.0, 2]), [3]])
        c([np.zeros((2, 2)), np.ones((1, 2))], ragged_rank=1)
        c([(1, 2), range(3)])
        c([[1, 2], [3]], ragged_rank=0)
        c([[1, 2], [3]], ragged_rank=2)
        c([[1], [2]], ragged_rank=-1)
        c([[1], [2]], ragged_rank=1.5)
        c([[[1, 2], [3]], [[5, 6]]], ragged_rank=1)
        c(x, inner_shape=(3,))
        c(x, inner_shape=(2,), ragged_rank=2)
        c([[1, 2], 3])
        c([[1], [[2]]])
        c([["a"], [1]])
        c([[True], [1]])
        c([[1, 2], [3]], tf.string)
        c([[1.5, 2], [3]], dtype=tf.int32)
        c([[1, 2], [3]], row_splits_dtype=tf.float32)
        c([[None], [1]])
        c({1: 2})
        """,
    )


def ranges(tf, np):
    return answers(
        tf,
        np,
        """
        range_ = tf.ragged.range
        range_(3)
        range_([3, 5, 2])
        range_([0, 5, 8], [3, 3, 12], [1, -1, 2])
        range_(0, [3, 4])
        range_([1.0, 2.0], [3.0, 4.0], 0.5)
        range_([5, 8], row_splits_dtype=tf.int32)
        range_([5, 8], dtype=tf.float32)
        range_(t([3, 2], tf.int64))
        range_([3, 2], [1, 0])
        range_(3, deltas=0)
        range_([[1]])
        range_([1, 2], [1, 2, 3])
        """,
    )


def spec(tf, np):
    return answers(
        tf,
        np,
        """
        S = tf.RaggedTensorSpec
        rt = c([[1, 2], [3]])
        r2 = c([[[1, 2], [3]], []])
        s = S([2, None], tf.int32)
        repr(s)
        repr(S([2, None, 3], tf.int32, 1, tf.int32))
        repr(S(None, ragged_rank=1))
        repr(S([2, None], dtype=None, flat_values_spec=tf.TensorSpec([None], tf.int32)))
        S()
        S([2, None], ragged_rank=2)
        S([2, None], ragged_rank="a")
        S([2, None], dtype=None)
        (s.shape, s.dtype, s.ragged_rank, s.row_splits_dtype, s.flat_values_spec)
        s.value_type.__name__
        repr(s._component_specs)
        repr(S([2, 3, None], tf.int32, 2)._component_specs)
        s == S([2, None], tf.int32, 1)
        hash(s) == hash(S([2, None], tf.int32, 1))
        [S(shape, tf.int32).is_compatible_with(rt) for shape in ([None, None], [3, None])]
        S([None, None], tf.int64).is_compatible_with(rt)
        S([None, None], tf.int32, 0).is_compatible_with(t([[1]]))
        S([None, None], tf.int32).is_subtype_of(s), s.is_subtype_of(S([None, None], tf.int32))
        repr(s.most_specific_common_supertype([S([3, None], tf.int32)]))
        repr(S.from_value(r2))
        repr(tf.type_spec_from_value(R.from_uniform_row_length([1, 2, 3, 4], 2)))
        S.from_value(r2).to_tensors(r2)
        S.from_value(rt).from_tensors(iter([t([7, 8, 9]), t([0, 1, 3], tf.int64)]))
        repr([s._batch(3), s._unbatch(), S([None, None, None])._unbatch()])
        """,
    )
