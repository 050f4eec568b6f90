"""Extension types: `tf.experimental.ExtensionType`, its specs, and how its values are batched."""

import abc
import functools
import inspect
import re
import typing
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, HandOver, parts
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, Tensor, hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec, comparable, spec_of
from tapefacade._definition.op import function
from tapefacade._extension.fields import (
    NO_DEFAULT,
    ConversionPurpose,
    Field,
    ImmutableDict,
    convert_fields,
    field_of,
    is_reserved,
)

IN_CONSTRUCTOR = "_tf_extension_type_in_constructor"
OWN_SPEC = "_tf_extension_type_cached_type_spec"  # in a value's dictionary, once it was asked for
OWN_FIELDS = "_tf_extension_type_cached_fields"
KERAS_ATTRIBUTES = ("_keras_mask",)
NAME_FORM = re.compile(r"\w+(\.\w+)+")
MESSAGE_IMMUTABLE = "Cannot mutate attribute `{}` outside the custom constructor of {}."
# Name of a type -> its spec's class, for files that name it.
REGISTERED: dict[str, type] = {}


class _FieldHolder:
    """What values and specs have in common: fields in `__dict__`, set by a constructor only."""

    _in_messages = ""

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        raise TypeError(f"{cls.__name__} does not say what its fields are.")

    def _may_change(self, name: str) -> bool:
        inside = IN_CONSTRUCTOR in self.__dict__
        return inside and any(name == f.name for f in self._tf_extension_type_fields())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in KERAS_ATTRIBUTES and not self._may_change(name):
            raise AttributeError(MESSAGE_IMMUTABLE.format(name, self._in_messages))
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if name not in KERAS_ATTRIBUTES and not self._may_change(name):
            raise AttributeError(MESSAGE_IMMUTABLE.format(name, self._in_messages))
        del self.__dict__[name]

    def __validate__(self) -> None:
        """Checks a value that was just made; for subclasses to override."""


def _made(cls: type, fields: Any) -> Any:
    """Makes an object without its constructor, which may be the user's."""
    made = object.__new__(cls)
    made.__dict__.update(fields)
    return made


def _fields_of(value: Any) -> dict[str, Any]:
    """Returns the fields of a value by name, in their order."""
    held = value.__dict__
    return {key: item for key, item in held.items() if key not in (OWN_SPEC, *KERAS_ATTRIBUTES)}


# Specs.


@function("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(_FieldHolder, TypeSpec):
    """The type of an extension type's values: the base class of their `Spec`.

    It has the fields of the values, with specs in the place of tensors.

    See https://www.tensorflow.org/api_docs/python/tf/experimental/ExtensionTypeSpec.
    """

    _in_messages = "ExtensionTypeSpec"
    value_type: Any

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        return cls.value_type._tf_extension_type_fields()

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """Makes the spec of a value.

        Args:
            value: a value of the extension type.

        Returns:
            Its spec.
        """
        known = value.__dict__.get(OWN_SPEC)
        if known is not None:
            return known
        return _made(cls, nest.map_structure(_spec_of_part, _fields_of(value)))

    def _serialize(self) -> tuple[Any, ...]:
        names = [field.name for field in self._tf_extension_type_fields()]
        return tuple([(name, _with_mappings(self.__dict__[name], dict)) for name in names])

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return _made(cls, _with_mappings(tuple(serialization), ImmutableDict))

    def __reduce__(self) -> Any:  # a nested class is found through the one that it is in
        return _restored_spec, (self.value_type, self._serialize())

    @property
    def _component_specs(self) -> tuple[TypeSpec, ...]:
        parts = nest.flatten(tuple(self.__dict__.values()))
        return tuple([part for part in parts if isinstance(part, TypeSpec)])

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, self.value_type):
            raise TypeError(f"Can not cast {value!r} to {self}")
        values = nest.flatten(tuple([value.__dict__[name] for name in self.__dict__]))
        specs = nest.flatten(tuple(self.__dict__.values()))
        pairs = zip(values, specs, strict=True)
        return tuple([part for part, spec in pairs if isinstance(spec, TypeSpec)])

    def _static_parts(self) -> tuple[Hashable, ...]:
        """Returns what a function depends on in values apart from their tensors."""
        fields = {k: part for k, part in self.__dict__.items() if not isinstance(part, TypeSpec)}
        if not fields:
            return ()
        fields = nest.map_structure(_without_spec, fields)
        return (StaticFields(self, comparable(_with_mappings(tuple(fields.items()), dict))),)

    def _with_component_specs(self, specs: Sequence[TypeSpec]) -> Any:
        """Returns the spec with others in the place of those of its components."""
        rest = iter(specs)
        fields = nest.map_structure(
            lambda part: next(rest) if isinstance(part, TypeSpec) else part,
            tuple(self.__dict__.values()),
        )
        return _made(type(self), zip(self.__dict__, fields, strict=True))

    def _from_components(self, components: Any) -> Any:
        rest = iter(components)
        held = tuple(self.__dict__.values())
        parts = [next(rest) if isinstance(part, TypeSpec) else part for part in nest.flatten(held)]
        if list(rest):
            raise ValueError(
                "Cannot build an ExtensionType instance from components because more components "
                "are provided than the number expected by the type spec."
            )
        values = nest.pack_sequence_as(held, parts)
        return _made(self.value_type, zip(self.__dict__, values, strict=True))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._serialize())
        return f"{type(self).__qualname__}({fields})"


