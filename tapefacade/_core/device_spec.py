"""Names of devices, taken apart: `DeviceSpec`."""

from typing import Any

DEVICE_TYPES = ("CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU")


class DeviceSpec:
    """The parts of a device's name, each of which may be missing.

    Args:
        job: the name of the job.
        replica: the number of the replica.
        task: the number of the task.
        device_type: the kind of the device, such as "GPU".
        device_index: the number of the device.

    >>> spec = tf.DeviceSpec(job="worker", device_type="gpu", device_index=1)
    >>> spec.to_string()
    '/job:worker/device:GPU:1'

    See https://www.tensorflow.org/api_docs/python/tf/DeviceSpec.
    """

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        known = device_type is not None and device_type.upper() in ("CPU", "GPU")
        self._device_type = device_type.upper() if device_type and known else device_type
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._replica

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """The kind of the device."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """The number of the device."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str) -> "DeviceSpec":
        """Takes a name apart.

        Args:
            spec: the name.

        Raises:
            ValueError: if it is no device's name.

        >>> tf.DeviceSpec.from_string("/job:worker/gpu:3").device_index
        3
        """
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, *values = part.split(":")
            found.update(_parsed(key, values, spec, "device_type" in found))
        return cls(**found)

    def parse_from_string(self, spec: str) -> "DeviceSpec":
        """Takes a name apart, as `from_string`; this spec does not matter.

        Args:
            spec: the name.

        Raises:
            ValueError: if it is no device's name.

        >>> tf.DeviceSpec().parse_from_string("/cpu:0").to_string()
        '/device:CPU:0'
        """
        return self.from_string(spec)

    def to_string(self) -> str:
        """Returns the name.

        >>> tf.DeviceSpec(device_type="CPU").to_string()
        '/device:CPU:*'
        """
        named = (("job", self.job), ("replica", self.replica), ("task", self.task))
        parts = [f"/{key}:{value}" for key, value in named if value is not None]
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            parts.append(f"/device:{self.device_type}:{index}")
        return "".join(parts)

    def make_merged_spec(self, dev: "DeviceSpec") -> "DeviceSpec":
        """Returns a spec with the parts of another one, and those of this one that it lacks.

        Args:
            dev: the other spec.

        >>> gpu = tf.DeviceSpec(device_type="GPU", device_index=0)
        >>> tf.DeviceSpec(job="worker").make_merged_spec(gpu).to_string()
        '/job:worker/device:GPU:0'
        """
        mine, others = self._parts(), dev._parts()
        return type(self)(**{k: mine[k] if others[k] is None else others[k] for k in mine})

    def replace(self, **kwargs: Any) -> "DeviceSpec":
        """Returns a spec with other parts.

        Args:
            **kwargs: the parts, named as those of the constructor.

        >>> tf.DeviceSpec(job="worker").replace(task=1).to_string()
        '/job:worker/task:1'
        """
        return type(self)(**{**self._parts(), **kwargs})

    def _parts(self) -> dict[str, Any]:
        return {
            "job": self._job,
            "replica": self._replica,
            "task": self._task,
            "device_type": self._device_type,
            "device_index": self._device_index,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(tuple(self._parts().values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self._parts().items())
        return f"<DeviceSpec({shown})>"

    def __reduce__(self) -> Any:
        return type(self), tuple(self._parts().values())


def _parsed(key: str, values: list[str], spec: str, typed: bool) -> dict[str, Any]:
    """Returns what one part of a name says."""
    if key in ("job", "replica", "task") and len(values) == 1:
        return {key: values[0] if key == "job" else int(values[0])}
    if key == "device" and len(values) == 2:
        key, values = values[0], values[1:]
    elif key.upper() not in DEVICE_TYPES or len(values) > 1:
        raise ValueError(
            f"Unknown attribute '{key}' is encountered while parsing the device spec: '{spec}'."
        )
    if typed:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}."
        )
    index = values[0] if values else "*"
    return {"device_type": key, "device_index": None if index == "*" else int(index)}
