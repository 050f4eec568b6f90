"""`tf.saved_model.experimental.VariablePolicy`."""

import enum
from typing import Any

from tapefacade._definition.op import function


@function("saved_model.experimental.VariablePolicy")
class VariablePolicy(enum.Enum):
    """What a saved model is to say of where its variables were.

    Accepted for TensorFlow's sake: a model is saved with whole variables and no devices, as by
    `NONE`, and loads on whatever devices there are.

    >>> tf.saved_model.experimental.VariablePolicy.from_obj("save_variable_devices").name
    'SAVE_VARIABLE_DEVICES'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: Any) -> "VariablePolicy":
        """Finds a policy.

        Args:
            obj: a policy, its value in letters of any case, or None.

        Raises:
            ValueError: if there is none of that name.
        """
        if obj is None or isinstance(obj, VariablePolicy):
            return obj or VariablePolicy.NONE
        for policy in VariablePolicy:
            if str(obj).lower() == policy.value:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")
