"""Assertions: `tf.debugging`."""
