"""Functions under the names of kernels and of older versions: `tf.raw_ops`, `tf.compat`."""
