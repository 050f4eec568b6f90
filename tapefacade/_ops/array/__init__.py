"""Tensors made, shaped, joined, indexed and sorted: the ops of TensorFlow's root namespace."""
