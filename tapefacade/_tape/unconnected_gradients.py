"""`tf.UnconnectedGradients`: None or zeros for sources that no target depends on."""

import enum
from typing import Any


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` gives for a source that no target depends on.

    `NONE` gives None, `ZERO` gives a tensor of zeros in the shape of the source. Where one of these
    is asked for, tapes take "raise" as well: a ValueError then says why there is no gradient.

    >>> tf.UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"


RAISE = "raise"  # no member: the enumeration is TensorFlow's


def unconnected_gradients_of(value: Any) -> UnconnectedGradients | str:
    """Returns the member that a user means, or `RAISE`.

    Raises:
        ValueError: if there is none.
    """
    if isinstance(value, str) and value == RAISE:
        return RAISE
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None
