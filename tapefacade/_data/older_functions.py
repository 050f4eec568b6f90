"""Functions of datasets in TensorFlow 1: `tf.compat.v1.data`."""

from typing import Any

from tapefacade._core import nest
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._definition.op import function
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._sparse.spec import SparseTensorSpec


@function("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Any:
    """Returns an iterator: `iter(dataset)` does so.

    Args:
        dataset: a dataset.

    >>> tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next().numpy()
    np.int64(0)
    """
    return iter(dataset)


def _of_specs(name: str, what: str, attribute: str, kinds: Any, shown: str) -> None:
    def part(spec: Any) -> Any:
        return getattr(spec, attribute) if isinstance(spec, kinds) else spec

    def get(dataset_or_iterator: Any) -> Any:
        return nest.map_structure(part, dataset_or_iterator.element_spec)

    get.__name__ = get.__qualname__ = name
    get.__doc__ = f"""Returns {what} of elements, in their structure.

    Args:
        dataset_or_iterator: a dataset or an iterator.

    Returns:
        A structure; in the place of an optional value and the like is its `tf.TypeSpec`.

    >>> tf.compat.v1.data.{name}(tf.data.Dataset.range(3))
    {shown}
    """
    globals()[name] = function(f"compat.v1.data.{name}")(get)


PLAIN = (TensorSpec, SparseTensorSpec)
WITH_ROWS = (*PLAIN, RaggedTensorSpec)
_of_specs("get_output_types", "the dtypes", "dtype", WITH_ROWS, "tf.int64")
_of_specs("get_output_shapes", "the shapes", "shape", WITH_ROWS, "TensorShape([])")
_of_specs("get_output_classes", "the classes", "value_type", PLAIN, "<class '...Tensor'>")
