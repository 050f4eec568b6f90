"""Devices, settings and profiles: `tf.config`, `tf.profiler`, `tf.tpu`."""
