"""Values in the place of those that a function looks at, where only its results are described.

`get_concrete_function` records a function without values. One whose Python looks at some, as it
makes a dataset of an argument or repeats what changes its shape, can still say what it returns:
Python goes on with these, and what depends on them is found by going on with others as well.
"""

import numpy as np

from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.tree import users_line

# What Python goes on with; not 1, which sizes are broadcast from.
EXAMPLE_NUMBERS = (2, 3)
MAX_LOOKS = 64  # a loop that goes on until a value has changed would never end
MAX_ELEMENTS = 1 << 22


class ExampleValues:
    """The values of one recording.

    Args:
        number: what integers and floating-point numbers are.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._looks_left = MAX_LOOKS
        self._answer = False  # the last one to a condition: loops end

    def value_of(self, type_: TensorType) -> np.ndarray:
        """Returns a value of a type.

        Raises:
            ValueWanted: if there have been too many, or it would be too large.
        """
        self._looks_left -= 1
        if self._looks_left < 0 or type_.size > MAX_ELEMENTS or type_.dtype.name == "string":
            raise ValueWanted(users_line())
        if type_.dtype.is_bool:
            self._answer = not self._answer
            return np.full(type_.shape, self._answer)
        return np.full(type_.shape, self._number, type_.numpy_dtype)
