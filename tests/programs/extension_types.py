"""tf.experimental.ExtensionType: fields, constructors, conversion, specs, equality, copies."""

import copy
import pickle
import typing

from programs.program import Caught, caught


def _told(tf, value):
    """Extension types and specs as their reprs, also within lists."""
    if isinstance(value, list | tuple):
        return [_told(tf, item) for item in value]
    composite = tf.experimental.ExtensionType | tf.TypeSpec | tf.RaggedTensor
    return repr(value) if isinstance(value, composite) else value


def _answers(tf, *statements):
    return [_told(tf, caught(statement)) for statement in statements]


def _masked(tf):
    class MaskedTensor(tf.experimental.ExtensionType):
        """A tensor and a boolean mask, indicating which values are meaningful."""

        values: tf.Tensor
        mask: tf.Tensor

        def replace_mask(self, mask):
            return MaskedTensor(self.values, mask)

    return MaskedTensor


def making(tf, np):
    masked = _masked(tf)
    x = masked([1, 2], [True, False])
    return _answers(
        tf,
        lambda: x,
        lambda: str(x),
        lambda: (x.values, x.mask),
        lambda: masked(values=[1.0], mask=True),
        lambda: x.replace_mask([False, False]),
        lambda: masked([1, 2]),
        lambda: masked([1, 2], [True], 3),
        lambda: masked([1, 2], musk=[True]),
        lambda: masked(object(), True),
        lambda: masked([[1], [1, 2]], True),
        lambda: masked(tf.ragged.constant([[1], [2, 3]]), True),
        lambda: masked(tf.Variable([1.0, 2.0]), np.array([True, False])),
        lambda: masked(None, True),
        lambda: masked("a", [b"b"]),
        lambda: masked(x, True),
        lambda: tf.experimental.ExtensionType(),
        lambda: tf.is_tensor(x),
        lambda: isinstance(x, tf.Tensor),
        lambda: x.shape,
        lambda: hash(x),
        lambda: len(x),
        lambda: bool(x),
        lambda: x.__init__.__signature__ is None,
    )


def field_types(tf, np):
    e = tf.experimental.ExtensionType

    class Leaf(e):
        t: tf.Tensor

    class Everything(e):
        i: int
        f: float
        s: str
        b: bool
        y: bytes
        n: None
        sh: tf.TensorShape
        d: tf.DType
        tu: tuple[int, float]
        te: tuple[tf.Tensor, ...]
        tt: typing.Tuple[int, ...]  # noqa: UP006
        m: typing.Mapping[str, tf.Tensor]
        u: typing.Union[int, float, None]  # noqa: UP007
        o: typing.Optional[int]  # noqa: UP045
        ext: Leaf
        ra: tf.RaggedTensor
        sp: tf.SparseTensor
        un: typing.Union[tf.Tensor, str]  # noqa: UP007

    good = {
        "i": 1, "f": 2.0, "s": "a", "b": True, "y": b"c", "n": None, "sh": [1, None],
        "d": "float32", "tu": [1, 2.0], "te": [1, [2.0]], "tt": (1, 2, 3),
        "m": {"b": 1, "a": [2.0]}, "u": None, "o": None, "ext": Leaf(3),
        "ra": tf.ragged.constant([[1], [2, 3]]), "sp": tf.sparse.from_dense([[0, 1]]), "un": "x",
    }  # fmt: skip
    found = _answers(
        tf,
        lambda: Everything(**good),
        lambda: Everything(**good)._type_spec,
        lambda: Everything(**good).m["a"],
        lambda: list(Everything(**good).m),
        lambda: type(Everything(**good).m).__name__,
        lambda: Everything(**good).m == {"a": 1},
        lambda: (Everything(**good).sh, Everything(**good).d),
    )
    for name, wrong in (
        ("i", 1.0), ("i", True), ("i", tf.constant(1)), ("f", 1), ("s", b"a"), ("s", 1),
        ("b", 1), ("y", "c"), ("n", 0), ("sh", "a"), ("sh", 3), ("sh", [[1]]), ("sh", [-2]),
        ("d", "nothing"), ("d", 3.5), ("d", np.float64), ("tu", [1]), ("tu", [1, 2]), ("tu", 3),
        ("tu", "ab"), ("te", 3), ("te", [object()]), ("tt", [1, 2.0]), ("tt", []), ("te", ()),
        ("m", [1]), ("m", {1: 2}), ("m", {"a": object()}), ("m", {}), ("u", "a"), ("u", 2.5),
        ("o", 2.5), ("o", 2), ("ext", 1), ("ext", {"t": 1}), ("ra", [[1]]), ("sp", [[1]]),
        ("un", 3),
    ):  # fmt: skip
        found += _answers(tf, lambda: getattr(Everything(**{**good, name: wrong}), name))  # noqa: B023
    return found


