"""Optimizers of second order over lists of variables: `tf.optimizers.LBFGS` and its like."""
