"""Values of every kind survive pickling and copying."""

import copy
import pickle

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
