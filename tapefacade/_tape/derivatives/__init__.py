"""Derivatives of recorded programs as ops: gradients, Jacobians, forward derivatives."""
