"""Neural networks: `tf.nn`."""
