"""The functions of `tf.data.experimental` that are methods of datasets, for `Dataset.apply`."""

import inspect
from collections.abc import Callable
from typing import Any

from tapefacade._data.dataset import Dataset
from tapefacade._ops.op import register

DOCUMENTATION = """Makes the step `tf.data.Dataset.{0}`, which has the same arguments, for `Dataset.apply`.

    Returns:
        A function of a dataset.
    """


def _step(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def step(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda dataset: method(dataset, *args, **kwargs)

    signature = inspect.signature(method)
    parameters = [p for p in list(signature.parameters.values())[1:] if p.name != "name"]
    step.__signature__ = signature.replace(parameters=parameters)
    step.__doc__ = DOCUMENTATION.format(method.__name__)
    step.__name__ = step.__qualname__ = name
    register((f"data.experimental.{name}",), step)
    return step


bucket_by_sequence_length = _step("bucket_by_sequence_length", Dataset.bucket_by_sequence_length)
enumerate_dataset = _step("enumerate_dataset", Dataset.enumerate)
group_by_window = _step("group_by_window", Dataset.group_by_window)
ignore_errors = _step("ignore_errors", Dataset.ignore_errors)
parallel_interleave = _step("parallel_interleave", Dataset.interleave)
rejection_resample = _step("rejection_resample", Dataset.rejection_resample)
scan = _step("scan", Dataset.scan)
snapshot = _step("snapshot", Dataset.snapshot)
take_while = _step("take_while", Dataset.take_while)
unbatch = _step("unbatch", Dataset.unbatch)
unique = _step("unique", Dataset.unique)
