"""Strategies of `tf.distribute`: a program has one replica, on JAX's default device."""
