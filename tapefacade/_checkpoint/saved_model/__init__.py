"""Saved models: `tf.saved_model`."""
