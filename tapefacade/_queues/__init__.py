"""Queues between threads, and sections that one thread runs at a time: `tf.queue`."""
