"""Keras's JAX backend on tapes: its functions become ops, its variables hold ours."""
