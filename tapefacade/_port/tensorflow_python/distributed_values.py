"""`tensorflow.python.distribute.ps_values`: a class that libraries ask variables for."""

from tapefacade._state.variable import Variable


class AggregatingVariable(Variable):
    """A variable of a parameter server of TensorFlow's; no variable here is one.

    >>> isinstance(tf.Variable(1.0), AggregatingVariable)
    False
    """
