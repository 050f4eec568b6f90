"""Python's control flow on tensors: `tf.autograph`."""
