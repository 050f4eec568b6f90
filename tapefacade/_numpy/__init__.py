"""NumPy's functions on tensors: `tf.experimental.numpy`, and tensors that behave like arrays."""
