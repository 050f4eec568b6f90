"""Gradients given by the program: `tf.custom_gradient`, `tf.recompute_grad`, `tf.gradients`."""
