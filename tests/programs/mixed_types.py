"""Operands of several types where TensorFlow takes them: small matrices, results of functions."""

from programs.program import answers


def a_tridiagonal_matrix_of_size_1(tf, np):
    eigh, one = tf.linalg.eigh_tridiagonal, tf.constant([1.0])
    return answers(
        lambda: eigh(one, tf.constant([], tf.float64)),
        lambda: eigh(one, tf.constant([], tf.complex64)),
        lambda: eigh(tf.constant([1.0], tf.float64), tf.constant([], tf.float32)),
        lambda: eigh(tf.constant([1.0 + 2.0j], tf.complex64), tf.constant([], tf.float32)),
        lambda: eigh(tf.constant([1]), tf.constant([], tf.float64)),
        lambda: eigh(one, tf.constant([], tf.float64), eigvals_only=False),
        lambda: eigh(one, tf.constant([]), select="v", select_range=[0.0, 2.0]),
        lambda: eigh(tf.constant([1.0, 2.0]), tf.constant([1.0], tf.float64)),
    )


def products_of_float32_and_bfloat16(tf, np):
    single = tf.constant([[1.5, 2.0], [3.0, 4.0]])
    brain = tf.constant([[1.0, 2.0], [3.0, -4.0]], tf.bfloat16)
    found = []
    for a, b in ((single, brain), (brain, single)):
        for more in ({}, {"transpose_a": True}, {"transpose_b": True}):
            found.append(tf.matmul(a, b, **more))
        found += [tf.matmul(a, b, output_type=kind) for kind in (tf.float32, tf.bfloat16)]
        found += [a @ b, tf.function(tf.matmul)(a, b)]
    with tf.GradientTape() as tape:
        tape.watch([single, brain])
        y = tf.matmul(single, brain)
    gradients = tape.gradient(y, [single, brain])
    return found, gradients[0], tf.cast(gradients[1], tf.float32)


def products_of_small_integers_and_bfloat16(tf, np):
    small = tf.constant([[1, 2], [3, 4]], tf.int8)
    brain = tf.constant([[1.0, 2.0], [3.0, -4.0]], tf.bfloat16)
    pairs = [(small, brain), (brain, small)]
    pairs += [(tf.cast(a, tf.uint8) if a is small else a, b) for a, b in pairs[:1]]
    found = []
    for a, b in pairs:
        for more in ({}, {"transpose_a": True}, {"transpose_b": True}):
            product = tf.matmul(a, b, output_type=tf.bfloat16, **more)
            batch = tf.matmul(a[None], b, output_type=tf.bfloat16, **more)
            found += [product.dtype.name, tf.cast(product, tf.float32), tf.cast(batch, tf.float32)]
    return found


def parts_of_results(tf, np):
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    @tf.function
    def f(pair):
        return {"pair": pair, "sum": pair.a + pair.b}

    concrete = f.get_concrete_function(Pair(tf.ones([2]), tf.ones([3, 2])))
    return str(concrete.output_shapes), str(concrete.output_dtypes)


def a_profile_without_a_directory(tf, np):
    found = answers(lambda: tf.summary.trace_on(graph=False, profiler=True))
    return found + answers(tf.summary.trace_off)
