"""Spellings of Keras 2 on Keras 3: a thin layer that accepts them, and says so once."""
