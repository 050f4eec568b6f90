"""Messages: examples by hand, tensors."""

import copy
import pickle

from programs.program import caught, shown


def examples(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    train = tf.train
    ex = train.Example(
        features=train.Features(
            feature={
                "b": train.Feature(
                    bytes_list=train.BytesList(value=[b"x\xff\n\"'\x01", "é".encode()])
                ),
                "a": train.Feature(int64_list=train.Int64List(value=[1, -2, 300])),
                "f": train.Feature(
                    float_list=train.FloatList(value=[1, 0.1, 1e10, 1e-7, float("nan"), 1 / 3])
                ),
            }
        )
    )
    one = train.Example(features=train.Features(feature={"a": ex.features.feature["a"]}))
    ask(lambda: repr(one))
    ask(lambda: str(train.Example()))
    ask(lambda: ex.SerializeToString(deterministic=True))
    ask(lambda: train.Feature(int64_list=train.Int64List(value=[])).SerializeToString())
    ask(lambda: train.Feature(int64_list=train.Int64List(value=[])).WhichOneof("kind"))
    ask(lambda: train.Feature().WhichOneof("kind"))
    ask(lambda: train.Feature(int64_list=train.Int64List(value=[1])).HasField("int64_list"))
    ask(lambda: train.Feature(int64_list=train.Int64List(value=[1])).HasField("nope"))
    ask(lambda: train.Feature(int64_list=train.Int64List(value=[1])).HasField("kind"))
    ask(lambda: train.Int64List(value=[1]).HasField("value"))
    ask(lambda: train.Int64List(value=[1.5]))
    ask(lambda: train.Int64List(value=["a"]))
    ask(lambda: train.Int64List(value=[2**63]))
    ask(lambda: train.Int64List(value=[True]))
    ask(lambda: train.Int64List(value=np.array([1, 2])))
    ask(lambda: train.Int64List(value=[np.int32(3)]))
    ask(lambda: train.Int64List(value=[1.0]))
    ask(lambda: train.Int64List(value=tf.constant([1, 2])))
    ask(lambda: train.Int64List(value=3))
    ask(lambda: train.FloatList(value=[1, 2.5]))
    ask(lambda: train.FloatList(value=["a"]))
    ask(lambda: train.FloatList(value=np.ones(2)))
    ask(lambda: train.FloatList(value=[tf.constant(1.0)]))
    ask(lambda: train.BytesList(value=["a"]))
    ask(lambda: train.BytesList(value=[1]))
    ask(lambda: train.BytesList(value=b"abc"))
    ask(lambda: train.BytesList(value="abc"))
    ask(lambda: train.BytesList(values=[1]))
    ask(lambda: train.Feature(int64_list={"value": [1]}))
    ask(lambda: train.Features(feature={1: train.Feature()}))
    ask(lambda: ex.features.feature["a"].int64_list.value)
    ask(lambda: ex.features.feature["a"].int64_list.value[0])
    ask(lambda: ex.features.feature["a"].int64_list.value[:2])
    ask(lambda: list(ex.features.feature["zz"].int64_list.value))
    ask(lambda: sorted(ex.features.feature))
    ask(lambda: sorted(ex.features.feature.keys()))
    ask(lambda: "zz" in ex.features.feature)
    ask(lambda: len(ex.features.feature))
    ask(lambda: ex.features.feature["q"].int64_list.value.extend([4, 5]))
    ask(lambda: ex.features.feature["q"].int64_list.value.append(4))
    ask(lambda: ex.features.feature["q"].int64_list.value)
    ask(lambda: ex.features.feature["q"])
    ask(lambda: ex.features.feature.__setitem__("q", train.Feature()))
    ask(
        lambda: ex.features.feature["q"].CopyFrom(
            train.Feature(float_list=train.FloatList(value=[1.0]))
        )
    )
    ask(lambda: ex.features.feature["q"])
    ask(lambda: ex.features.feature.get("nope"))
    ask(lambda: ex.features.feature.pop("q"))
    ask(lambda: setattr(ex, "features", train.Features()))
    ask(lambda: setattr(ex, "foo", 1))
    ask(lambda: ex.foo)
    ask(lambda: train.Example.FromString(b"\x0a\x05abc"))
    ask(lambda: train.Example.FromString(b"\xff"))
    ask(lambda: train.Example().ParseFromString(b"\xff"))
    ask(lambda: train.Example().ParseFromString(ex.SerializeToString()))
    ask(lambda: train.Example().MergeFromString(b""))
    ask(lambda: train.Example.FromString(ex.SerializeToString()) == ex)
    ask(lambda: ex == 1)
    ask(lambda: ex.ByteSize())
    ask(lambda: ex.ListFields()[0][0].name)
    ask(lambda: (bool(ex), hash(ex)))
    ask(lambda: ex.IsInitialized())
    ask(lambda: ex.WhichOneof("x"))
    ask(lambda: train.Example(train.Features()))
    ask(lambda: train.Example(features=None))
    ask(lambda: (ex.HasField("features"), train.Example().HasField("features")))
    ask(lambda: train.Example(features=train.Features()).SerializeToString())
    ask(
        lambda: train.SequenceExample(
            context=train.Features(
                feature={"a": train.Feature(int64_list=train.Int64List(value=[1]))}
            ),
            feature_lists=train.FeatureLists(
                feature_list={
                    "f": train.FeatureList(
                        feature=[
                            train.Feature(int64_list=train.Int64List(value=[1])),
                            train.Feature(),
                        ]
                    )
                }
            ),
        )
    )
    ask(lambda: ex.DESCRIPTOR.full_name)
    ask(lambda: copy.deepcopy(ex) == ex)
    ask(lambda: pickle.loads(pickle.dumps(ex)) == ex)
    ask(lambda: train.Int64List(value=[tf.constant(3)]))
    ask(lambda: train.Int64List(value=[np.float32(3)]))
    ask(lambda: train.Int64List(value=range(3)))
    ask(lambda: train.Int64List(value=np.array([[1, 2]])))
    ask(lambda: train.FloatList(value=[1e39]))
    ask(lambda: train.FloatList(value=np.float32(1)))
    s_ = train.SequenceExample()
    part = s_.feature_lists.feature_list["x"].feature.add()
    part.float_list.value.append(0.5)
    ask(lambda: s_)
    ask(lambda: s_.SerializeToString())
    s_.Clear()
    ask(lambda: s_)
    ask(lambda: ex.DESCRIPTOR.full_name)
    ask(lambda: copy.deepcopy(ex) == ex)
    ask(lambda: pickle.loads(pickle.dumps(ex)) == ex)
    ask(lambda: train.Int64List(value=[tf.constant(3)]))
    ask(lambda: train.Int64List(value=[np.float32(3)]))
    ask(lambda: train.Int64List(value=range(3)))
    ask(lambda: train.Int64List(value=np.array([[1, 2]])))
    ask(lambda: train.FloatList(value=[1e39]))
    ask(lambda: train.FloatList(value=np.float32(1)))
    return found


def tensors(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    ask(lambda: tf.io.serialize_tensor([1, 2]))
    ask(lambda: tf.io.serialize_tensor([1.0, 2.0]).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.constant(["a", "bc"])).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.constant([[True, False]])).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.constant(1 + 2j)).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.constant([1], tf.bfloat16)).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.zeros([0, 3])).numpy())
    ask(lambda: tf.io.serialize_tensor(tf.constant(1.5, tf.float16)).numpy())
    ask(lambda: tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32))
    ask(lambda: tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.float32))
    ask(lambda: tf.io.parse_tensor("abc", tf.float32))
    ask(lambda: tf.io.parse_tensor([""], tf.float32))
    ask(lambda: tf.io.parse_tensor(tf.io.serialize_tensor(["a", "b"]), tf.string))
    ask(lambda: repr(tf.make_tensor_proto([1, 2])))
    ask(lambda: repr(tf.make_tensor_proto([[1.0, 2.0]])))
    ask(lambda: repr(tf.make_tensor_proto(["a", "b"])))
    ask(lambda: repr(tf.make_tensor_proto(1.5, shape=[2, 2])))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], shape=[4])))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], dtype=tf.float64)))
    ask(lambda: repr(tf.make_tensor_proto([True, False])))
    ask(lambda: repr(tf.make_tensor_proto(1 + 2j)))
    ask(lambda: repr(tf.make_tensor_proto(1 + 2j, dtype=tf.complex128)))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1.5], np.float16))))
    ask(lambda: repr(tf.make_tensor_proto(tf.constant(3))))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1, 2], np.uint64))))
    ask(lambda: repr(tf.make_tensor_proto("abc")))
    ask(lambda: repr(tf.make_tensor_proto([])))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)))
    ask(lambda: repr(tf.make_tensor_proto([1, 2, 3], shape=[2])))
    ask(lambda: repr(tf.make_tensor_proto(None)))
    ask(lambda: repr(tf.make_tensor_proto(["a", 1])))
    ask(lambda: repr(tf.make_tensor_proto([1.5], dtype=tf.int32)))
    ask(lambda: tf.make_tensor_proto([1, 2]).SerializeToString())
    ask(lambda: tf.make_tensor_proto(7).SerializeToString())
    ask(lambda: repr(tf.make_tensor_proto(3.0)))
    ask(lambda: repr(tf.make_tensor_proto(np.zeros([0, 2]))))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([1, 2])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(1.5, shape=[2, 2])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(["a", "b"])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([True])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(1 + 2j)))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(np.array([1.5], np.float16))))
    ask(lambda: tf.make_ndarray(1))
    ask(lambda: tf.make_tensor_proto([1, 2]).dtype)
    ask(lambda: tf.make_tensor_proto([1, 2]).tensor_shape.dim[0].size)
    ask(
        lambda: (
            tf.make_tensor_proto([1, 2]).int_val,
            tf.make_tensor_proto(5).int_val,
            tf.make_tensor_proto(5.0).float_val[0],
        )
    )
    ask(lambda: type(tf.make_tensor_proto(1)).__name__)
    ask(lambda: repr(tf.make_tensor_proto(np.array(["a", b"b"]))))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1, 2]))))
    ask(lambda: repr(tf.make_tensor_proto([[1, 2], [3]])))
    ask(lambda: repr(tf.make_tensor_proto([1, 2**40])))
    ask(lambda: repr(tf.make_tensor_proto([1, 2.5])))
    ask(lambda: repr(tf.make_tensor_proto(tf.constant([1.0, 2.0]))))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], dtype="float16")))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], dtype=tf.bfloat16)))
    ask(lambda: repr(tf.make_tensor_proto([1, 2], dtype=tf.string)))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1.7]), dtype=tf.int32)))
    ask(lambda: repr(tf.make_tensor_proto([5], shape=[])))
    ask(lambda: repr(tf.make_tensor_proto([1, 1, 1, 1], shape=[2, 2])))
    ask(lambda: repr(tf.make_tensor_proto(7, shape=[0])))
    ask(lambda: repr(tf.make_tensor_proto([True], shape=[3])))
    ask(lambda: repr(tf.make_tensor_proto(["a"], shape=[3])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(["a"], shape=[3])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([True], shape=[3])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(["a"])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(5)))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto("q")))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([1, 2], dtype=tf.bfloat16)))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(np.array([1, 2], np.uint64))))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(np.uint64(3))))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto(np.array([1, 2], np.uint16))))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([1 + 2j])))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([1 + 2j], dtype=tf.complex64)))
    ask(lambda: tf.make_ndarray(tf.make_tensor_proto([])))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1, 2], np.uint16))))
    ask(lambda: repr(tf.make_tensor_proto(np.array([1, 2], np.int8))))
    ask(lambda: repr(tf.make_tensor_proto(np.int8(1))))
    ask(lambda: repr(tf.make_tensor_proto(np.uint32(1))))
    ask(lambda: repr(tf.make_tensor_proto(np.int64(1))))
    ask(lambda: repr(tf.make_tensor_proto([None])))
    ask(lambda: repr(tf.make_tensor_proto({"a": 1})))
    ask(lambda: repr(tf.make_tensor_proto(tf.make_tensor_proto(3))))
    ask(
        lambda: tf.io.parse_tensor(
            tf.make_tensor_proto(1.5, shape=[2, 2]).SerializeToString(), tf.float32
        )
    )
    ask(
        lambda: tf.io.parse_tensor(tf.make_tensor_proto([True, False]).SerializeToString(), tf.bool)
    )
    ask(
        lambda: tf.io.parse_tensor(
            tf.make_tensor_proto(np.array([1.5], np.float16)).SerializeToString(), tf.float16
        )
    )
    ask(
        lambda: tf.io.parse_tensor(
            tf.make_tensor_proto([1 + 2j]).SerializeToString(), tf.complex128
        )
    )
    ask(lambda: tf.io.parse_tensor(b"\x08\x01\x12\x04\x12\x02\x08\x02", tf.float32))
    ask(lambda: tf.io.serialize_tensor(1))
    ask(lambda: tf.io.serialize_tensor("a").numpy())
    ask(lambda: tf.io.serialize_tensor(None))
    ask(lambda: tf.io.serialize_tensor(tf.constant([1, 2], tf.uint64)).numpy())
    ask(lambda: tf.io.serialize_tensor(np.zeros([300], np.int8)).numpy()[:20])
    ask(lambda: tf.io.serialize_tensor(tf.constant(["x" * 200, ""])).numpy()[:20])
    return found


