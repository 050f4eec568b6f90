"""`tf.UnconnectedGradients`: None or zeros for sources that no target depends on."""

import enum


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` gives for a source that no target depends on.

    `NONE` gives None, `ZERO` gives a tensor of zeros in the shape of the source.

    >>> tf.UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"
