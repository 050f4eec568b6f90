"""`tf.VariableAggregation` and `tf.VariableSynchronization`: accepted for TensorFlow's sake."""

import enum


class VariableSynchronization(enum.Enum):
    """When the copies of a distributed variable are brought together; accepted, has no effect.

    >>> tf.VariableSynchronization.AUTO
    <VariableSynchronization.AUTO: 0>
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """How the copies of a distributed variable are brought together; accepted, has no effect.

    >>> tf.VariableAggregation.SUM
    <VariableAggregationV2.SUM: 1>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VariableAggregation = VariableAggregationV2
