"""What `GradientTape.gradient` gives when a gradient reaches an op."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Differentiable:
    """`jax.vjp` of the implementation; inputs named in `except_for` get None."""

    except_for: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class NotDifferentiable:
    """Every input gets None, as after `tf.stop_gradient`."""


@dataclasses.dataclass(frozen=True)
class NoGradient:
    """TensorFlow registers no gradient for `kernel`: `LookupError` if one is asked for."""

    kernel: str


Gradient = Differentiable | NotDifferentiable | NoGradient
DIFFERENTIABLE = Differentiable()
NOT_DIFFERENTIABLE = NotDifferentiable()
