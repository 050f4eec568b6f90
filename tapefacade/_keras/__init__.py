"""Keras on the tape: the functions of its JAX backend become ops, its variables become ours."""
