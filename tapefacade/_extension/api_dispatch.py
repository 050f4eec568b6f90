"""What users say that functions of tensors do with their own classes: `dispatch_for_api`, ...

Calls of others pay nothing. An op asks here after a value could not be converted (`hand_over`); of
any other function the code is exchanged, once somebody has registered a target for it, for one that
asks first: the function itself is known under its name in many modules.
"""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from tapefacade._core.dispatch import TARGETS, CompositeTensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._definition.op import function

UNARY_ELEMENTWISE = """
    bitwise.invert cast clip_by_value debugging.check_numerics dtypes.saturate_cast
    image.adjust_brightness image.adjust_gamma image.convert_image_dtype
    image.random_brightness image.stateless_random_brightness io.decode_base64
    io.decode_compressed io.encode_base64 math.abs math.acos math.acosh math.angle math.asin
    math.asinh math.atan math.atanh math.bessel_i0 math.bessel_i0e math.bessel_i1
    math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf math.erfc
    math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.is_finite
    math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.logical_not
    math.ndtri math.negative math.nextafter math.real math.reciprocal math.reciprocal_no_nan
    math.rint math.round math.rsqrt math.sigmoid math.sign math.sin math.sinh math.softplus
    math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0
    math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
    math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.sqrt
    math.square math.tan math.tanh nn.elu nn.gelu nn.leaky_relu nn.relu
    nn.relu6 nn.selu nn.silu nn.softsign ones_like strings.as_string strings.length
    strings.lower strings.regex_full_match strings.regex_replace strings.strip strings.substr
    strings.to_hash_bucket strings.to_hash_bucket_fast strings.to_hash_bucket_strong
    strings.to_number strings.unicode_script strings.unicode_transcode strings.upper
    zeros_like
"""
BINARY_ELEMENTWISE = """
    bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift dtypes.complex math.add math.atan2 math.divide math.divide_no_nan
    math.equal math.floordiv math.floormod math.greater math.greater_equal math.less
    math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum
    math.minimum math.multiply math.multiply_no_nan math.not_equal math.pow math.scalar_mul
    math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py math.xlogy
    math.zeta nn.sigmoid_cross_entropy_with_logits realdiv truncatediv truncatemod
"""
BINARY_ELEMENTWISE_ASSERTIONS = """
    debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal
    debugging.assert_less debugging.assert_less_equal debugging.assert_near
    debugging.assert_none_equal
"""
ANNOTATIONS = "Supported annotations: type objects,  List[...], and Union[...]"
OWN_MODULES = __name__.partition(".")[0] + "._"
POSITIONAL_KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
VARIADIC_KINDS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


# Whether a value is of an annotated type. Each test returns None if it is not, else whether there
# is a value made of tensors in it: without one nothing is dispatched.
Test = Callable[[Any], bool | None]


def type_test(annotation: Any) -> Test:
    """Makes the test of an annotation.

    Raises:
        ValueError: if there is none for it.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is None:
        annotation = type(None)
    if origin in (typing.Union, types.UnionType):
        options = [type_test(part) for part in parts]
        return lambda value: _best([option(value) for option in options])
    if origin is list:
        return functools.partial(_tested_list, type_test(parts[0]))
    if isinstance(annotation, type) and origin is None:
        return lambda value: _is_composite(value) if isinstance(value, annotation) else None
    raise ValueError(
        f"Type annotation {annotation} is not currently supported by dispatch.  {ANNOTATIONS}"
    )


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _best(found: list[bool | None]) -> bool | None:
    return max((answer for answer in found if answer is not None), default=None)


def _tested_list(test: Test, value: Any) -> bool | None:
    if not isinstance(value, list | tuple):
        return None
    found = [test(item) for item in value]
    return None if None in found else any(found)


def has_composite(values: Any) -> bool:
    """Whether there is a value made of tensors among arguments, or in a list among them."""
    return any(
        _is_composite(value) or (isinstance(value, list | tuple) and any(map(_is_composite, value)))
        for value in values
    )


class Dispatcher:
    """The targets of one function."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self.signature = bare_signature(api)
        self._targets: list[tuple[Any, dict[str, Test]]] = []
        self._restore: Callable[[], None] | None = None  # if the function's code is exchanged

    def add(self, target: Any, tests: dict[str, Test]) -> None:
        """Registers a target for arguments that pass tests."""
        definition = getattr(self._api, "op", None)
        converted = [] if definition is None else [p.name for p in definition.tensors]
        if self._restore is None and not set(tests) <= set(converted):
            self._restore = ask_dispatcher_first(self._api, self)
        self._targets.append((target, tests))

    def remove(self, target: Any) -> bool:
        """Takes a target out; returns whether it was there."""
        kept = [entry for entry in self._targets if entry[0] is not target]
        found = len(kept) < len(self._targets)
        self._targets = kept
        if not kept and self._restore is not None:
            self._restore()
            self._restore = None
        return found

    def __call__(self, args: Any, kwargs: Mapping[str, Any]) -> Any:
        """Calls the target for some arguments.

        Returns:
            What it returns; NotImplemented if there is none.

        Raises:
            ValueError: if there are several.
        """
        if not has_composite([*args, *kwargs.values()]):
            return NotImplemented
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return NotImplemented
        bound.apply_defaults()
        target: Any = None
        for candidate, tests in self._targets:
            found = [test(bound.arguments[name]) for name, test in tests.items()]
            if None in found or not any(found) or candidate is target:
                continue
            if target is not None:
                raise ValueError(
                    "Multiple dispatch targets that were registered with tf.dispatch_for "
                    f"({target} and {candidate}) match the arguments to {self._api.__name__}"
                )
            target = candidate
        return NotImplemented if target is None else target(*bound.args, **bound.kwargs)