def annotations_that_are_refused(tf, np):
    e = tf.experimental.ExtensionType

    def one(annotation, **others):
        def make():
            kind = type("Kind", (e,), {"__annotations__": {"x": annotation}, **others})
            return kind.__name__

        return make

    return _answers(
        tf,
        one(list),
        one(dict),
        one(object),
        one(tuple),
        one(typing.Tuple),  # noqa: UP006
        one(list[int]),
        one(dict[str, int]),
        one(complex),
        one(typing.Any),
        one(typing.Callable),
        one(np.ndarray),
        one(tf.Variable),
        one(tf.Module),
        one(tf.TensorSpec),
        one(tf.TypeSpec),
        one(tf.IndexedSlices),
        one(tf.TensorArray),
        one(tf.experimental.ExtensionType),
        one(tuple[list, int]),
        one(tuple[list, ...]),
        one(typing.Mapping[tf.Tensor, int]),
        one(typing.Mapping[tuple[int, str], int]),
        one(typing.Mapping),
        one(typing.Mapping[str, list]),
        one(typing.Union[int, list]),  # noqa: UP007
        one(int | list),
        one(typing.Optional[tf.Tensor]),  # noqa: UP045
        one("Kind"),
        one("int"),
        one("list"),
        one(1),
        one(typing.TypeVar("T")),
        one(int, x="a"),
        one(int, x=1),
        one(tf.Tensor, x=1),
        one(tf.Tensor, x=object()),
        one(tf.TensorShape, x=[1, 2]),
        one(int, y=3),
        one(int, y=None),
        one(int, __z__=3),
        one(int, _abc_y=3),
        one(int, Spec=3),
        one(int, Spec=int),
        one(int, _type_spec=3),
        one(int, value_type=3),
        one(int, self=3),
        one(int, _tf_extension_type_y=3),
        one(int, __batch_encoder__=3),
        one(int, __name__="bad name"),
        one(int, __name__="alone"),
    )


def reserved_annotations(tf, np):
    e = tf.experimental.ExtensionType
    names = (
        "self", "Spec", "_type_spec", "_to_components", "_keras_mask", "_tf_extension_type_x",
        "_TF_Extension_Type_x", "is_compatible_with", "_serialize", "shape", "dtype", "value",
    )  # fmt: skip

    def one(name):
        def make():
            return type("Kind", (e,), {"__annotations__": {name: int}}).__name__

        return make

    return _answers(tf, *map(one, names))


def defaults(tf, np):
    e = tf.experimental.ExtensionType

    class Kind(e):
        a: tf.Tensor
        b: tf.Tensor = 3
        c: int = 4
        d: tuple[int, ...] = (1, 2)
        g: typing.Mapping[str, int] = {"a": 1}
        h: tf.DType = tf.int32

    class AfterDefaults(e):
        a: int = 1
        b: int
        c: int = 2

    return _answers(
        tf,
        lambda: Kind(1),
        lambda: Kind(1, [2.0], c=5),
        lambda: Kind(),
        lambda: Kind(1, h="float64"),
        lambda: AfterDefaults(b=3),
        lambda: AfterDefaults(1, 2),
        lambda: AfterDefaults(5, b=2, c=7),
        lambda: AfterDefaults(),
        lambda: Kind.b,
        lambda: Kind.c,
    )