def is_dense(spec: Any) -> bool:
    """Whether a spec is that of an extension type, all of whose tensors are dense numbers."""
    return isinstance(spec, ExtensionTypeSpec) and all(
        part.dtype._numpy is not None if type(part) is TensorSpec else is_dense(part)
        for part in spec._component_specs
    )


def _spec_of_part(part: Any) -> Any:
    if isinstance(part, EagerTensor):
        return TensorSpec(part.shape, part.dtype)
    if isinstance(part, TypeSpec):  # in the place of a tensor, while a function is recorded
        return part
    own = getattr(part, "_type_spec", None)
    return part if own is None else own


def _with_mappings(value: Any, kind: type) -> Any:
    """Returns a value with mappings of another class, at any depth."""
    if isinstance(value, dict | ImmutableDict):
        return kind([(key, _with_mappings(item, kind)) for key, item in value.items()])
    if isinstance(value, tuple):
        return tuple([_with_mappings(item, kind) for item in value])
    return value


def _restored_spec(value_type: Any, serialization: Any) -> Any:
    return value_type.Spec._deserialize(serialization)


# Batches.


@function("experimental.ExtensionTypeBatchEncoder")
class ExtensionTypeBatchEncoder:
    """How values of a batchable extension type become tensors that can be batched, and back.

    This one takes a value to be batched by batching every field that is a tensor, another value
    made of tensors, or a shape. A subclass says it for types for which that is not so, and is
    named by the type's `__batch_encoder__`.

    See https://www.tensorflow.org/api_docs/python/tf/experimental/ExtensionTypeBatchEncoder.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """Returns the spec of a batch of values.

        Args:
            spec: the spec of one value.
            batch_size: how many there are, None if that is not known.
        """
        fields = nest.map_structure(lambda part: _batched(part, batch_size), dict(spec.__dict__))
        return _made(type(spec), fields)

    def unbatch(self, spec: Any) -> Any:
        """Returns the spec of one value of a batch.

        Args:
            spec: the spec of the batch.
        """
        return _made(type(spec), nest.map_structure(_unbatched, dict(spec.__dict__)))

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Returns the tensors that stand for a value.

        Args:
            spec: the spec of the value.
            value: the value.
            minimum_rank: how many dimensions every tensor has at least.

        Returns:
            A nest of tensors, or of other values that can be batched.
        """
        return spec._to_components(value)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Makes a value of the tensors that stand for it.

        Args:
            spec: the spec of the value.
            encoded_value: what `encode` returns, maybe batched or unbatched since.
        """
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec: Any) -> Any:
        """Returns the specs of the tensors that stand for a value.

        Args:
            spec: the spec of the value.
        """
        return spec._component_specs


def require_batchable(spec: Any, attribute: str) -> None:
    """Refuses extension types that cannot be batched.

    Args:
        spec: any spec.
        attribute: what TensorFlow misses.

    Raises:
        AttributeError: if it is that of such a type.
    """
    if isinstance(spec, ExtensionTypeSpec) and not isinstance(spec, BatchableExtensionTypeSpec):
        raise hinted(
            AttributeError(f"{type(spec).__name__!r} object has no attribute {attribute!r}"),
            "Derive the class from tf.experimental.BatchableExtensionType.",
        )


def encoded_parts(spec: Any, value: Any, minimum_rank: int = 0) -> list[Any]:
    """Returns the tensors that stand for a value in batches; ragged and sparse ones stay as such.

    Args:
        spec: the spec of the value.
        value: the value; one of another kind than a batchable extension type stands for itself.
        minimum_rank: how many dimensions every tensor has at least.
    """
    if not isinstance(spec, BatchableExtensionTypeSpec):
        return [value]
    encoder = spec.__batch_encoder__
    pairs = zip(
        nest.flatten(encoder.encoding_specs(spec)),
        nest.flatten(encoder.encode(spec, value, minimum_rank)),
        strict=True,
    )
    return [part for pair in pairs for part in encoded_parts(*pair, minimum_rank)]


def encoded_specs(spec: Any) -> list[Any]:
    """Returns the specs of `encoded_parts`.

    Args:
        spec: the spec of the value.
    """
    if not isinstance(spec, BatchableExtensionTypeSpec):
        return [spec]
    own = nest.flatten(spec.__batch_encoder__.encoding_specs(spec))
    return [part for inner in own for part in encoded_specs(inner)]


def decoded_value(spec: Any, rest: Iterator[Any]) -> Any:
    """Makes a value of the next of the tensors that stand for values.

    Args:
        spec: the spec of the value.
        rest: the tensors.
    """
    if not isinstance(spec, BatchableExtensionTypeSpec):
        return next(rest)
    encoder = spec.__batch_encoder__
    specs = encoder.encoding_specs(spec)
    parts = [decoded_value(inner, rest) for inner in nest.flatten(specs)]
    return encoder.decode(spec, nest.pack_sequence_as(specs, parts))


def _batched(part: Any, size: int | None) -> Any:
    if isinstance(part, TensorShape):
        return TensorShape([size]).concatenate(part)
    return part._batch(size) if hasattr(part, "_batch") else part


def _unbatched(part: Any) -> Any:
    if isinstance(part, TensorShape):
        return part[1:]
    return part._unbatch() if hasattr(part, "_unbatch") else part


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The type of values that can be batched."""

    __batch_encoder__: Any = ExtensionTypeBatchEncoder()

    def _batch(self, batch_size: int | None) -> Any:
        return self.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self.__batch_encoder__.unbatch(self)


