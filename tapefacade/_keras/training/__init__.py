"""Keras's training on tapes: `fit`, the update of optimizers, data."""
