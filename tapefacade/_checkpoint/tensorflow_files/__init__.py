"""TensorFlow's own checkpoint files, read without TensorFlow."""