# Classes.


class _ExtensionTypeClass(abc.ABCMeta):
    """Makes the constructor and the spec of every class of users."""

    def __init__(cls, name: str, bases: Any, namespace: Any) -> None:
        if not namespace.get("_tf_extension_type_do_not_transform_this_class", False):
            _check_names(cls)
            _add_constructor(cls, inspect.Parameter.KEYWORD_ONLY)
            _add_spec(cls)
        super().__init__(name, bases, namespace)


@function("experimental.ExtensionType")
class ExtensionType(_FieldHolder, CompositeTensor, metaclass=_ExtensionTypeClass):
    """Base class for classes of values made of tensors, which all functions take as such.

    A subclass annotates its fields: `tf.Tensor`, other extension types, ragged and sparse tensors,
    `tf.TensorShape`, `tf.DType`, `int`, `float`, `bool`, `str`, `bytes`, `None`, `tuple[X, Y]`,
    `tuple[X, ...]`, `typing.Mapping[K, V]`, and unions of these. It gets a constructor that
    converts and checks its arguments, and a nested class `Spec`. Values do not change.

    They go through `tf.function`, `tf.cond`, `tf.while_loop`, `tf.nest`, tapes and datasets, and
    `tf.experimental.dispatch_for_api` says what functions of tensors do with them.

    Unlike TensorFlow, values are not packed into variants.

    >>> class MaskedTensor(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def with_default(self, default):
    ...         return tf.where(self.mask, self.values, default)
    >>> x = MaskedTensor([1, 2, 3], [True, False, True])
    >>> tf.function(lambda x: x.with_default(0))(x).numpy()
    array([1, 0, 3], dtype=int32)
    >>> MaskedTensor.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    MaskedTensor.Spec(values=TensorSpec(shape=(None,), dtype=tf.int32, name=None), mask=...)

    See https://www.tensorflow.org/guide/extension_type.
    """

    _tf_extension_type_do_not_transform_this_class = True
    _in_messages = "ExtensionType"
    _is_tensor = False
    if TYPE_CHECKING:
        Spec: Any  # no field

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is ExtensionType:
            raise AssertionError(
                "Cannot create an instance of ExtensionType because ExtensionType is an abstract "
                "base class."
            )

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[Field, ...]:
        if OWN_FIELDS in cls.__dict__:
            return cls.__dict__[OWN_FIELDS]
        try:
            hints = typing.get_type_hints(cls)
            resolved = True
        except (NameError, AttributeError):  # a class that is not defined yet
            hints, resolved = {}, False
            for base in reversed(cls.__mro__):
                hints.update(inspect.get_annotations(base))
        fields = tuple(
            [field_of(name, kind, getattr(cls, name, NO_DEFAULT)) for name, kind in hints.items()]
        )
        if resolved:
            setattr(cls, OWN_FIELDS, fields)
        return fields

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        names = [field.name for field in self._tf_extension_type_fields()]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._type_spec != spec_of(other):
            return False
        pairs = zip(
            nest.flatten(self, expand_composites=True),
            nest.flatten(other, expand_composites=True),
            strict=True,
        )
        return FUNCTIONS["reduce_all"](FUNCTIONS["stack"]([_is_same(*pair) for pair in pairs]))

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return FUNCTIONS["logical_not"](equal) if isinstance(equal, Tensor) else not equal

    @property
    def _type_spec(self) -> Any:
        held: Any = self.__dict__
        if OWN_SPEC not in held:
            held[OWN_SPEC] = self.Spec.from_value(self)
        return held[OWN_SPEC]

    # What nests, functions and tapes ask of values made of tensors.

    def _components(self) -> tuple[Any, ...]:
        return self._type_spec._to_components(self)

    def _with_components(self, components: Sequence[Any]) -> Any:
        return self._type_spec._from_components(components)

    def _static_parts(self) -> tuple[Hashable, ...]:
        return self._type_spec._static_parts()

    def _watched_parts(self) -> list[Any]:
        return parts(self)

    def _differentiated(self) -> Any:  # none of the tensors stands for the value
        raise HandOver(self)

    def _gradient_parts(self) -> list[Any]:
        components = _gradient_rule(self).get_gradient_components(self)
        if components is self:
            return [self]
        return [tensor for part in nest.flatten(components) for tensor in _gradient_parts(part)]

    def _with_gradients(self, gradients: Sequence[Any]) -> Any:
        rule, rest = _gradient_rule(self), iter(gradients)
        components = rule.get_gradient_components(self)
        replaced = nest.map_structure(lambda part: _gradient_for(part, rest), components)
        return None if replaced is None else rule.replace_gradient_components(self, replaced)


