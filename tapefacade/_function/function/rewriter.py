"""The hook by which `_autograph`, a package above this one, rewrites the Python of functions."""

from collections.abc import Callable
from typing import Any, Protocol


class Rewritten(Protocol):
    """A Python function, rewritten for one signature of a function."""

    @property
    def is_useful(self) -> bool:
        """Whether a statement has become an instruction, or may; known when it has run."""
        ...

    def lines(self) -> list[str]:
        """Returns what has become of the statements on tensors, a line for each."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""


class Rewriter:
    """What rewrites functions whose Python looks at values.

    Attributes:
        rewrite: takes what `tf.function` was given; returns it rewritten, or None.
        is_directed: whether the text of a function says how to rewrite it, so that it has to be.
    """

    is_directed: Callable[[Any], bool] = staticmethod(lambda function: False)
    rewrite: Callable[[Any], Rewritten | None] = staticmethod(lambda function: None)


REWRITER = Rewriter()
