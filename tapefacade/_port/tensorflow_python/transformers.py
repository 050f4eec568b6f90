"""`tensorflow.python.autograph.pyct`: libraries that rewrite Python with AutoGraph's own tools."""

import ast
from typing import Any

MESSAGE_REWRITER = (
    "{} rewrites Python with the tools of TensorFlow's AutoGraph, which tapefacade does not have. "
    "A tf.function rewrites its Python by itself; of tensorflow_probability leave "
    "`experimental.auto_batching` out, as `tfp.mcmc` does."
)


class Base(ast.NodeTransformer):
    """What rewriters of Python are derived from; it cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(MESSAGE_REWRITER.format(type(self).__name__))
