"""Second derivatives: `tf.autodiff.hessian`, `hvp` (a Hessian times vectors) and `laplacian`."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor, Tensor
from tapefacade._definition.op import function
from tapefacade._ops.array.creation import one_hot, zeros
from tapefacade._ops.array.joining import split, stack
from tapefacade._ops.array.shaping import broadcast_to, reshape
from tapefacade._state.variable import Variable
from tapefacade._tape.backward_pass import CodeOnTheWayError
from tapefacade._tape.derivatives.derivative import HESSIAN, HVP, LAPLACIAN
from tapefacade._tape.gradient_arguments import checked_sources
from tapefacade._tape.tape import GradientTape
from tapefacade._trace.recording import THREAD

MESSAGE_NOT_REAL = "Second derivatives are those of real floating numbers; {} is {}."
MESSAGE_CLOSED = (
    "A gradient made by hand lies on the way, and values have been looked at since: the second "
    "derivative can only be computed before that, or of a function."
)


def _other_nest(vectors: Any) -> str:
    return f"The vectors are no nest like the sources: {vectors!r}."


@function("autodiff.hvp")
def hvp(target: Any, sources: Any, vectors: Any, tape: GradientTape | None = None) -> Any:
    """Computes the Hessian of a scalar times a vector, without computing the Hessian.

    Args:
        target: a function of the sources (or of nothing, if it reads them), or what `tape` has
            recorded. If it is no scalar, its elements are summed.
        sources: a tensor or variable, or a nest of these. A function is called with the elements
            of a list or tuple, or with anything else as its only argument.
        vectors: a nest like `sources` of values in their shapes.
        tape: the tape, if `target` is not a function.

    Returns:
        A nest like `sources` of tensors in their shapes. Zeros for a source that the target is
        linear in, or does not depend on.

    Raises:
        TypeError: if something is not real, `target` is no function and there is no tape, or is a
            function and there is one.
        ValueError: if `vectors` does not match `sources`.
        RuntimeError: if a tape that is not persistent has been used already.

    The cost is two to four times that of the gradient, in time and memory, whatever the number of
    sources: forward over reverse mode, in one op.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.autodiff.hvp(lambda x: tf.reduce_prod(x) ** 2, x, [1.0, 0.0]).numpy()
    array([8., 8.], dtype=float32)

    Of what a tape has recorded:

    >>> with tf.GradientTape() as tape:
    ...     loss = tf.reduce_prod(x) ** 2
    >>> tf.autodiff.hvp(loss, x, [1.0, 0.0], tape).numpy()
    array([8., 8.], dtype=float32)
    """
    flat = _checked(sources)
    given = _vectors(sources, flat, vectors)
    view, target = _recorded(target, sources, flat, tape)
    try:
        results = view._derive(HVP, [target], flat, given)
    except CodeOnTheWayError:
        gradients, view = _continued(view, target, flat)
        pairs = [(g, v) for g, v in zip(gradients, given, strict=True) if g is not None]
        results = view._derive_flat([g for g, _ in pairs], flat, [v for _, v in pairs])
    filled = [
        zeros(source.shape, source.dtype) if result is None else dense(result)
        for source, result in zip(flat, results, strict=True)
    ]
    return nest.pack_sequence_as(sources, filled)


@function("autodiff.hessian")
def hessian(target: Any, sources: Any, tape: GradientTape | None = None) -> Any:
    """Computes the second derivatives of a scalar.

    Args:
        target: a function of the sources (or of nothing, if it reads them), or what `tape` has
            recorded. If it is no scalar, its elements are summed.
        sources: a tensor or variable, or a nest of these. A function is called with the elements
            of a list or tuple, or with anything else as its only argument.
        tape: the tape, if `target` is not a function.

    Returns:
        For a single source a tensor of shape `source.shape + source.shape`. For a nest a nest like
        it, of nests like it: `result[i][j]` has the shape `sources[i].shape + sources[j].shape`.
        Zeros where the target is linear, or does not depend on a source.

    Raises:
        TypeError: if something is not real, `target` is no function and there is no tape, or is a
            function and there is one.
        RuntimeError: if a tape that is not persistent has been used already.

    The cost is that of one `hvp` for each element of the sources, vectorized; in chunks where all
    of them would take more than a GiB. Take `hvp` if the product with a vector is all you need.

    >>> x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    >>> blocks = tf.autodiff.hessian(lambda x, y: y * tf.reduce_sum(x ** 2), [x, y])
    >>> blocks[0][0].numpy()
    array([[6., 0.],
           [0., 6.]], dtype=float32)
    >>> blocks[0][1].numpy()
    array([2., 4.], dtype=float32)
    """
    flat = _checked(sources)
    view, target = _recorded(target, sources, flat, tape)
    try:
        rows = view._derive(HESSIAN, [target], flat, [None])
        blocks = _blocks(rows, flat)
    except CodeOnTheWayError:
        gradients, view = _continued(view, target, flat)
        blocks = [
            [None] * len(flat) if gradient is None else view.jacobian(gradient, flat)
            for gradient in gradients
        ]
    shapes = [source.shape.as_list() for source in flat]
    filled = [
        [
            zeros(shapes[i] + shapes[j], flat[i].dtype) if block is None else block
            for j, block in enumerate(row)
        ]
        for i, row in enumerate(blocks)
    ]
    return nest.pack_sequence_as(sources, [nest.pack_sequence_as(sources, row) for row in filled])


@function("autodiff.laplacian")
def laplacian(target: Any, source: Any, tape: GradientTape | None = None) -> Any:
    """Computes the Laplacian: the sum of the second derivatives along the last dimension.

    Args:
        target: a function of the source (or of nothing, if it reads it), or what `tape` has
            recorded; of shape `[..., *value]`.
        source: a tensor or variable of shape `[..., d]`: points in d dimensions. What is computed
            for one point must not depend on the others.
        tape: the tape, if `target` is not a function.

    Returns:
        A tensor of the shape and dtype of the target: for every value the sum of its d second
        derivatives for the coordinates of its point. Zeros where the target is linear.

    Raises:
        TypeError: if something is not real, `target` is no function and there is no tape, or is a
            function and there is one.
        ValueError: if `source` is a scalar, or the target's shape does not begin with that of the
            points.
        RuntimeError: if a tape that is not persistent has been used already.

    The cost is that of d second derivatives in a direction (each about four times the function),
    vectorized: forward over forward mode for all points together, so that no Hessian is computed
    and memory does not grow with the depth of the function; in chunks where it would take more
    than a GiB. It is differentiable: an outer tape gives the gradient for a network's weights.

    >>> points = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.autodiff.laplacian(lambda x: tf.reduce_sum(x ** 3, axis=-1), points).numpy()
    array([18., 42.], dtype=float32)
    """
    flat = _checked([source])
    if source.shape.rank == 0:
        raise ValueError("The source of a Laplacian has the shape [..., d]; it is a scalar.")
    view, target = _recorded(target, source, flat, tape)
    points = source.shape[:-1].as_list()
    if target.shape.as_list()[: len(points)] != points:
        raise ValueError(
            f"The target of a Laplacian has a value for each point: its shape {target.shape} does "
            f"not begin with {points}, as the source's {source.shape}."
        )
    try:
        (result,) = view._derive(LAPLACIAN, [target], flat, [None])
    except CodeOnTheWayError:
        result = _laplacian_by_tapes(view, target, source)
    return zeros(target.shape, target.dtype) if result is None else result


def _checked(sources: Any) -> list[Any]:
    """Returns the sources as a list.

    Raises:
        TypeError: if one is not real.
    """
    flat = checked_sources(nest.flatten(sources))
    for place, source in enumerate(flat):
        if not source.dtype.is_floating:
            raise TypeError(MESSAGE_NOT_REAL.format(f"source {place}", source.dtype.name))
    return flat


def _vectors(sources: Any, flat: Sequence[Any], vectors: Any) -> list[EagerTensor]:
    """Returns a vector for each source.

    Raises:
        ValueError: if they do not match.
    """
    given = list(_matched(sources, vectors))
    results = [convert(v, source.dtype) for v, source in zip(given, flat, strict=True)]
    for place, (vector, source) in enumerate(zip(results, flat, strict=True)):
        if vector.shape != source.shape:
            raise ValueError(
                f"Vector {place} has shape {vector.shape}, its source has shape {source.shape}."
            )
    return results


def _matched(sources: Any, vectors: Any) -> Iterator[Any]:
    """Yields what stands in the place of each source; a vector may be a list of numbers."""
    if isinstance(sources, Mapping):
        if not isinstance(vectors, Mapping) or set(vectors) != set(sources):
            raise ValueError(_other_nest(vectors))
        for key in sorted(sources):
            yield from _matched(sources[key], vectors[key])
    elif isinstance(sources, list | tuple):
        if not isinstance(vectors, list | tuple) or len(vectors) != len(sources):
            raise ValueError(_other_nest(vectors))
        for source, vector in zip(sources, vectors, strict=True):
            yield from _matched(source, vector)
    else:
        yield vectors


def _recorded(
    target: Any, sources: Any, flat: Sequence[Any], tape: GradientTape | None
) -> tuple["_TapeView", Any]:
    """Returns a view of the tape that has recorded the target, and the target."""
    is_tensor = isinstance(target, Tensor | Variable)
    result: Any = target
    if is_tensor or not callable(target):
        if tape is None or not is_tensor:
            raise TypeError(
                "The target is a function of the sources, or a tensor together with the tape that "
                f"recorded it; given {target!r} and {tape!r}."
            )
    elif tape is not None:
        raise TypeError("A target that is a function takes no tape: it is recorded here.")
    else:
        tape = GradientTape(watch_accessed_variables=False)
        with tape:
            tape.watch(list(flat))
            result = convert(_called(target, sources))
    if not result.dtype.is_floating:
        raise TypeError(MESSAGE_NOT_REAL.format("the target", result.dtype.name))
    return _TapeView(tape), result


def _called(target: Callable[..., Any], sources: Any) -> Any:
    try:
        takes_nothing = not inspect.signature(target).parameters
    except ValueError:  # a function in C
        takes_nothing = False
    if takes_nothing:
        return target()
    return target(*sources) if isinstance(sources, list | tuple) else target(sources)


class _TapeView(GradientTape):
    """What a tape has recorded, for more than one question; the tape is used up unless it may not.

    Args:
        tape: the tape.
    """

    def __init__(self, tape: GradientTape) -> None:
        super().__init__(persistent=True)
        tape._check_unused()
        if tape._recording and not tape._persistent:
            tape._pop()
        self._trace, self._data, self._end = tape._trace, tape._data, tape._end
        self._intervals, self._watched = list(tape._intervals), dict(tape._watched)
        self._variables = dict(tape._variables)
        if tape._recording:
            assert tape._trace is not None
            self._end = tape._trace.at
            self._intervals.append((tape._start, self._end.end))
        if not tape._persistent:
            tape._release()

    def extend(self, start: int) -> None:
        """Takes in what has been recorded from a position on."""
        assert self._trace is not None
        self._end = self._trace.at
        self._intervals.append((start, self._end.end))

    @property
    def is_open(self) -> bool:
        """Whether the recording goes on."""
        trace = self._trace
        return trace is not None and THREAD.recording is trace and trace.data is self._data

    def _derive_flat(
        self, targets: Sequence[Any], sources: Sequence[Any], upstream: Sequence[Any]
    ) -> list[Any]:
        if not targets:
            return [None] * len(sources)
        return self.gradient(list(targets), list(sources), list(upstream))


def _continued(view: _TapeView, target: Any, flat: Sequence[Any]) -> tuple[list[Any], _TapeView]:
    """Records the gradients, and returns them with a view that has seen it.

    Raises:
        RuntimeError: if it is too late for that.
    """
    trace = view._trace
    assert trace is not None
    start = trace.at.end
    gradients = [
        None if gradient is None else dense(gradient)
        for gradient in (view.gradient(target, list(flat)) if view.is_open else ())
    ]
    if not view.is_open:  # or the gradient function has looked at a value
        raise RuntimeError(MESSAGE_CLOSED)
    view.extend(start)
    return gradients, view


def _blocks(rows: Sequence[Any], flat: Sequence[Any]) -> list[list[Any]]:
    """Cuts the rows of a Hessian into a block for each pair of sources."""
    shapes = [source.shape.as_list() for source in flat]
    on = [place for place, row in enumerate(rows) if row is not None]
    sizes = [flat[place].shape.num_elements() for place in on]
    blocks: list[list[Any]] = []
    for place, row in enumerate(rows):
        found: list[Any] = [None] * len(flat)
        if row is not None:
            parts = split(row, sizes, axis=1) if len(on) > 1 else [row]
            for other, part in zip(on, parts, strict=True):
                found[other] = reshape(part, shapes[place] + shapes[other])
        blocks.append(found)
    return blocks


def _laplacian_by_tapes(view: _TapeView, target: Any, source: Any) -> Any:
    """Computes a Laplacian value by value, where gradients are made by hand."""
    rank = source.shape.rank - 1
    count = target.shape[rank:].num_elements()
    shape = [*source.shape[:-1].as_list(), count]
    results = []
    for value in range(count):
        basis = one_hot(value, count, dtype=target.dtype)
        upstream = broadcast_to(basis, shape)
        results.append(_one_laplacian(view, target, source, reshape(upstream, target.shape)))
    zero = zeros(source.shape[:-1], target.dtype)
    stacked = stack([zero if r is None else r for r in results], axis=-1)
    return reshape(stacked, target.shape)


def _one_laplacian(view: _TapeView, target: Any, source: Any, upstream: Any) -> Any:
    trace = view._trace
    assert trace is not None
    start = trace.at.end
    gradient = view.gradient(target, source, upstream) if view.is_open else None
    if not view.is_open:
        raise RuntimeError(MESSAGE_CLOSED)
    if gradient is None:
        return None
    view.extend(start)
    total = None
    for place in range(source.shape[-1]):
        basis = one_hot(place, source.shape[-1], dtype=source.dtype)
        row = view.gradient(gradient, source, broadcast_to(basis, source.shape))
        if row is not None:
            part = dense(row)[..., place]
            total = part if total is None else total + part
    return total


def dense(gradient: Any) -> Any:
    """Returns a gradient as a tensor, also that of a table whose rows were taken."""
    return convert_to_tensor(gradient) if isinstance(gradient, CompositeTensor) else gradient
