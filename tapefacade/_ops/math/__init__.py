"""Arithmetic, elementary and special functions, reductions, segments: `tf.math`."""
