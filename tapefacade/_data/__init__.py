"""Streams of data: `tf.data`, and how its datasets are read."""