def sparse(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    make_sparse = tf.sparse.SparseTensor
    sp, st = make_sparse([[0, 1], [1, 0]], [5, 6], [2, 3]), make_sparse([[0, 1]], ["ab"], [1, 2])
    ask(lambda: tf.io.serialize_sparse(sp))
    ask(lambda: tf.io.serialize_sparse(st))
    ask(lambda: tf.io.serialize_many_sparse(sp))
    ask(lambda: tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sp), tf.int32))
    ask(
        lambda: tf.io.deserialize_many_sparse(
            [tf.io.serialize_sparse(sp), tf.io.serialize_sparse(sp)], tf.int32
        )
    )
    ask(lambda: tf.io.deserialize_many_sparse([tf.io.serialize_sparse(sp)], tf.float32))
    ask(lambda: tf.io.deserialize_many_sparse([tf.io.serialize_sparse(sp)], tf.int32, rank=2))
    ask(lambda: tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.int32))
    ask(lambda: tf.io.deserialize_many_sparse(["a"], tf.int32))
    ask(lambda: tf.io.serialize_sparse(1))
    ask(lambda: tf.io.serialize_many_sparse(make_sparse([[0]], [1], [1])))
    return found


def edit_distance(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    def make(places, values, shape):
        held = np.array(values, object) if values and isinstance(values[0], str) else values
        return tf.sparse.SparseTensor(
            np.array(places, np.int64).reshape(-1, len(shape)), held, shape
        )

    ask(
        lambda: tf.edit_distance(
            make([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1]),
            make([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2]),
        )
    )
    ask(
        lambda: tf.edit_distance(
            make([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1]),
            make([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2]),
            normalize=False,
        )
    )
    ask(
        lambda: tf.edit_distance(
            make([[0, 0], [0, 1], [0, 2]], [1, 2, 3], [1, 3]),
            make([[0, 0], [0, 1]], [1, 3], [1, 2]),
        )
    )
    ask(lambda: tf.edit_distance(make([[0, 0]], [1], [1, 3]), make([[0, 0]], ["a"], [1, 2])))
    ask(lambda: tf.edit_distance(1, 2))
    ask(lambda: tf.edit_distance(make([[0, 0]], [1], [1, 3]), make([], [], [1, 2])))
    ask(lambda: tf.edit_distance(make([], [1][:0], [1, 3]), make([[0, 0]], [1], [1, 2])))
    ask(lambda: tf.edit_distance(make([[0]], [1], [3]), make([[0]], [1], [2])))
    ask(lambda: tf.edit_distance(make([[0, 0]], [1], [1, 3]), make([[0, 0, 0]], [1], [1, 1, 2])))
    return found
