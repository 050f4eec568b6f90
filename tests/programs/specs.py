"""What specs say of values, and how they compare: TensorSpec, IndexedSlicesSpec and others."""

import pickle

from programs.program import caught


def tensor_specs(tf, np):
    spec = tf.TensorSpec
    named = spec([2], name="a")
    return {
        "reprs": [repr(s) for s in (spec([2, None]), spec(None), spec(2, "int32", "x"), spec([]))],
        "from_spec": [repr(spec.from_spec(named)), repr(spec.from_spec(spec([1]), "n"))],
        "from_tensor": repr(spec.from_tensor(tf.constant(1.0), "a")),
        "from a number": caught(lambda: spec.from_tensor(1.0)),
        "attributes": [named.shape, named.dtype, named.name, named.value_type is tf.Tensor],
        "equal": [spec([2]) == spec((2,)), spec([2]) == named, spec([2]) != named, named == 1],
        "hash": [hash(spec([2])) == hash(spec([2])), hash(spec([2])) == hash(named)],
        "pickled": repr(pickle.loads(pickle.dumps(spec([2, None], tf.int32, "n")))),
        "wrong dtype": caught(lambda: spec([2], "nonsense")),
        "wrong shape": caught(lambda: spec([-2])),
        "is": [isinstance(named, tf.TypeSpec), issubclass(tf.TensorSpec, tf.TypeSpec)],
        "flatten": repr(named.flatten()),
        "to_tensors": spec([2]).to_tensors(tf.ones(2)),
        "to_tensors wrong": caught(lambda: spec([3]).to_tensors(tf.ones(2))),
        "from_tensors": spec([2]).from_tensors(iter([tf.ones(2)])),
    }


def tensor_specs_compared(tf, np):
    spec = tf.TensorSpec
    two, three, named = spec([2]), spec([3]), spec([2], name="a")
    others = [
        two,
        three,
        named,
        spec([None]),
        spec(None),
        spec([2], tf.int32),
        tf.ones(2),
        tf.ones(3),
        tf.constant([1, 2]),
        [1.0, 2.0],
        np.ones(2, np.float32),
        tf.Variable([1.0, 2.0]),
        None,
        "x",
    ]
    return {
        "compatible": [[s.is_compatible_with(o) for o in others] for s in (two, named)],
        "subtype": [[s.is_subtype_of(o) for o in others[:6]] for s in (two, named, spec([None]))],
        "common": repr(two.most_specific_common_supertype([three, spec([4])])),
        "common of ranks": repr(two.most_specific_common_supertype([spec([2, 3])])),
        "common of dtypes": two.most_specific_common_supertype([spec([2], tf.int32)]),
        "common of others": two.most_specific_common_supertype([1]),
        "compatible type": [
            repr(two.most_specific_compatible_type(three)),
            repr(named.most_specific_compatible_type(spec([3], name="a"))),
        ],
        "names": [
            named.most_specific_common_supertype([spec([3], name="b")]),
            named.most_specific_common_supertype([three]),
        ],
        "no compatible type": caught(
            lambda: two.most_specific_compatible_type(spec([2], tf.int32))
        ),
    }


def specs_of_values(tf, np):
    values = [
        tf.constant(1),
        1,
        [1, 2.0],
        (1, 2),
        [],
        np.ones(3),
        True,
        None,
        tf.Variable([1.0, 2.0]),
        tf.Variable(1, trainable=False),
        tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3])),
        tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1])),
        tf.TensorArray(tf.float32, 3),
        tf.TensorArray(tf.int32, 3, element_shape=[2], dynamic_size=True, infer_shape=False),
        tf.experimental.Optional.from_value((1, {"a": [2.0]})),
    ]
    return {
        "specs": [repr(tf.type_spec_from_value(value)) for value in values],
        "dictionary": caught(lambda: tf.type_spec_from_value({"a": 1})),
        "slice": caught(lambda: tf.type_spec_from_value(slice(1))),
    }


def specs_of_slices(tf, np):
    spec = tf.IndexedSlicesSpec
    whole = spec([4, 3], tf.float64, tf.int32, tf.int64, [2])
    x = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3]))
    return {
        "reprs": [repr(spec()), repr(whole)],
        "flatten": [repr(spec([4, 3]).flatten()), repr(whole.flatten())],
        "value_type": whole.value_type is tf.IndexedSlices,
        "equal": [spec() == spec(), spec() == whole, hash(spec()) == hash(spec())],
        "pickled": repr(pickle.loads(pickle.dumps(whole))),
        "compatible": [
            spec([4, 3]).is_compatible_with(spec([None, 3])),
            whole.is_compatible_with(x),
        ],
        "subtype": spec([4, 3]).is_subtype_of(spec([None, 3])),
        "common": repr(spec([4, 3]).most_specific_compatible_type(spec([5, 3]))),
        "nothing common": caught(
            lambda: spec([4, 3]).most_specific_compatible_type(tf.TensorSpec([1]))
        ),
        "to_tensors": tf.type_spec_from_value(x).to_tensors(x),
        "round trip": tf.type_spec_from_value(x).from_tensors(
            iter(tf.type_spec_from_value(x).to_tensors(x))
        ),
    }


