"""`tf.function`: tracing, retracing, signatures, and what runs at a call."""
