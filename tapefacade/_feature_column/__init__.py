"""Columns of examples: `tf.feature_column`."""
