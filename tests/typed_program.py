"""A program as a user's type checker sees it; the checker reads it, nothing runs it.

An error that is expected has a `type: ignore`, which is an error itself where it is not needed.
"""

from typing import assert_type

import tapefacade as tf

weights = tf.Variable([[1.0], [2.0]], name="weights")
assert_type(weights, tf.Variable)
inputs = tf.constant([[3.0, 4.0]])
assert_type(inputs, tf.Tensor)

with tf.GradientTape(persistent=True) as tape:
    product = tf.matmul(inputs, weights, name="product")
    loss = tf.reduce_sum(tf.square(product), axis=0)
assert_type(tape, tf.GradientTape)
assert_type(loss, tf.Tensor)
assert_type(loss.dtype, tf.DType)
assert_type(loss.shape, tf.TensorShape)
assert_type(loss * 2.0 - product / 3.0, tf.Tensor)


@tf.function
def doubled(x: tf.Tensor) -> tf.Tensor:
    return x * 2.0 + x[..., :1]


class Layer(tf.Module):
    def __init__(self, size: int) -> None:
        super().__init__(name="layer")
        self.kernel = tf.Variable(tf.random.normal([size, size]))

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ self.kernel)


assert_type(Layer(2)(inputs), tf.Tensor)
assert_type(Layer(2).kernel, tf.Variable)

tf.matmul(inputs, weights, transpose_c=True)  # type: ignore[call-overload]
tf.GradientTape(persistant=True)  # type: ignore[call-arg]
