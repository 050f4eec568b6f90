"""What functions of tensors do with extension types: tf.experimental.dispatch_for_api, ..."""

import contextlib
import typing

from programs.extension_types import _answers, _masked


def _undone(tf, *targets):
    """Takes registrations back, so that programs do not meet."""
    for target in targets:
        with contextlib.suppress(KeyError):  # TensorFlow's, for assertions
            tf.experimental.unregister_dispatch_for(target)


def one_function(tf, np):
    masked = _masked(tf)

    @tf.experimental.dispatch_for_api(tf.math.add, {"x": masked}, {"y": masked})
    def add(x, y, name=None):
        a = x if isinstance(x, masked) else masked(x, True)
        b = y if isinstance(y, masked) else masked(y, True)
        return masked(a.values + b.values, a.mask & b.mask)

    x = masked([1, 2], [True, False])
    found = _answers(
        tf,
        lambda: tf.add(x, x),
        lambda: tf.add(x, 10),
        lambda: tf.math.add(tf.constant([5, 6]), y=x),
        lambda: tf.add(x=x, y=x, name="a"),
        lambda: tf.add(tf.constant(1), 2),
        lambda: x + x,
        lambda: tf.constant([1, 2]) + x,
        lambda: tf.subtract(x, x),
        lambda: tf.function(lambda a: tf.add(a, a))(x),
        lambda: tf.add([x], [x]),
    )
    _undone(tf, add)
    found += _answers(tf, lambda: tf.add(x, x), lambda: tf.add(1, 2))
    return [item if not hasattr(item, "text") else item.name for item in found]


def annotations(tf, np):
    masked = _masked(tf)

    @tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[masked]})  # noqa: UP006
    def concat(values, axis):
        parts = [v.values for v in values], [v.mask for v in values]
        return masked(tf.concat(parts[0], axis), tf.concat(parts[1], axis))

    @tf.experimental.dispatch_for_api(tf.shape)
    def shape(input: masked, out_type=tf.int32):
        return tf.shape(input.values, out_type)

    @tf.experimental.dispatch_for_api(
        tf.maximum,
        {
            "x": typing.Union[masked, tf.Tensor],  # noqa: UP007
            1: typing.Union[masked, tf.Tensor],  # noqa: UP007
        },
    )
    def maximum(x, y):
        return "maximum"

    @tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": masked})
    def total(input_tensor, axis=None, keepdims=False):
        return "sum", axis, keepdims

    @tf.experimental.dispatch_for_api(tf.stack, {"values": list[masked], "axis": int})
    def stack(values, axis=0):
        return "stack", len(values), axis

    x = masked([1, 2], [True, False])
    found = _answers(
        tf,
        lambda: tf.concat([x, x], 0),
        lambda: tf.concat((x, x), axis=-1),
        lambda: tf.concat([x, tf.constant([1])], 0),
        lambda: tf.concat([tf.constant([1]), tf.constant([2])], 0),
        lambda: tf.shape(x),
        lambda: tf.shape(x, tf.int64),
        lambda: tf.shape(input=x, name="s"),
        lambda: tf.shape([1, 2]),
        lambda: tf.maximum(x, x),
        lambda: tf.maximum(tf.constant(1), x),
        lambda: tf.maximum(1, x),
        lambda: tf.maximum(tf.constant(1), tf.constant(2)),
        lambda: tf.reduce_sum(x),
        lambda: tf.reduce_sum(x, 1, True),
        lambda: tf.reduce_sum(x, axis=[0]),
        lambda: tf.reduce_sum([1, 2]),
        lambda: tf.stack([x, x]),
        lambda: tf.stack([x, x], 1),
        lambda: tf.stack([x, x], tf.constant(1)),
        lambda: tf.stack([1, 2]),
    )
    _undone(tf, concat, shape, maximum, total, stack)
    return [item if not hasattr(item, "text") else item.name for item in found]


def several_targets(tf, np):
    masked = _masked(tf)

    class Other(tf.experimental.ExtensionType):
        x: tf.Tensor

    api = tf.experimental.dispatch_for_api

    @api(tf.multiply, {"x": masked})
    def first(x, y):
        return "first"

    @api(tf.multiply, {"y": Other})
    def second(x, y):
        return "second"

    @api(tf.negative, {"x": masked})
    def declines(x):
        return NotImplemented

    @api(tf.exp, {"x": masked})
    def masked_exp(x):
        return "masked"

    @api(tf.exp, {"x": Other})
    def other_exp(x):
        return "other"

    @api(tf.exp, {"x": tf.RaggedTensor})
    def ragged_exp(x):
        return "ragged"

    class Narrow(masked):
        pass

    x, o = masked([1.0], [True]), Other(1.0)
    found = _answers(
        tf,
        lambda: tf.multiply(x, 2),
        lambda: tf.multiply(2, o),
        lambda: tf.multiply(x, o),
        lambda: tf.negative(x),
        lambda: (tf.exp(x), tf.exp(o), tf.exp(Narrow([1.0], [True]))),
        lambda: tf.exp(0.0),
    )
    _undone(tf, first, second, declines, masked_exp, other_exp, ragged_exp)
    return [item if not hasattr(item, "text") else (item.name, item.text[:60]) for item in found]