def bare_signature(api: Any) -> inspect.Signature:
    """Returns a signature without annotations."""
    signature = inspect.signature(api)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=signature.empty)


def ask_dispatcher_first(api: Any, dispatcher: Dispatcher) -> Callable[[], None]:
    """Has a function ask a dispatcher first, wherever it is known.

    Returns:
        A function that undoes it.
    """
    held = (api.__code__, api.__defaults__, api.__kwdefaults__)
    original = types.FunctionType(
        api.__code__, api.__globals__, api.__name__, api.__defaults__, api.__closure__
    )
    original.__kwdefaults__ = api.__kwdefaults__

    def call(args: Any, kwargs: dict[str, Any]) -> Any:
        result = dispatcher(args, kwargs)
        return original(*args, **kwargs) if result is NotImplemented else result

    own_signature = api.__dict__.get("__signature__")
    api.__signature__ = inspect.signature(api)
    api.__code__ = _asking_code(len(api.__code__.co_freevars))
    api.__defaults__, api.__kwdefaults__ = None, {"_dispatched_call": call}

    def restore() -> None:
        api.__code__, api.__defaults__, api.__kwdefaults__ = held
        del api.__signature__
        if own_signature is not None:
            api.__signature__ = own_signature

    return restore


def _asking_code(count: int) -> types.CodeType:
    """Returns the code of a function with `count` free variables, as the one that it replaces."""
    names = "".join(f"_{k}, " for k in range(count))
    inner = "def call(*args, _dispatched_call, **kwargs):\n"
    held = f"({names})\n" if count else "()\n"
    text = (
        f"def outer({names}):\n    {inner}        {held}"
        "        return _dispatched_call(args, kwargs)\n    return call\n"
    )
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    return namespace["outer"](*[None] * count).__code__


# Registration.

# What was registered for all element-wise functions: types -> the handler, and its targets.
_HANDLERS: dict[tuple[Any, ...], tuple[Any, list[Any]]] = {}


def _name_of(api: Any) -> str:
    """Returns the canonical name of a function.

    Raises:
        ValueError: if its calls cannot be dispatched.
    """
    definition = getattr(api, "op", None)
    name = getattr(definition, "name", None)
    if name is None:
        name = next((name for name, known in FUNCTIONS.items() if known is api), None)
    if name is None and getattr(api, "__module__", "").startswith(OWN_MODULES):
        name = f"{api.__module__}.{api.__name__}"
    if name is None or not isinstance(api, types.FunctionType) or _is_varied(api):
        raise ValueError(f"{api} does not support dispatch.")
    return name


def _is_varied(api: Any) -> bool:
    return any(p.kind in VARIADIC_KINDS for p in inspect.signature(api).parameters.values())


