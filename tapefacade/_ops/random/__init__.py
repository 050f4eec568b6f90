"""Random numbers: `tf.random`."""