def immutability(tf, np):
    x = _masked(tf)([1, 2], True)

    def set_values():
        x.values = 3

    def set_other():
        x.other = 3

    def delete():
        del x.values

    def delete_other():
        del x.other

    def set_within():
        x.__dict__["values"] = tf.constant(7)
        return x.values

    class Kind(tf.experimental.ExtensionType):
        m: typing.Mapping[str, int]

    def set_item():
        Kind({"a": 1}).m["a"] = 2

    def mask():
        x._keras_mask = 5
        return x._keras_mask

    return _answers(
        tf, set_values, set_other, delete, delete_other, set_item, mask, lambda: x.nothing,
        set_within,
    )  # fmt: skip


def own_constructors(tf, np):
    class MaskedTensor(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __init__(self, values, mask=None, *, fill=0):
            self.values = values
            self.mask = tf.ones_like(values, tf.bool) if mask is None else mask
            if fill == 1:
                self.other = 1
            if fill == 2:
                del self.mask
            if fill == 3:
                self.mask = object()

    class NoSuper(MaskedTensor):
        extra: int = 3

    class Super(MaskedTensor):
        extra: int = 3

        def __init__(self, *args):
            super().__init__(*args)
            self.extra = 4

    return _answers(
        tf,
        lambda: MaskedTensor([1, 2]),
        lambda: MaskedTensor([1, 2], [True, False]),
        lambda: MaskedTensor([1, 2], fill=1),
        lambda: MaskedTensor([1, 2], fill=2),
        lambda: MaskedTensor([1, 2], fill=3),
        lambda: MaskedTensor(),
        lambda: NoSuper([1], [True]),
        lambda: NoSuper([1], [True], 5),
        lambda: Super([1]),
    )


def validation(tf, np):
    class MaskedTensor(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __validate__(self):
            self.values.shape.assert_is_compatible_with(self.mask.shape)
            assert self.mask.dtype.is_bool, "mask.dtype must be bool"

    return _answers(
        tf,
        lambda: MaskedTensor([1, 2], [True, False]),
        lambda: MaskedTensor([1, 2], [True]),
        lambda: MaskedTensor([1, 2], [1, 2]),
    )


def subclasses(tf, np):
    masked = _masked(tf)

    class Named(masked):
        name: str

    class Renamed(Named):
        values: tf.RaggedTensor

    class Method(masked):
        def total(self):
            return tf.reduce_sum(self.values)

    class Recursive(tf.experimental.ExtensionType):
        value: tf.Tensor
        rest: typing.Union["Recursive", None]

    return _answers(
        tf,
        lambda: Named([1], [True], "a"),
        lambda: Named.Spec(tf.TensorSpec([1]), tf.TensorSpec([1], tf.bool), "a"),
        lambda: Renamed(tf.ragged.constant([[1], [2, 3]]), True, "b"),
        lambda: Method([1, 2], True).total(),
        lambda: isinstance(Named([1], [True], "a"), masked),
        lambda: Named([1], [True], "a") == masked([1], [True]),
        lambda: Recursive(1, None),
        lambda: Recursive(1, Recursive(2, None)),
    )


def equality(tf, np):
    masked = _masked(tf)

    class Other(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    class Plain(tf.experimental.ExtensionType):
        n: int

    class Both(tf.experimental.ExtensionType):
        n: int
        t: tf.RaggedTensor

    a = masked([1, 2], [True, False])
    r = tf.ragged.constant
    return _answers(
        tf,
        lambda: a == masked([1, 2], [True, False]),
        lambda: a != masked([1, 2], [True, False]),
        lambda: a == masked([1, 3], [True, False]),
        lambda: a != masked([1, 3], [True, False]),
        lambda: a == masked([1, 2, 3], [True, False]),
        lambda: a != masked([1, 2, 3], [True, False]),
        lambda: a == masked([1.0, 2.0], [True, False]),
        lambda: a == Other([1, 2], [True, False]),
        lambda: a != Other([1, 2], [True, False]),
        lambda: (a == 3, a != 3, a == None),  # noqa: E711
        lambda: masked([np.nan], True) == masked([np.nan], True),
        lambda: masked(["a"], True) == masked(["a"], True),
        lambda: masked([], []) == masked([], []),
        lambda: Plain(1) == Plain(1),
        lambda: Plain(1) == Plain(2),
        lambda: Plain(1) != Plain(2),
        lambda: Both(1, r([[1], [2, 3]])) == Both(1, r([[1], [2, 3]])),
        lambda: Both(1, r([[1], [2, 3]])) == Both(1, r([[1], [2, 4]])),
        lambda: Both(1, r([[1], [2, 3]])) == Both(1, r([[1], [2]])),
        lambda: Both(1, r([[1], [2, 3]])) == Both(2, r([[1], [2, 3]])),
        lambda: tf.function(lambda a, b: a == b)(a, masked([1, 2], [True, False])),
    )


def specs(tf, np):
    masked = _masked(tf)
    a = masked([1, 2], [True, False])
    spec = masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    other = masked.Spec(tf.TensorSpec([3], tf.int32), tf.TensorSpec([3], tf.bool))

    def set_field():
        spec.values = 3

    return _answers(
        tf,
        lambda: spec,
        lambda: tf.type_spec_from_value(a),
        lambda: masked.Spec.from_value(a),
        lambda: a._type_spec,
        lambda: masked.Spec(values=tf.TensorSpec([]), mask=tf.TensorSpec([])),
        lambda: masked.Spec(tf.TensorSpec([])),
        lambda: masked.Spec(1, 2),
        lambda: masked.Spec(tf.TensorSpec([]), tf.RaggedTensorSpec([None, None])),
        lambda: masked.Spec(tf.TensorSpec([]), spec),
        lambda: masked.Spec(a.values, a.mask),
        lambda: (spec.values, spec.mask),
        lambda: spec.is_compatible_with(a),
        lambda: spec.is_compatible_with(masked([[1]], True)),
        lambda: spec.is_compatible_with(masked([1.0], [True])),
        lambda: spec.is_compatible_with(other),
        lambda: spec.is_compatible_with(tf.TensorSpec([])),
        lambda: spec.is_compatible_with(3),
        lambda: other.is_subtype_of(spec),
        lambda: spec.is_subtype_of(other),
        lambda: a._type_spec.most_specific_compatible_type(other),
        lambda: a._type_spec.most_specific_common_supertype([other, spec]),
        lambda: a._type_spec.most_specific_compatible_type(tf.TensorSpec([])),
        lambda: a._type_spec.most_specific_compatible_type(masked([1.0], [True])._type_spec),
        lambda: spec == masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], bool)),
        lambda: (spec == other, spec != other, hash(spec) == hash(a._type_spec)),
        lambda: len({spec, other, a._type_spec}),
        lambda: masked.Spec.value_type.__name__,
        lambda: (masked.Spec.__name__, masked.Spec.__qualname__, masked.Spec.__module__),
        lambda: isinstance(spec, tf.experimental.ExtensionTypeSpec),
        lambda: spec._component_specs,
        lambda: spec._to_components(a),
        lambda: spec._from_components([tf.constant(1), tf.constant(2)]),
        lambda: spec._from_components([1, 2, 3]),
        lambda: spec._serialize(),
        set_field,
        lambda: spec.nothing,
        lambda: tf.TensorSpec([]).is_compatible_with(a),
    )