def many_functions(tf, np):
    class Box(tf.experimental.ExtensionType):
        t: tf.Tensor

    b = Box([[1.0, 2.0], [3.0, 4.0]])
    cases = (
        (tf.matmul, "a", (b, b)), (tf.reshape, "tensor", (b, [4])), (tf.transpose, "a", (b,)),
        (tf.expand_dims, "input", (b, 0)), (tf.squeeze, "input", (b,)), (tf.rank, "input", (b,)),
        (tf.size, "input", (b,)), (tf.gather, "params", (b, [0])), (tf.tile, "input", (b, [1, 2])),
        (tf.where, "x", (True, b, b)), (tf.boolean_mask, "tensor", (b, [True, False])),
        (tf.one_hot, "indices", (b, 3)), (tf.reduce_mean, "input_tensor", (b,)),
        (tf.reduce_max, "input_tensor", (b, 0)), (tf.argmax, "input", (b, 1)),
        (tf.nn.softmax, "logits", (b,)), (tf.nn.dropout, "x", (b, 0.5)),
        (tf.cast, "x", (b, tf.int32)),
        (tf.zeros_like, "input", (b,)), (tf.ones_like, "input", (b, tf.int32)),
        (tf.clip_by_value, "t", (b, 0.0, 1.0)), (tf.pad, "tensor", (b, [[1, 1], [0, 0]])),
        (tf.slice, "input_", (b, [0, 0], [1, 1])), (tf.split, "value", (b, 2)),
        (tf.unstack, "value", (b,)), (tf.linalg.det, "input", (b,)), (tf.norm, "tensor", (b,)),
        (tf.sort, "values", (b,)), (tf.cumsum, "x", (b,)), (tf.roll, "input", (b, 1, 0)),
        (tf.repeat, "input", (b, 2)), (tf.broadcast_to, "input", (b, [2, 2, 2])),
        (tf.identity, "input", (b,)), (tf.stop_gradient, "input", (b,)),
        (tf.nn.relu, "features", (b,)), (tf.eye, "num_rows", (b,)),
        (tf.tensor_scatter_nd_update, "tensor", (b, [[0]], [[0.0, 0.0]])),
        (tf.linalg.matvec, "a", (b, [1.0, 2.0])), (tf.reverse, "tensor", (b, [0])),
        (tf.math.segment_sum, "data", (b, [0, 0])), (tf.nn.l2_normalize, "x", (b,)),
        (tf.nn.bias_add, "value", (b, [1.0, 2.0])), (tf.image.flip_left_right, "image", (b,)),
        (tf.fill, "value", ([2], b)), (tf.range, "start", (b,)),
        (tf.convert_to_tensor, "value", (b,)),
        (tf.nn.log_softmax, "logits", (b,)), (tf.math.top_k, "input", (b,)), (tf.unique, "x", (b,)),
        (tf.ensure_shape, "x", (b, [2, 2])), (tf.shape_n, "input", ([b, b],)),
    )  # fmt: skip
    found = []
    for api, parameter, args in cases:
        target = None
        try:

            def called(*args, **kwargs):
                return "dispatched"

            kind = list[Box] if isinstance(args[0], list) else Box
            kind = Box if api is tf.fill else kind
            target = tf.experimental.dispatch_for_api(api, {parameter: kind})(called)
            found.append(api(*args))
        except Exception as error:
            found.append(type(error).__name__)
        finally:
            if target is not None:
                _undone(tf, target)
    dense = b.t
    found.append([tf.cast(dense, tf.int32), tf.zeros_like(dense), tf.pad(dense, [[1, 0], [0, 0]])])
    return found


