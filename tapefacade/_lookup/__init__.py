"""Tables: `tf.lookup`."""
