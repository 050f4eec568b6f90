"""Differentiation: tapes, forward accumulators, second derivatives."""