class StaticFields:
    """The fields of a value that are no tensors, in the key of a function; equal if they are.

    Args:
        spec: a spec with these fields.
        key: what they are compared by.
    """

    __slots__ = ("_key", "spec")

    def __init__(self, spec: ExtensionTypeSpec, key: Any) -> None:
        self.spec = spec
        self._key = key

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticFields) and self._key == other._key

    def __repr__(self) -> str:
        held = vars(self.spec).items()
        return ", ".join(f"{name}={v!r}" for name, v in held if not isinstance(v, TypeSpec))


def spec_with_components(kind: Any, specs: Sequence[Any]) -> Any:
    """Returns the spec of an extension type, all of whose fields are made of tensors.

    Args:
        kind: the class.
        specs: the specs of its fields.
    """
    names = [field.name for field in kind._tf_extension_type_fields()]
    return _made(kind.Spec, zip(names, specs, strict=True))


def _without_spec(part: Any) -> Any:
    return TypeSpec if isinstance(part, TypeSpec) else part


def _gradient_rule(value: ExtensionType) -> Any:
    """Returns what the author of a type says about gradients.

    Raises:
        ValueError: if that is nothing.
    """
    rule = getattr(value, "__composite_gradient__", None)
    if rule is None:
        raise hinted(
            ValueError(
                f"Type {type(value).__name__} is not supported as a gradient source or gradient "
                "target."
            ),
            "Differentiate its fields: tape.gradient(value.field, ...).",
        )
    return rule