def own_specs(tf, np):
    e = tf.experimental.ExtensionType

    class MaskedTensor(e):
        values: tf.Tensor
        mask: tf.Tensor

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values = tf.TensorSpec(shape, dtype)
                self.mask = tf.TensorSpec(shape, tf.bool)

            def __repr__(self):
                return f"MaskedTensor.Spec(shape={self.shape}, dtype={self.dtype})"

            shape = property(lambda self: self.values.shape)
            dtype = property(lambda self: self.values.dtype)

    class Plain(e):
        n: int

        class Spec(tf.TypeSpec):
            def doubled(self):
                return self.n * 2

    return _answers(
        tf,
        lambda: MaskedTensor.Spec([None, 3]),
        lambda: MaskedTensor.Spec([None, 3], "int32").dtype,
        lambda: MaskedTensor([1, 2], [True, False])._type_spec,
        lambda: MaskedTensor.Spec([None], tf.int32).is_compatible_with(MaskedTensor([1], [True])),
        lambda: Plain.Spec(3).doubled(),
        lambda: Plain(4)._type_spec.doubled(),
        lambda: Plain(4)._type_spec,
    )


def own_specs_that_are_refused(tf, np):
    e = tf.experimental.ExtensionType

    def shadowing():
        class Shadow(e):
            n: int

            class Spec:
                n = 3

    def reserved():
        class Reserved(e):
            n: int

            class Spec:
                def _serialize(self):
                    return ()

    def derived():
        class Derived(e):
            n: int

            class Spec(tf.TensorSpec):
                pass

    class Wrong(e):
        n: int

        class Spec:
            def __init__(self, n):
                self.n = "a"

    class More(e):
        n: int

        class Spec:
            def __init__(self, n):
                self.n = n
                self.m = n

    class Fewer(e):
        n: int

        class Spec:
            def __init__(self, n):
                pass

    return _answers(
        tf,
        shadowing,
        reserved,
        derived,
        lambda: Wrong.Spec(3),
        lambda: More.Spec(3),
        lambda: Fewer.Spec(3),
    )