@function("experimental.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Any], Any]:
    """Makes a decorator that overrides a function of tensors for arguments of certain types.

    What is decorated (the target) is called in the place of the function, if the arguments have
    the annotated types, and one of them is made of tensors: an extension type, a ragged tensor.

    Args:
        api: the function, such as `tf.add`.
        *signatures: dictionaries from names or places of parameters to classes, `list[...]` or
            `Union[...]` of these; one of them has to fit. Without any, the annotations of the
            target are taken.

    Returns:
        A decorator for the target, which has the parameters of the function; it may leave out
        `name`.

    Raises:
        ValueError: if calls of `api` cannot be dispatched, the signature names no parameter of it,
            or an annotation is of another kind. By the decorator: if the parameters differ.
        TypeError: if a signature is no dictionary, or the target cannot be called.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.add, {"x": MaskedTensor, "y": MaskedTensor})
    ... def masked_add(x, y, name=None):
    ...     return MaskedTensor(x.values + y.values, x.mask & y.mask)
    >>> tf.add(MaskedTensor([1, 2], [True, False]), MaskedTensor(10, True)).values.numpy()
    array([11, 12], dtype=int32)

    See https://www.tensorflow.org/api_docs/python/tf/experimental/dispatch_for_api.
    """
    name = _name_of(api)
    own = bare_signature(api)
    all_tests = [_tests(own, signature) for signature in signatures]

    def decorate(dispatch_target: Any) -> Any:
        if not callable(dispatch_target):
            raise TypeError(f"Expected dispatch_target to be callable; got {dispatch_target!r}")
        target = _named(dispatch_target, own)
        _check_parameters(own, target)
        found = all_tests or [_tests(own, _annotations(dispatch_target))]
        dispatcher = TARGETS.get(name)
        if dispatcher is None:
            dispatcher = TARGETS[name] = Dispatcher(api)
        for tests in found:
            dispatcher.add(target, tests)
        return target

    return decorate


def _tests(own: inspect.Signature, signature: Any) -> dict[str, Test]:
    """Returns a test for each parameter that a signature annotates."""
    if not isinstance(signature, dict) or not all(isinstance(k, str | int) for k in signature):
        raise TypeError(
            "signatures must be dictionaries mapping parameter names to type annotations."
        )
    tests = {}
    for key, annotation in signature.items():
        names = list(own.parameters)
        name: Any = names[key] if isinstance(key, int) and key < len(names) else key
        parameter = own.parameters.get(name)
        if parameter is None:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        if parameter.kind not in POSITIONAL_KINDS:
            raise ValueError(
                "Dispatch currently only supports type annotations for positional parameters; "
                f"can't handle annotation for {parameter.kind!r} parameter {name}."
            )
        tests[name] = type_test(annotation)
    return tests


def _annotations(target: Any) -> dict[str, Any]:
    parameters = inspect.signature(target).parameters.items()
    found = {name: p.annotation for name, p in parameters if p.annotation is not p.empty}
    if not found:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied "
            "to a function that has type annotations on its parameters."
        )
    return found


def _named(target: Any, own: inspect.Signature) -> Any:
    """Returns a target that takes `name` as the function does."""
    signature = inspect.signature(target)
    kinds = [p.kind for p in signature.parameters.values()]
    takes_all = inspect.Parameter.VAR_KEYWORD in kinds
    if "name" not in own.parameters or "name" in signature.parameters or takes_all:
        return target
    place = list(own.parameters).index("name")

    @functools.wraps(target)
    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("name", None)
        return target(*args[:place], *args[place + 1 :], **kwargs)

    named: Any = call
    parameters = [*signature.parameters.values(), own.parameters["name"]]
    named.__signature__ = signature.replace(parameters=parameters)
    return call


def _check_parameters(own: inspect.Signature, target: Any) -> None:
    signature = inspect.signature(target)
    given = list(signature.parameters.values())
    if {p.kind for p in given} == set(VARIADIC_KINDS):
        return
    wanted = [(p.name, p.kind) for p in own.parameters.values()]
    if [(p.name, p.kind) for p in given] != wanted:
        raise ValueError(
            f"Dispatch function's signature {signature} does not match API's signature {own}."
        )


def _register_elementwise(key: tuple[Any, ...], handler: Any, what: str, names: str) -> Any:
    """Registers a handler for element-wise functions."""
    if key in _HANDLERS:
        shown = key[0] if len(key) == 1 else f"({', '.join(map(str, key[:2]))})"
        raise ValueError(
            f"A {what} dispatch handler ({_HANDLERS[key][0]}) has already been registered for "
            f"{shown}."
        )
    kinds = key[:2]
    targets = []
    for api in dict.fromkeys(FUNCTIONS[name] for name in names.split()):
        annotated = dict(zip(bare_signature(api).parameters, kinds, strict=False))
        target = _elementwise_target(api, handler, len(kinds))
        targets.append(dispatch_for_api(api, annotated)(target))
    _HANDLERS[key] = (handler, targets)
    return handler


