"""Messages are those of protobuf: its text and JSON formats, copies, what is missing without it."""

import copy
import pickle
import sys

import pytest

import tapefacade as tf
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._io.messages import MESSAGE_FILES, MessageField, MessageFile, MessageType

json_format = pytest.importorskip("google.protobuf.json_format")
text_format = pytest.importorskip("google.protobuf.text_format")


def example():
    made = tf.train.Example()
    made.features.feature["n"].int64_list.value.extend([1, -2])
    made.features.feature["t"].bytes_list.value.append(b"\xff")
    made.features.feature["x"].float_list.value.append(0.5)
    return made


def messages():
    slice_ = CHECKPOINTS["TensorSliceProto"]()
    slice_.extent.add(start=1, length=0)
    state = CHECKPOINTS["CheckpointState"](model_checkpoint_path="é", last_preserved_timestamp=0.1)
    graph = CHECKPOINTS["TrackableObjectGraph"]()
    graph.nodes.add().has_checkpoint_values.SetInParent()
    tensor = tf.make_tensor_proto([[1.0, 2.0]])
    return [example(), slice_, slice_.extent[0], state, graph, tensor, tensor.tensor_shape.dim[1]]


@pytest.mark.parametrize("message", messages(), ids=lambda m: m.DESCRIPTOR.full_name)
def test_messages_are_copied_pickled_and_written_as_text(message):
    kind = type(message)
    for made in (
        copy.copy(message),
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),
        text_format.Parse(text_format.MessageToString(message), kind()),
        json_format.Parse(json_format.MessageToJson(message), kind()),
    ):
        assert type(made) is kind
        assert made == message
        assert made.SerializeToString(deterministic=True) == message.SerializeToString(
            deterministic=True
        )
    assert kind.__doc__
    assert kind.DESCRIPTOR.full_name.endswith(kind.__qualname__)


def test_there_is_one_class_under_all_names():
    assert tf.compat.v1.train.Example is tf.train.Example is type(example())
    assert "Example" in dir(tf.train)
    assert "Example" in dir(tf.compat.v1.train)
    assert repr(tf.train.Example) == "<class 'tapefacade.train.Example'>"


def test_json_is_that_of_protobuf():
    text = json_format.MessageToJson(example())
    assert tf.io.decode_json_example(text).numpy() == example().SerializeToString(
        deterministic=True
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Error while parsing JSON: .*nope"):
        tf.io.decode_json_example('{"nope": 1}')


def test_a_near_name_is_found_among_those_not_made_yet():
    with pytest.raises(AttributeError, match=r"the nearest name it has is `tf.train.Example`"):
        _ = tf.train.Exampel


def test_definitions_are_apart_from_those_of_others():
    """Two definitions of one message in the pool of a process are an error."""
    default = pytest.importorskip("google.protobuf.descriptor_pool").Default()
    with pytest.raises(KeyError):
        default.FindMessageTypeByName("tensorflow.Example")
    assert tf.train.Example.DESCRIPTOR.file.pool is not default


@pytest.fixture
def no_protobuf(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("google.protobuf")]:
        monkeypatch.setitem(sys.modules, name, None)  # what makes an import fail


def test_what_to_install_is_said(no_protobuf):
    kinds = (MessageField("x", 1, "int32"),)
    for extra, made in {
        "records": MessageFile("a.proto", MessageType("A", "doc", kinds)),
        "checkpoint": MessageFile("b.proto", MessageType("A", "doc", kinds), extra="checkpoint"),
    }.items():
        with pytest.raises(ImportError, match=rf"need protobuf.*`{extra}` brings: pip install '"):
            made["A"]
        del MESSAGE_FILES[made.path]
    with pytest.raises(ImportError, match=r"`records` brings: pip install '"):
        tf.io.decode_json_example("{}")
