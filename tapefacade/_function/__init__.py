"""`tf.function`, control flow and custom gradients: instructions made of recordings."""