def _elementwise_target(api: Any, handler: Any, count: int) -> Any:
    """Makes a target that gives a handler the function and its first arguments."""
    names = list(bare_signature(api).parameters)
    is_alone = set(names[count:]) <= {"name"}

    def call(*args: Any, **kwargs: Any) -> Any:
        others = dict(zip(names[count:], args[count:], strict=False)) | kwargs
        others.pop("name", None)
        bound = api if is_alone else lambda *values: api(*values, **others)
        return handler(bound, *args[:count])

    call.__name__ = call.__qualname__ = f"elementwise_dispatch_target_for_{api.__name__}"
    return call


@function("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """Makes a decorator that overrides all element-wise functions of one tensor for a type.

    Args:
        x_type: the class of the first argument, or another annotation as `dispatch_for_api` takes.

    Returns:
        A decorator for a function `handler(api, x)`, where `api` is the element-wise function of
        one argument.

    Raises:
        ValueError: by the decorator, if there is a handler for the type.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(MaskedTensor)
    ... def unary(api, x):
    ...     return MaskedTensor(api(x.values), x.mask)
    >>> tf.abs(MaskedTensor([1, -2], [True, False])).values.numpy()
    array([1, 2], dtype=int32)

    See https://www.tensorflow.org/guide/extension_type#tensor_api_dispatch.
    """
    return lambda handler: _register_elementwise(
        (x_type,), handler, "unary elementwise", UNARY_ELEMENTWISE
    )


@function("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Makes a decorator that overrides all element-wise functions of two tensors for two types.

    Args:
        x_type: the class of the first argument, or another annotation as `dispatch_for_api` takes.
        y_type: that of the second one.

    Returns:
        A decorator for a function `handler(api, x, y)`, where `api` is the element-wise function
        of two arguments.

    Raises:
        ValueError: by the decorator, if there is a handler for the types.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(MaskedTensor, MaskedTensor)
    ... def binary(api, x, y):
    ...     return MaskedTensor(api(x.values, y.values), x.mask & y.mask)
    >>> x = MaskedTensor([1, -2], [True, False])
    >>> tf.multiply(x, x).values.numpy()
    array([1, 4], dtype=int32)

    See https://www.tensorflow.org/guide/extension_type#tensor_api_dispatch.
    """
    return lambda handler: _register_elementwise(
        (x_type, y_type), handler, "binary elementwise", BINARY_ELEMENTWISE
    )


@function("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Makes a decorator that overrides `tf.debugging.assert_equal` and its like for two types.

    Args:
        x_type: the class of the first argument, or another annotation as `dispatch_for_api` takes.
        y_type: that of the second one.

    Returns:
        A decorator for a function `handler(api, x, y)`, where `api` is the assertion.

    Raises:
        ValueError: by the decorator, if there is a handler for the types.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(MaskedTensor, MaskedTensor)
    ... def binary_assert(api, x, y):
    ...     both = tf.logical_and(x.mask, y.mask)
    ...     api(tf.boolean_mask(x.values, both), tf.boolean_mask(y.values, both))
    >>> x = MaskedTensor([1, 2], [True, False])
    >>> tf.debugging.assert_equal(x, MaskedTensor([1, 3], [True, True]))

    See https://www.tensorflow.org/guide/extension_type#tensor_api_dispatch.
    """
    return lambda handler: _register_elementwise(
        (x_type, y_type, "assert"), handler, "binary elementwise assert",
        BINARY_ELEMENTWISE_ASSERTIONS,
    )  # fmt: skip


@function("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Takes back what a decorator `dispatch_for_...` has registered.

    Args:
        dispatch_target: what the decorator has returned.

    Raises:
        ValueError: if it was not registered.

    >>> class MyTensor(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.abs)
    ... def my_abs(x: MyTensor):
    ...     return MyTensor(tf.abs(x.value))
    >>> tf.experimental.unregister_dispatch_for(my_abs)
    >>> tf.abs(MyTensor(5))
    Traceback (most recent call last):
    ValueError: Attempt to convert a value ...

    See https://www.tensorflow.org/api_docs/python/tf/experimental/unregister_dispatch_for.
    """
    found = [dispatcher.remove(dispatch_target) for dispatcher in list(TARGETS.values())]
    is_found = any(found)
    for key, (handler, targets) in list(_HANDLERS.items()):
        if handler is dispatch_target:
            del _HANDLERS[key]
            for target in targets:
                unregister_dispatch_for(target)
            is_found = True
    if not is_found:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
