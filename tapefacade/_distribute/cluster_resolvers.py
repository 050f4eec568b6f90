"""What programs for TPUs say before they make a strategy: the TPUs are those that JAX sees."""

from typing import Any

from tapefacade._config.devices import list_logical_devices
from tapefacade._config.tpu import MESSAGE_NO_NAME
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function

HINT_NO_TPU = "JAX sees no TPU in this process. Use tf.distribute.get_strategy() in its place."


@function("distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver:
    """Says where the TPUs are: in this process, as JAX has found them.

    Args:
        tpu: the name of a TPU; the TPUs are those of this machine, whatever it says.
        **options: accepted for TensorFlow's sake.

    Raises:
        ValueError: if there is no TPU.

    >>> tf.distribute.cluster_resolver.TPUClusterResolver()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to...
    """

    task_type: str | None = None
    task_id: int | None = None

    def __init__(self, tpu: str | None = None, **options: Any) -> None:
        if not list_logical_devices("TPU"):
            raise hinted(ValueError(MESSAGE_NO_NAME), HINT_NO_TPU)
        self._tpu = tpu

    @classmethod
    def connect(cls, tpu: str | None = None, **options: Any) -> "TPUClusterResolver":
        """Makes a resolver; there is nothing to connect to.

        Args:
            tpu: as for the class.
            **options: accepted for TensorFlow's sake.
        """
        return cls(tpu)

    def master(self, *args: Any, **kwargs: Any) -> str:
        """Returns the address of the coordinator: none, as it is this process."""
        return ""

    def num_accelerators(self, *args: Any, **kwargs: Any) -> dict[str, int]:
        """Returns how many cores there are."""
        return {"TPU": len(list_logical_devices("TPU"))}
