"""`tf.function`: ops that the host computes while they are recorded, and nobody uses."""

from programs.functions import kind_of_error


def raised(tf, unused):
    """What a function does in which an op is not used, and one in which its result is returned."""

    @tf.function
    def without(z):
        unused(z)
        return z + 1.0

    @tf.function
    def within(z):
        return unused(z)

    one = tf.constant(1.0)
    return [kind_of_error(lambda: without(one)), kind_of_error(lambda: within(one))]


def integers_on_the_host_1(tf, np):
    ints, zero = tf.constant([1, 2]), tf.constant([0, 0])
    return {
        "division": raised(tf, lambda z: ints // zero),
        "truncated": raised(tf, lambda z: tf.truncatediv(ints, zero)),
        "rest": raised(tf, lambda z: ints % zero),
    }  # fmt: skip


def integers_on_the_host_2(tf, np):
    ints = tf.constant([1, 2])
    return {
        "gather": raised(tf, lambda z: tf.gather(ints, [5])),
        "gather 0": raised(tf, lambda z: tf.gather(ints, 7)),
        "gather_nd": raised(tf, lambda z: tf.gather_nd(ints, [[9]])),
    }  # fmt: skip


def integers_on_the_host_3(tf, np):
    ints = tf.constant([1, 2])
    return {
        "scatter_nd": raised(tf, lambda z: tf.scatter_nd([[9]], ints[:1], [2])),
        "update": raised(tf, lambda z: tf.tensor_scatter_nd_update(ints, [[9]], [1])),
        "unsorted": raised(
            tf, lambda z: tf.math.unsorted_segment_sum(ints, tf.constant([1, 5]), 2)),
    }  # fmt: skip


def integers_on_the_host_4(tf, np):
    ints = tf.constant([1, 2])
    return {
        "one_hot": raised(tf, lambda z: tf.one_hot(ints, 3)),
        "embedding": raised(
            tf, lambda z: tf.nn.embedding_lookup(tf.ones((2, 2)), tf.constant([9]))),
        "invert": raised(tf, lambda z: tf.math.invert_permutation(tf.constant([3, 3]))),
    }  # fmt: skip


def integers_on_the_host_5(tf, np):
    return {
        "reverse": raised(
            tf, lambda z: tf.reverse_sequence(tf.ones((2, 2)), tf.constant([3, 9]), 1)),
        "xent": raised(tf, lambda z: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.constant([9]), logits=tf.ones((1, 2)))),
    }  # fmt: skip


def within_other_functions(tf, np):
    ints, zero = tf.constant([1, 2]), tf.constant([0, 0])
    inner = tf.function(lambda z: ints // zero)
    return {
        "function": raised(tf, inner),
        "branch": raised(tf, lambda z: tf.cond(z > 0.0, lambda: ints // zero, lambda: ints)),
        "loop": raised(tf, lambda z: tf.while_loop(
            lambda i: i < 1, lambda i: i + (ints // zero)[0] + 1, [tf.constant(0)])),
        "used within": raised(tf, lambda z: (ints // zero) * 0 + tf.gather(ints, [5, 5])),
    }  # fmt: skip
