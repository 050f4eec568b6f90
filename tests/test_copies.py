"""Values of every kind survive pickling and copying, and show their memory."""

import copy
import pickle
import sys

import numpy as np
import pytest

import tapefacade as tf


def texts():
    return tf.constant(["a", "b"])


def sparse():
    return tf.SparseTensor([[0, 1]], [5.0], [2, 2])


def ragged():
    return tf.ragged.constant([[1], [2, 3]])


def slices():
    return tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))


def text_variable():
    return tf.Variable("x")


def specs():
    return [tf.TensorSpec([1]), tf.RaggedTensorSpec([None, None]), tf.SparseTensorSpec([2, 2])]


def example():
    numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
    return tf.train.Example(features=tf.train.Features(feature={"a": numbers}))


WAYS = [lambda v: pickle.loads(pickle.dumps(v)), copy.deepcopy, copy.copy]


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize("make", [texts, sparse, ragged, slices, text_variable, specs, example])
def test_copies_show_the_same(make, way):
    value = make()
    assert str(way(value)) == str(value)


@pytest.mark.parametrize("way", WAYS[:2], ids=["pickle", "deepcopy"])
def test_copies_of_a_generator_go_on_alike(way):
    generator = tf.random.Generator.from_seed(1)
    generator.normal([3])
    twin = way(generator)
    assert twin.normal([3]).numpy().tolist() == generator.normal([3]).numpy().tolist()


@pytest.mark.parametrize("way", WAYS[:2], ids=["pickle", "deepcopy"])
def test_copies_of_a_linear_operator_compute_alike(way):
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    assert way(operator).to_dense().numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_memoryview_of_a_tensor():
    tensor = tf.constant([[1, 2], [3, 4]], tf.int64) * 2
    if sys.version_info < (3, 12):  # Python asks classes for their buffers from 3.12 on
        view = memoryview(tensor.__array__(copy=False))
    else:
        view = memoryview(tensor)
        assert bytearray(tensor) == bytearray(view)
        assert np.frombuffer(tensor, np.int64).tolist() == [2, 4, 6, 8]
        with pytest.raises(ValueError, match="cannot include dtype 'E' in a buffer"):
            memoryview(tf.constant(1.0, tf.bfloat16))
    assert (view.shape, view.format, view.readonly, view.nbytes) == ((2, 2), "l", True, 32)
    with pytest.raises(TypeError, match="cannot modify read-only memory"):
        view[0, 0] = 1