def copies(tf, np):
    masked = _masked(tf)

    class Nested(tf.experimental.ExtensionType):
        a: masked
        b: typing.Mapping[str, int]
        c: tuple[tf.Tensor, ...]

    x = Nested(masked([1, 2], [True, False]), {"b": 1}, [1.0])
    # Classes are found by their names.
    for kind in (masked, Nested):
        kind.__qualname__ = kind.__name__
        kind.__module__ = __name__
        kind.Spec.__qualname__ = f"{kind.__name__}.Spec"
        globals()[kind.__name__] = kind
    try:
        return _answers(
            tf,
            lambda: copy.copy(x),
            lambda: copy.deepcopy(x),
            lambda: copy.deepcopy(x) == x,
            lambda: pickle.loads(pickle.dumps(x)),
            lambda: pickle.loads(pickle.dumps(x)) == x,
            lambda: pickle.loads(pickle.dumps(x._type_spec)),
            lambda: pickle.loads(pickle.dumps(x._type_spec)) == x._type_spec,
            lambda: copy.deepcopy(x._type_spec) == x._type_spec,
        )
    finally:
        for kind in (masked, Nested):
            del globals()[kind.__name__]


def as_dictionaries(tf, np):
    masked = _masked(tf)

    class Nested(tf.experimental.ExtensionType):
        a: masked
        b: int

    found = tf.experimental.extension_type.as_dict(Nested(masked(1, 2), 3))
    return [{key: _told(tf, value) for key, value in found.items()}, list(found)]


def names(tf, np):
    def named(name):
        def make():
            class Kind(tf.experimental.ExtensionType):
                x: tf.Tensor
                __name__ = name

            return Kind(1)

        return make

    return _answers(
        tf, named("programs.named"), named("programs.named"), named("single"), named("not a.name"),
        named(3),
    )  # fmt: skip


def conversions(tf, np):
    masked = _masked(tf)
    x = masked([1, 2], [True, False])
    found = _answers(
        tf,
        lambda: tf.convert_to_tensor(x),
        lambda: tf.constant(x),
        lambda: tf.Variable(x),
        lambda: tf.abs(x),
        lambda: tf.add(x, 1),
        lambda: x + 1,
        lambda: tf.constant(1) + x,
        lambda: tf.stack([x, x]),
        lambda: tf.shape(x),
        lambda: np.asarray(x).dtype.kind,
        lambda: tf.cast(x, tf.float32),
        lambda: tf.identity(x),
        lambda: tf.type_spec_from_value(object()),
    )
    return [
        Caught(type(item.name, (Exception,), {})(item.text.split("(")[0]))
        if isinstance(item, Caught)
        else item
        for item in found
    ]
