"""Expressions about nested structures, for `cases_core.py`."""

import collections
import dataclasses
import types


class ListSubclass(list):
    pass


class TupleSubclass(tuple):
    __slots__ = ()


class DictSubclass(dict):
    pass


Point = collections.namedtuple("Point", "x y")
Pair = collections.namedtuple("Pair", "x y")
OtherFields = collections.namedtuple("Point", "x z")


class PointSubclass(Point):
    __slots__ = ()


SameNamePoint = collections.namedtuple("Point", "x y")


class Attrs:
    """What attrs makes of a class, as far as `tf.nest` looks at it."""

    __attrs_attrs__ = (types.SimpleNamespace(name="b"), types.SimpleNamespace(name="a"))

    def __init__(self, b, a):
        self.b = b
        self.a = a

    def __repr__(self):
        return f"{type(self).__name__}(b={self.b}, a={self.a})"


class OtherAttrs(Attrs):
    pass


@dataclasses.dataclass
class Flattened:
    value: object
    other: object
    tag: str = "t"

    def __tf_flatten__(self):
        return (self.tag,), (self.value, self.other)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


@dataclasses.dataclass
class OtherFlattened(Flattened):
    pass


@dataclasses.dataclass
class Plain:
    value: object


NEST_NAMES = {
    "collections": collections,
    "types": types,
    "ListSubclass": ListSubclass,
    "TupleSubclass": TupleSubclass,
    "DictSubclass": DictSubclass,
    "Point": Point,
    "Pair": Pair,
    "OtherFields": OtherFields,
    "PointSubclass": PointSubclass,
    "SameNamePoint": SameNamePoint,
    "Attrs": Attrs,
    "OtherAttrs": OtherAttrs,
    "Flattened": Flattened,
    "OtherFlattened": OtherFlattened,
    "Plain": Plain,
}

