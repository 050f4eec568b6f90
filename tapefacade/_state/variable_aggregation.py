"""`tf.VariableAggregation` and `tf.VariableSynchronization`: how replicas share a variable."""

import enum


class VariableSynchronization(enum.Enum):
    """When what the replicas have of a variable is brought together.

    >>> tf.VariableSynchronization.AUTO
    <VariableSynchronization.AUTO: 0>
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(enum.Enum):
    """How what the replicas have of a variable is brought together.

    >>> tf.VariableAggregation.SUM
    <VariableAggregationV2.SUM: 1>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VariableAggregation = VariableAggregationV2