def specs_of_arrays(tf, np):
    spec = tf.TensorArraySpec
    return {
        "reprs": [repr(spec()), repr(spec([2], tf.int32, True, False))],
        "compatible": [
            spec([2]).is_compatible_with(spec([3])),
            spec([2]).is_compatible_with(spec([None])),
            spec([2]).is_compatible_with(tf.TensorArray(tf.float32, 2)),
            spec([2]).is_compatible_with(1),
        ],
        "common": repr(spec([2]).most_specific_compatible_type(spec([2]))),
        "nothing common": caught(
            lambda: spec([2]).most_specific_compatible_type(spec([2], tf.int32))
        ),
        "from a number": caught(lambda: spec.from_value(1)),
        "value_type": spec().value_type is tf.TensorArray,
        "pickled": repr(pickle.loads(pickle.dumps(spec([1, 2])))),
        "flatten": repr(spec().flatten()),
    }


def none_specs(tf, np):
    spec = tf.NoneTensorSpec()
    return {
        "repr": repr(spec),
        "equal": [spec == tf.NoneTensorSpec(), hash(spec) == hash(tf.NoneTensorSpec())],
        "compatible": [spec.is_compatible_with(None), spec.is_compatible_with(1)],
        "shape": repr(spec.most_specific_compatible_shape(tf.NoneTensorSpec())),
        "wrong": caught(lambda: spec.most_specific_compatible_type(tf.TensorSpec([1]))),
        "subtype": spec.is_subtype_of(tf.TensorSpec([1])),
        "flatten": spec.flatten(),
        "pickled": repr(pickle.loads(pickle.dumps(spec))),
    }


def a_spec_of_ones_own(tf, np):
    class Pair:
        def __init__(self, first, second):
            self.first, self.second = first, second

    class PairSpec(tf.TypeSpec):
        def __init__(self, label, parts):
            self.label, self.parts = label, parts

        value_type = property(lambda self: Pair)
        _component_specs = property(lambda self: self.parts)

        def _serialize(self):
            return self.label, self.parts

        def _to_components(self, value):
            return [value.first, value.second]

        def _from_components(self, components):
            return Pair(*components)

    def of(label, size):
        return PairSpec(label, [tf.TensorSpec([size]), tf.TensorSpec([], tf.int32)])

    spec, pair = of("a", 2), Pair(tf.ones(2), tf.constant(3))
    tensors = spec.to_tensors(pair)
    made = spec.from_tensors(iter(tensors))
    return {
        "repr": repr(spec),
        "equal": [spec == of("a", 2), spec == of("a", 3), spec == of("b", 2)],
        "hash": hash(spec) == hash(of("a", 2)),
        "compatible": [spec.is_compatible_with(of("a", None)), spec.is_compatible_with(of("b", 2))],
        "subtype": [spec.is_subtype_of(of("a", None)), of("a", None).is_subtype_of(spec)],
        "common": repr(spec.most_specific_common_supertype([of("a", 3)])),
        "not common": repr(spec.most_specific_common_supertype([of("b", 2)])),
        "tensors": tensors,
        "made": [made.first, made.second],
    }


def optional_values(tf, np):
    optional, spec = tf.experimental.Optional, tf.TensorSpec([1])
    value = optional.from_value((1, {"a": [1.0, 2.0]}))
    empty = optional.empty(spec)
    return {
        "value": value.get_value(),
        "has": [value.has_value(), empty.has_value()],
        "specs": [repr(value.element_spec), repr(empty.element_spec)],
        "list": optional.from_value([1, 2]).get_value(),
        "empty": caught(empty.get_value),
        "object": caught(lambda: optional.from_value(print)) is None,
        "spec": repr(tf.OptionalSpec((spec, {"a": spec}))),
        "equal": tf.OptionalSpec(spec) == tf.OptionalSpec(tf.TensorSpec([1])),
        "compatible": tf.OptionalSpec(spec).is_compatible_with(optional.from_value([1.0])),
        "common": repr(
            tf.OptionalSpec(spec).most_specific_compatible_type(tf.OptionalSpec(tf.TensorSpec([2])))
        ),
        "from_value": repr(tf.OptionalSpec.from_value(value)),
        "flatten": repr(tf.OptionalSpec(spec).flatten()),
        "is": isinstance(value, optional),
    }
