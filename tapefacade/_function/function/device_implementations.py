"""Functions that compute the same in ways that suit different devices: which one is called.

TensorFlow's graph optimizer puts the function that prefers the device in the place of the one that
was called. The functions of one `api_implements` belong together; tensorflow_probability draws
gamma, binomial and Poisson numbers so. In `tf.vectorized_map` it keeps the one that was called.
"""

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import jax

from tapefacade._core.thread_state import ThreadState
from tapefacade._function.function.function import Function

API_ATTRIBUTE, DEVICE_ATTRIBUTE = "api_implements", "api_preferred_device"
# The functions that prefer a device, by what they implement and the device.
_PREFERRED: weakref.WeakValueDictionary[tuple[Any, str], Function] = weakref.WeakValueDictionary()


class _Vectorized(ThreadState):
    """Whether the function of a `tf.vectorized_map` is recorded."""

    on = False


VECTORIZED = _Vectorized()


class DeviceImplementation(Function):
    """A function that leaves its calls to the one that prefers the device, if there is one.

    Args:
        python_function: the function.
        attributes: `api_implements`, what it implements, and `api_preferred_device`, if any.
        input_signature: see `tf.function`.
        **settings: see `tf.function`.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        attributes: Mapping[str, Any],
        input_signature: Any = None,
        **settings: Any,
    ) -> None:
        super().__init__(python_function, None, input_signature, **settings)
        self._api = attributes.get(API_ATTRIBUTE)
        device = attributes.get(DEVICE_ATTRIBUTE)
        if device is not None:
            _PREFERRED[self._api, str(device).upper()] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        preferred = _PREFERRED.get((self._api, jax.default_backend().upper()))
        if VECTORIZED.on:
            preferred = self
        elif preferred is None or preferred is self:
            return super().__call__(*args, **kwargs)
        # Its body comes in the place of the call, so that shapes that are known stay known.
        return preferred._python(*args, **kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the function for these arguments, which is recorded when it is used."""
        return _LateConcreteFunction(super().get_concrete_function, args, kwargs)


class _LateConcreteFunction:
    """A function for certain arguments, recorded when somebody needs more than to register it."""

    def __init__(self, make: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._make: Callable[[], Any] = functools.partial(make, *args, **kwargs)

    @functools.cached_property
    def _concrete(self) -> Any:
        return self._make()

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Does nothing: what implements the same is known since it was made."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Does nothing: gradients need no functions of their own."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._concrete(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._concrete, name)
