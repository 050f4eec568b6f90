"""Three replicas, which TensorFlow cannot have in the process of two: each group has one size."""

from programs import replicas

# The generator divides the CPU into so many for TensorFlow.
LOGICAL_CPUS = 3


def values_of_three(tf, np):
    return replicas._values(tf, 3)


def values_made_for_three(tf, np):
    return replicas._made(tf, 3)


def reductions_over_three(tf, np):
    return replicas._reductions(tf, 3)


def collectives_of_three(tf, np):
    return replicas._collectives(tf, 3)