def _gradient_parts(part: Any) -> list[Any]:
    return part._gradient_parts() if isinstance(part, CompositeTensor) else [part]


def _gradient_for(part: Any, gradients: Iterator[Any]) -> Any:
    """Returns the gradient for a value, made of the next of those for its tensors."""
    own = [next(gradients) for _ in _gradient_parts(part)]
    return part._with_gradients(own) if isinstance(part, CompositeTensor) else own[0]


def _is_same(value: Any, other: Any) -> Any:
    """Returns a boolean tensor: whether two tensors have the same shape and elements."""
    if value.shape != other.shape:
        return convert(False)
    return FUNCTIONS["reduce_all"](FUNCTIONS["equal"](value, other))


@function("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be batched and taken apart into rows.

    `tf.data`, `tf.map_fn` and Keras do that. By default every field that is a tensor, another
    value made of tensors, or a shape is batched; other types name an encoder of their own as
    `__batch_encoder__` (see `tf.experimental.ExtensionTypeBatchEncoder`).

    >>> class Vehicle(tf.experimental.BatchableExtensionType):
    ...     top_speed: tf.Tensor
    ...     mpg: tf.Tensor
    >>> batch = Vehicle([120, 150, 80], [30, 40, 12])
    >>> [int(vehicle.mpg) for vehicle in tf.data.Dataset.from_tensor_slices(batch)]
    [30, 40, 12]

    See https://www.tensorflow.org/api_docs/python/tf/experimental/BatchableExtensionType.
    """

    _tf_extension_type_do_not_transform_this_class = True


@function("experimental.extension_type.as_dict")
def as_dict(value: Any) -> dict[str, Any]:
    """Returns the fields of a value of an extension type by name.

    Values within it stay what they are.

    Args:
        value: the value.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    ...     y: int
    >>> tf.experimental.extension_type.as_dict(Point(1, 2))
    {'x': 1, 'y': 2}
    """
    return {field.name: getattr(value, field.name) for field in value._tf_extension_type_fields()}


def _invalid(cls: Any, why: str) -> str:
    return f"The field annotations for {cls.__name__} are invalid. {why}"


def _check_free(cls: Any, name: str) -> None:
    if is_reserved(name):
        raise ValueError(_invalid(cls, f"Field '{name}' is reserved."))


def _check_names(cls: Any) -> None:
    """Refuses reserved names, and attributes without an annotation.

    Raises:
        ValueError: if there are such.
    """
    annotations = inspect.get_annotations(cls)
    for name, value in cls.__dict__.items():
        if name == "Spec":
            _check_spec(cls, value)
        else:
            _check_free(cls, name)
    for name in annotations:
        _check_free(cls, name)
    for name, value in cls.__dict__.items():
        is_special = name.startswith("_abc_") or (name.startswith("__") and name.endswith("__"))
        is_method = callable(value) or isinstance(value, property | classmethod | staticmethod)
        if name not in annotations and not is_special and not is_method:
            raise ValueError(_invalid(cls, f"Field {name} is missing a type annotation."))


def _check_spec(cls: Any, spec: Any) -> None:
    if not isinstance(spec, type):
        raise ValueError(f"{cls.__qualname__}.Spec must be a nested class; got {spec}.")
    if spec.__bases__ not in ((TypeSpec,), (object,)):
        raise ValueError(f"{cls.__qualname__}.Spec must be directly subclassed from tf.TypeSpec.")


def _add_constructor(cls: Any, after_defaults: Any = None) -> None:
    """Gives a class of values or of specs a constructor, or completes that of its author.

    Args:
        cls: the class.
        after_defaults: the kind of parameters without a default that follow one with a default;
            None if there are no defaults.
    """
    purpose = ConversionPurpose.VALUE if after_defaults is not None else ConversionPurpose.SPEC
    if "__init__" in cls.__dict__:
        cls.__init__ = _completed(cls.__init__, purpose)
        return
    parameters: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    has_default = False
    for field in cls._tf_extension_type_fields():
        default = inspect.Parameter.empty
        if after_defaults is not None and field.default is not NO_DEFAULT:
            default, has_default = field.default, True
        elif has_default:
            kind = after_defaults
        annotation = field.value_type if after_defaults is not None else inspect.Parameter.empty
        parameters.append(
            inspect.Parameter(field.name, kind, default=default, annotation=annotation)
        )
    signature = inspect.Signature(parameters, return_annotation=cls.__name__)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - becomes the method
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)
        convert_fields(self._tf_extension_type_fields(), self.__dict__, purpose)
        self.__validate__()

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    made: Any = __init__
    made.__signature__ = signature.replace(parameters=[own, *parameters], return_annotation=cls)
    cls.__init__ = __init__


def _completed(constructor: Callable[..., None], purpose: ConversionPurpose) -> Callable[..., None]:
    """Returns a constructor that lets that of a class's author set the fields, and checks them."""

    @functools.wraps(constructor)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - becomes the method
        self.__dict__[IN_CONSTRUCTOR] = True
        constructor(self, *args, **kwargs)
        del self.__dict__[IN_CONSTRUCTOR]
        convert_fields(self._tf_extension_type_fields(), self.__dict__, purpose)
        self.__validate__()

    return __init__


def _add_spec(cls: Any) -> None:
    """Gives a class of values its nested class `Spec`, with what its author has written there."""
    qualified = f"{cls.__qualname__}.Spec"
    namespace: dict[str, Any] = {"value_type": cls, "__module__": cls.__module__}
    own = cls.__dict__.get("Spec")
    for name, value in vars(own).items() if own is not None else ():
        if is_reserved(name):
            raise ValueError(f"TypeSpec {qualified} uses reserved name '{name}'.")
        if any(name == field.name for field in cls._tf_extension_type_fields()):
            raise ValueError(
                f"TypeSpec {qualified} defines a variable '{name}' which shadows a field in "
                f"{cls.__qualname__}"
            )
        if name not in ("__module__", "__dict__", "__weakref__"):
            namespace[name] = value
    base: type = ExtensionTypeSpec
    if issubclass(cls, BatchableExtensionType):
        base = BatchableExtensionTypeSpec
        if hasattr(cls, "__batch_encoder__"):
            encoded: Any = cls
            namespace.setdefault("__batch_encoder__", encoded.__batch_encoder__)
    elif hasattr(cls, "__batch_encoder__") or "__batch_encoder__" in namespace:
        raise ValueError(
            "__batch_encoder__ should only be defined for BatchableExtensionType classes."
        )
    namespace["__qualname__"] = qualified
    spec: Any = type(base)(f"{cls.__name__}.Spec", (base,), namespace)
    cls.Spec = spec
    _add_constructor(spec)
    if "__name__" in cls.__dict__:
        register_named(cls.__dict__["__name__"] + ".Spec", spec)


def register_named(name: str, spec: Any) -> None:
    """Enters the spec of a type that has a name.

    Args:
        name: the name, with that of the package in front.
        spec: the class of specs.

    Raises:
        ValueError: if the name has no package in front, or is another's.
    """
    if not NAME_FORM.fullmatch(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' (e.g. "
            f"'my_project.MyTypeSpec'); got {name!r}."
        )
    if name in REGISTERED:
        known = REGISTERED[name]
        raise ValueError(
            f"Name {name} has already been registered for class "
            f"{known.__module__}.{known.__name__}."
        )
    REGISTERED[name] = spec
