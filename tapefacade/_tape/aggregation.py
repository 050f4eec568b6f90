"""How gradients from several uses of a tensor are added."""

from tapefacade._definition.op import register


class AggregationMethod:
    """Ways to add gradients, all of which are the same here.

    >>> tf.AggregationMethod.DEFAULT == tf.AggregationMethod.ADD_N
    True
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


register(("AggregationMethod",), AggregationMethod)
