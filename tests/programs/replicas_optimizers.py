"""Keras's optimizers in functions that replicas run."""

from programs.replicas import _float, _mirrored

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def optimizers_in_replicas(tf, np):
    strategy = _mirrored(tf, 2)
    keras, found = tf.keras, []
    for make in (
        lambda: keras.optimizers.Adam(0.1), lambda: keras.optimizers.RMSprop(0.1, momentum=0.5),
        lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
        lambda: keras.optimizers.AdamW(0.1, clipnorm=0.5), lambda: keras.optimizers.Ftrl(0.1),
        lambda: keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
        lambda: keras.optimizers.Adam(0.1, use_ema=True),
    ):  # fmt: skip
        with strategy.scope():
            w, b = tf.Variable([1.0, -2.0]), tf.Variable(0.5)
            optimizer = make()
            optimizer.build([w, b])

        def replica(x, w=w, b=b, optimizer=optimizer):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b) ** 2)
            gradients = tape.gradient(loss, [w, b])
            optimizer.apply_gradients(zip(gradients, [w, b], strict=True))
            return loss

        run = tf.function(strategy.run)
        own = strategy.run(lambda: tf.constant([1.0, 2.0]) + _float(tf))
        for _ in range(4):
            loss = run(replica, args=(own,))
        found.append((loss.values, w.numpy(), b.numpy(), optimizer.iterations.numpy()))
    return found
