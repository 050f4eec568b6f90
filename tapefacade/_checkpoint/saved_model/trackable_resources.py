"""What is made when it is first needed: `tf.saved_model.experimental.TrackableResource`."""

import sys
from typing import Any

from tapefacade._definition.op import function


@function("saved_model.experimental.TrackableResource")
class TrackableResource:
    """The base of objects that make a tensor when it is first asked for, and may clear up at last.

    A subclass defines `_create_resource()`, which returns the tensor; `_initialize()` and
    `_destroy_resource()` if it needs them. In a saved model the functions keep the tensor's value.

    Args:
        device: accepted for TensorFlow's sake: JAX places the tensor.

    >>> class Three(tf.saved_model.experimental.TrackableResource):
    ...     def _create_resource(self):
    ...         return tf.constant(3)
    >>> Three().resource_handle.numpy()
    np.int32(3)

    See
    https://www.tensorflow.org/api_docs/python/tf/saved_model/experimental/TrackableResource.
    """

    _resource_handle: Any = None

    def __init__(self, device: str = "") -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Prepares the resource; by default it does nothing."""

    def _destroy_resource(self) -> None:
        """Clears up; by default it does nothing."""

    @property
    def resource_handle(self) -> Any:
        """The tensor that `_create_resource` made.

        Raises:
            NotImplementedError: if the subclass has no `_create_resource`.
        """
        if self._resource_handle is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle

    def __del__(self) -> None:
        if not sys.is_finalizing():  # else what the method needs may be gone
            self._destroy_resource()

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}
