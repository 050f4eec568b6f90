"""`tf.UnconnectedGradients`: None or zeros for sources that no target depends on."""

import enum
from typing import Any


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` gives for a source that no target depends on.

    `NONE` gives None, `ZERO` gives a tensor of zeros in the shape of the source. `RAISE`, which
    TensorFlow has not, raises a ValueError that says why there is no gradient.

    >>> tf.UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"
    RAISE = "raise"


def unconnected_gradients_of(value: Any) -> UnconnectedGradients:
    """Returns the member that a user means.

    Raises:
        ValueError: if there is none.
    """
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None
