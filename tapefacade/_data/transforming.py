"""The methods of `tf.data.Dataset` that choose or order elements."""

from collections.abc import Callable
from typing import Any

from tapefacade._data.base import Base, common_options
from tapefacade._data.caching import Cache
from tapefacade._data.combining import Concatenate, Enumerate
from tapefacade._data.mapping import AUTOTUNE
from tapefacade._data.numbers import seeds_of
from tapefacade._data.selecting import (
    IgnoreErrors,
    Repeat,
    Shard,
    Shuffle,
    Skip,
    Take,
    Unbatch,
    Unique,
)
from tapefacade._data.storing import FileCache
from tapefacade._data.structures import integer, leaves, op_error
from tapefacade._data.threads import Prefetch
from tapefacade._io.errors import as_path


class Transforming(Base):
    """Makes datasets of the elements of a dataset."""

    def take(self, count: Any, name: str | None = None) -> Any:
        """Makes a dataset of the first elements.

        Args:
            count: how many at most; -1 for all.
            name: ignored.

        >>> list(tf.data.Dataset.range(5).take(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._made(Take(self._node, integer(count)))

    def skip(self, count: Any, name: str | None = None) -> Any:
        """Makes a dataset of all but the first elements.

        Args:
            count: how many are left out; -1 for all.
            name: ignored.

        >>> list(tf.data.Dataset.range(5).skip(3).as_numpy_iterator())
        [np.int64(3), np.int64(4)]
        """
        return self._made(Skip(self._node, integer(count)))

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """Makes a dataset of the elements several times.

        Args:
            count: how often; None or -1 for without end.
            name: ignored.

        >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        return self._made(Repeat(self._node, -1 if count is None else integer(count)))

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of the elements in a random order.

        With a seed, or a global seed, the order is TensorFlow's.

        Args:
            buffer_size: among how many elements the next one is chosen;
                `tf.data.UNKNOWN_CARDINALITY` for all.
            seed: an integer.
            reshuffle_each_iteration: whether each iteration has an order of its own.
            name: ignored.

        Raises:
            InvalidArgumentError: if `buffer_size` is not positive.

        >>> tf.random.set_seed(1)
        >>> list(tf.data.Dataset.range(5).shuffle(5, seed=1).as_numpy_iterator())
        [np.int64(0), np.int64(4), np.int64(1), np.int64(3), np.int64(2)]
        """
        renew = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        size = integer(buffer_size)
        return self._made(Shuffle(self._node, size, seeds_of(seed), renew))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Makes a dataset of each n-th element.

        Args:
            num_shards: the distance of the elements.
            index: which is the first.
            name: ignored.

        Raises:
            InvalidArgumentError: if `index` is not among the shards.

        >>> list(tf.data.Dataset.range(5).shard(2, 1).as_numpy_iterator())
        [np.int64(1), np.int64(3)]
        """
        return self._made(Shard(self._node, integer(num_shards), integer(index)))

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """Makes a dataset that keeps its elements when they are first read.

        Args:
            filename: the files to keep them in; by default they are kept in memory.
            name: ignored.

        >>> list(tf.data.Dataset.range(2).cache().as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        path = as_path(filename)
        return self._made(FileCache(self._node, path) if path else Cache(self._node))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Any:
        """Makes a dataset whose elements a thread makes before they are wanted.

        Args:
            buffer_size: how many elements may wait; `tf.data.AUTOTUNE` for a few.
            name: ignored.

        Raises:
            InvalidArgumentError: if `buffer_size` is negative.

        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        size = integer(buffer_size)
        if size < AUTOTUNE:
            raise op_error(
                "PrefetchDataset",
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning",
            )
        return self._made(Prefetch(self._node, size))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Makes a dataset of pairs: a number and an element.

        Args:
            start: the first number.
            name: ignored.

        >>> list(tf.data.Dataset.range(5, 7).enumerate().as_numpy_iterator())
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        """
        return self._made(Enumerate(self._node, integer(start)))

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """Makes a dataset of the elements of this one, then those of another.

        Args:
            dataset: the other dataset, with elements of the same structure and dtypes.
            name: ignored.

        Raises:
            TypeError: if its elements are of other types.

        >>> one, other = tf.data.Dataset.range(1), tf.data.Dataset.range(5, 6)
        >>> list(one.concatenate(other).as_numpy_iterator())
        [np.int64(0), np.int64(5)]
        """
        node = Concatenate(self._node, dataset._node)
        mine, other = self._node.known_spec(), dataset._node.known_spec()
        if mine is not None and other is not None and _types(mine) != _types(other):
            raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.   {other}")
        made = self._made(node)
        made._own_options = common_options([self, dataset])
        return made

    def unique(self, name: str | None = None) -> Any:
        """Makes a dataset without the elements that came before.

        Args:
            name: ignored.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 1])
        >>> list(dataset.unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return self._made(Unique(self._node))

    def unbatch(self, name: str | None = None) -> Any:
        """Makes a dataset of the rows of the elements.

        Args:
            name: ignored.

        Raises:
            ValueError: if the elements have no rows, or different numbers of them.

        >>> dataset = tf.data.Dataset.range(3).batch(2)
        >>> list(dataset.unbatch().as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return self._made(Unbatch(self._node))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """Makes a dataset without the elements that cannot be made.

        Args:
            log_warning: ignored.
            name: ignored.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
        >>> checked = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "error"))
        >>> list(checked.ignore_errors().as_numpy_iterator())
        [np.float32(1.0), np.float32(0.5)]
        """
        return self._made(IgnoreErrors(self._node))

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Calls a function with this dataset.

        Args:
            transformation_func: takes a dataset and returns one.

        Raises:
            TypeError: if it returns something else.

        >>> len(tf.data.Dataset.range(5).apply(lambda dataset: dataset.take(2)))
        2
        """
        found = transformation_func(self)
        if not isinstance(found, Base):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}."
            )
        return found


def _types(spec: Any) -> list[Any]:
    return [getattr(leaf, "dtype", type(leaf)) for leaf in leaves(spec)] + [_form(spec)]


def _form(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: _form(spec[key]) for key in spec}
    return [_form(part) for part in spec] if isinstance(spec, tuple) else None
