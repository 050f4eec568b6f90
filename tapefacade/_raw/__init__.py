"""Ops under their kernels' names: `tf.raw_ops`."""