def refusals(tf, np):
    masked = _masked(tf)
    api = tf.experimental.dispatch_for_api
    found = _answers(
        tf,
        lambda: api(3),
        lambda: api(tf.einsum, {"x": masked}),
        lambda: api(tf.meshgrid, {"x": masked}),
        lambda: api(len, {"x": masked}),
        lambda: api(tf.abs, {"q": masked}),
        lambda: api(tf.abs, {5: masked}),
        lambda: api(tf.abs, {1.5: masked}),
        lambda: api(tf.abs, 3),
        lambda: api(tf.abs, {"x": tuple[int, str]}),
        lambda: api(tf.abs, {"x": 3}),
        lambda: api(tf.abs, {"x": masked})(3),
        lambda: api(tf.abs, {"x": masked})(lambda y: y),
        lambda: api(tf.abs, {"x": masked})(lambda x, y: y),
        lambda: api(tf.add, {"x": masked})(lambda y, x: y),
        lambda: api(tf.add, {"x": masked})(lambda x, y, *, name=None: y),
        lambda: api(tf.abs)(lambda x: x),
        lambda: tf.experimental.unregister_dispatch_for(len),
    )
    return [item.name if "<function" in getattr(item, "text", "") else item for item in found]


def elementwise(tf, np):
    masked = _masked(tf)
    experimental = tf.experimental

    @experimental.dispatch_for_unary_elementwise_apis(masked)
    def unary(api, x):
        return masked(api(x.values), x.mask)

    @experimental.dispatch_for_binary_elementwise_apis(masked, masked)
    def binary(api, x, y):
        return masked(api(x.values, y.values), x.mask & y.mask)

    @experimental.dispatch_for_binary_elementwise_apis(
        masked,
        typing.Union[tf.Tensor, float, int],  # noqa: UP007
    )
    def mixed(api, x, y):
        return masked(api(x.values, y), x.mask)

    @experimental.dispatch_for_binary_elementwise_assert_apis(masked, masked)
    def assertion(api, x, y):
        both = tf.logical_and(x.mask, y.mask)
        api(tf.boolean_mask(x.values, both), tf.boolean_mask(y.values, both))

    x = masked([1.0, -2.0, 3.0], [True, False, True])
    y = masked([4.0, 5.0, 3.0], [True, True, False])
    words = masked(["a", "bcd"], True)
    apis = (
        tf.abs, tf.negative, tf.exp, tf.math.log1p, tf.nn.relu, tf.nn.elu, tf.sigmoid, tf.square,
        tf.math.erf, tf.nn.gelu, tf.sign, tf.round, tf.ones_like, tf.zeros_like, tf.math.is_nan,
        tf.math.special.dawsn, tf.tanh, tf.strings.as_string,
    )  # fmt: skip
    found = []
    for api in apis:
        found.append(api(x))
    for api in (
        tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.equal,
        tf.greater, tf.less_equal, tf.math.squared_difference, tf.math.xlogy, tf.math.floormod,
        tf.math.divide_no_nan, tf.not_equal,
    ):  # fmt: skip
        found.append(api(x, y))
    found += [
        tf.cast(x, tf.int32),
        tf.cast(x, dtype=tf.int32, name="c"),
        tf.clip_by_value(x, 0.0, 2.0),
        tf.ones_like(x, dtype=tf.int64),
        tf.nn.leaky_relu(x, alpha=0.5),
        tf.math.round(x=x),
        tf.dtypes.saturate_cast(x, tf.uint8),
        tf.strings.length(words, unit="BYTE"),
        tf.strings.upper(words),
        tf.multiply(x, 2.0),
        tf.multiply(x, tf.constant(3.0)),
        tf.add(x=x, y=y),
        tf.debugging.assert_equal(x, masked([1.0, 7.0, 3.0], [True, True, True])),
        tf.debugging.assert_less(x, masked([1.5, 7.0, 8.0], [True, True, True])),
        tf.function(lambda a, b: tf.exp(tf.add(a, b)))(x, y),
    ]
    refused = _answers(
        tf,
        lambda: tf.debugging.assert_greater(x, y),
        lambda: tf.add(2.0, x),
        lambda: tf.add(x, "a"),
        lambda: tf.reduce_sum(x),
        lambda: experimental.dispatch_for_unary_elementwise_apis(masked)(unary),
        lambda: experimental.dispatch_for_binary_elementwise_apis(masked, masked)(binary),
        lambda: experimental.dispatch_for_binary_elementwise_assert_apis(masked, masked)(binary),
    )
    found = [
        item if item is None or isinstance(item, tf.Tensor) else [item.values, item.mask]
        for item in found
    ]
    found += [item.name for item in refused]
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.multiply(tf.square(x), y).values)
    found.append(tape.gradient(loss, x.values))
    _undone(tf, unary, binary, mixed, assertion)
    after = _answers(tf, lambda: tf.abs(x), lambda: tf.cast(x, tf.int32), lambda: tf.add(x, y))
    found += [item.name for item in after]
    return [*found, tf.cast([1.5], tf.int32), tf.abs(-1)]