LEAVES = ["1", "None", "'ab'", "b'ab'", "{1, 2}", "np.ones(2)", "Plain(1)", "Point", "iter"]
STRUCTURES = [
    "[]",
    "()",
    "{}",
    "[1, 2]",
    "(1, 2)",
    "[1, [2, (3,)], {}]",
    "{'b': 1, 'a': [2, 3]}",
    "{'b': {'d': 1, 'c': 2}, 'a': None}",
    "{2: 'x', 1: 'y'}",
    "{(1, 2): 3, (0, 5): 4}",
    "collections.OrderedDict([('b', 1), ('a', 2)])",
    "collections.defaultdict(int, {'b': 1, 'a': 2})",
    "collections.Counter(b=1, a=2)",
    "collections.ChainMap({'b': 1, 'a': 2})",
    "collections.UserDict({'b': 1, 'a': 2})",
    "collections.UserList([1, [2]])",
    "collections.deque([1, [2]])",
    "{'b': 1, 'a': 2}.keys()",
    "{'b': 1, 'a': 2}.values()",
    "{'b': 1, 'a': 2}.items()",
    "range(3)",
    "bytearray(b'ab')",
    "memoryview(b'ab')",
    "ListSubclass([1, 2])",
    "TupleSubclass([1, 2])",
    "DictSubclass(b=1, a=2)",
    "Point(1, [2, 3])",
    "PointSubclass(1, 2)",
    "Attrs([1, 2], 3)",
    "Flattened([1, 2], 3, 'kept')",
    "[Flattened(Point(1, 2), {'k': 3}), Attrs(4, (5,))]",
    "[None, 'a', b'b', 1.5, {1}]",
    "[True, [False]]",
    "[tf.TensorShape([1, 2])]",
    "[tf.float32, (tf.int8,)]",
    "types.MappingProxyType({'b': 1, 'a': 2})",
    "[[[[[[1]]]]]]",
    "list(range(50))",
]
UNSORTABLE = "{1: 2, 'a': 3}"
SAME = [
    ("[1, 2]", "[3, 4]"),
    ("[1, 2]", "[3, 4, 5]"),
    ("[1, 2, 3]", "[3]"),
    ("[1, 2]", "(1, 2)"),
    ("(1, 2)", "[1, 2]"),
    ("()", "[]"),
    ("[]", "[]"),
    ("[[1, 2], 3]", "[[1], 3]"),
    ("[[1, 2], 3]", "[1, 2, 3]"),
    ("[1, [2]]", "[1, 2]"),
    ("[1, 2]", "[1, [2]]"),
    ("[1, 2]", "'ab'"),
    ("'ab'", "[1, 2]"),
    ("'ab'", "3"),
    ("1", "[1]"),
    ("None", "[]"),
    ("None", "{}"),
    ("None", "5"),
    ("[1]", "np.ones(1)"),
    ("{'a': 1}", "{'a': 2}"),
    ("{'a': 1}", "{'b': 1}"),
    ("{'a': 1}", "{'a': 1, 'b': 2}"),
    ("{'a': 1, 'c': 3}", "{'b': 2, 'a': 1}"),
    ("{'a': {'b': 1}}", "{'a': {'c': 1}}"),
    ("{'a': [1, 2]}", "{'a': (1, 2)}"),
    ("{'a': 1}", "[1]"),
    ("[1]", "{'a': 1}"),
    ("{'b': 1, 'a': 2}", "collections.OrderedDict([('a', 1), ('b', 2)])"),
    ("collections.OrderedDict(a=1)", "{'a': [1]}"),
    ("collections.ChainMap({'a': 1})", "{'a': 1}"),
    ("collections.ChainMap({'a': 1})", "{'b': 1}"),
    ("collections.ChainMap({'a': 1})", "{'a': 1, 'b': 2}"),
    ("DictSubclass(a=1)", "{'a': 1}"),
    ("[1, 2]", "ListSubclass([1, 2])"),
    ("(1, 2)", "TupleSubclass([1, 2])"),
    ("[1, 2]", "range(2)"),
    ("range(2)", "range(3)"),
    ("collections.deque([1])", "[1]"),
    ("collections.deque([1])", "collections.deque([2, 3])"),
    ("collections.UserList([1])", "[1]"),
    ("{'a': 1}.values()", "[1]"),
    ("{'a': 1}.values()", "{'b': 1}.values()"),
    ("Point(1, 2)", "Point(3, 4)"),
    ("Point(1, 2)", "Pair(3, 4)"),
    ("Point(1, 2)", "OtherFields(3, 4)"),
    ("Point(1, 2)", "SameNamePoint(3, 4)"),
    ("PointSubclass(1, 2)", "Point(3, 4)"),
    ("Point(1, 2)", "(3, 4)"),
    ("(1, 2)", "Point(3, 4)"),
    ("Point(1, (2,))", "Point(3, 4)"),
    ("Attrs(1, 2)", "Attrs(3, 4)"),
    ("Attrs(1, 2)", "OtherAttrs(3, 4)"),
    ("Attrs(1, 2)", "Attrs([3], 4)"),
    ("Attrs(1, 2)", "(3, 4)"),
    ("Flattened(1, 2)", "Flattened(3, 4, 'other')"),
    ("Flattened(1, 2)", "OtherFlattened(3, 4)"),
    ("Flattened(1, 2)", "Flattened([3], 4)"),
    ("Flattened(1, 2)", "(1, 2)"),
    ("[1, (2, 3)]", "[1, [2, 3]]"),
    ("[1, (2, 3)]", "[1, [2, [3]]]"),
    ("[[1], [2, 3], 4]", "[[1], [2], [4]]"),
    (UNSORTABLE, UNSORTABLE),
    (UNSORTABLE, "{1: 2}"),
    ("[(1,)]", "[[1], 2]"),
    ("[1, 2, 3]", "[(1,), 2]"),
    ("types.MappingProxyType({'a': 1})", "{'a': 1}"),
]
PACKED = [
    ("[1, [2, 3]]", "[4, 5, 6]"),
    ("[1, [2, 3]]", "(4, 5, 6)"),
    ("[1, [2, 3]]", "range(3)"),
    ("[1, [2, 3]]", "[4, 5]"),
    ("[1, [2, 3]]", "[4, 5, 6, 7]"),
    ("[1, [2, 3]]", "[]"),
    ("[1, [2, 3]]", "'abc'"),
    ("[1, [2, 3]]", "5"),
    ("[1, [2, 3]]", "None"),
    ("[1, 2]", "np.ones(2)"),
    ("[1, 2]", "{'a': 1, 'b': 2}"),
    ("[1, 2]", "{0: 5, 1: 6}"),
    ("[1, 2]", "[1, [2]]"),
    ("[1, 2]", "[3]"),
    ("[1, 2]", "[3, 4, 5]"),
    ("(1, 2)", "[3, 4]"),
    ("(1, 2)", "collections.deque([3, 4])"),
    ("[]", "[]"),
    ("[]", "[1]"),
    ("{}", "[]"),
    ("1", "[5]"),
    ("1", "(5,)"),
    ("1", "[5, 6]"),
    ("1", "[]"),
    ("None", "[4]"),
    ("'x' * 200", "list(range(100))"),
    ("[1]", "'y' * 200"),
    ("np.ones(1)", "[3]"),
    ("Point(1, [2])", "[4, 5]"),
    ("Attrs(1, [2])", "[4, 5]"),
    ("Flattened(1, [2], 'kept')", "[4, 5]"),
    ("Flattened(1, [2], 'kept')", "[4]"),
    ("{'b': 1, 'a': [2, 3]}", "[4, 5, 6]"),
    ("collections.OrderedDict([('b', 1), ('a', [2, 3])])", "[4, 5, 6]"),
    ("collections.defaultdict(list, b=1, a=[2, 3])", "[4, 5, 6]"),
    ("range(2)", "[4, 5]"),
    ("[(1,), {}, [[]]]", "[4]"),
    (UNSORTABLE, "[4, 5]"),
    ("[1, {2: 3, 'a': 4}]", "[4, 5, 6]"),
]
TWICE = "lambda *xs: [len(xs), xs[0]]"
NEST_CASES = [
    *(f"tf.nest.is_nested({value})" for value in LEAVES + STRUCTURES),
    *(f"tf.nest.flatten({value})" for value in LEAVES[:7] + STRUCTURES),
    *(f"tf.nest.map_structure(lambda x: (x,), {value})" for value in LEAVES[:7] + STRUCTURES),
    *(f"tf.nest.assert_same_structure({left}, {right})" for left, right in SAME),
    *(f"tf.nest.assert_same_structure({left}, {right}, check_types=False)" for left, right in SAME),
    *(f"tf.nest.map_structure({TWICE}, {left}, {right})" for left, right in SAME),
    *(f"tf.nest.pack_sequence_as({left}, {right})" for left, right in PACKED),
    f"tf.nest.flatten({UNSORTABLE})",
    f"tf.nest.flatten([{UNSORTABLE}])",
    f"tf.nest.map_structure(lambda x: x, {UNSORTABLE})",
    "type(tf.nest.map_structure(lambda x: x, ListSubclass([1]))).__name__",
    "type(tf.nest.map_structure(lambda x: x, TupleSubclass([1]))).__name__",
    "type(tf.nest.map_structure(lambda x: x, DictSubclass(a=1))).__name__",
    "type(tf.nest.map_structure(lambda x: x, PointSubclass(1, 2))).__name__",
    "(lambda x: tf.nest.flatten(x) is x)([1])",
    "(lambda x: tf.nest.map_structure(lambda y: y, x) is x)([1])",
    "tf.nest.flatten([1], expand_composites=True)",
    "tf.nest.flatten([1], True)",
    "tf.nest.flatten()",
    "tf.nest.flatten(structure=[1, [2]])",
    "tf.nest.pack_sequence_as(structure=[1, [2]], flat_sequence=[3, 4], expand_composites=True)",
    "tf.nest.assert_same_structure([1], [2], True, True)",
    "tf.nest.assert_same_structure(nest1=[1], nest2=[2], check_types=1)",
    "tf.nest.assert_same_structure([1])",
    "tf.nest.map_structure(lambda x: x, [1], foo=2, bar=3)",
    "tf.nest.map_structure(lambda x: x, [1], check_types=False, expand_composites=True)",
    "tf.nest.map_structure(3, [1])",
    "tf.nest.map_structure(None)",
    "tf.nest.map_structure()",
    "tf.nest.map_structure(lambda x: x)",
    "tf.nest.map_structure(lambda x, y: x, [1])",
    "tf.nest.map_structure(lambda x, y, z: x + y + z, [1, (2,)], [3, (4,)], [5, (6,)])",
    "tf.nest.map_structure(lambda x, y, z: x, [1, (2,)], [3, (4,)], [5, 6])",
    "tf.nest.map_structure(lambda x: 1 // x, [1, 0])",
    "tf.nest.map_structure(lambda x: [][x], [1, 0])",
    "tf.nest.map_structure(str, {'a': (1, None)})",
    "tf.nest.map_structure(lambda x, y: x + y, {'b': 1, 'a': 2}, {'a': 10, 'b': 20})",
    "tf.nest.map_structure(lambda x, y: x + y, [1, 2], (3, 4), check_types=False)",
    "tf.nest.map_structure(lambda x, y: x + y, {'a': 1}, {'b': 2}, check_types=False)",
    "tf.nest.map_structure(lambda x: x, collections.defaultdict(list, a=1)).default_factory",
    "tf.nest.is_nested()",
    "tf.nest.is_nested(seq=[])",
]
