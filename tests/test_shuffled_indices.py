"""Permutations computed index by index: TensorFlow's, in another order."""

import numpy as np
import pytest

import tapefacade as tf

shuffle = tf.random.experimental.index_shuffle


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16, 17, 1000])
@pytest.mark.parametrize("dtype", [tf.int32, tf.uint64])
def test_every_number_comes_once(size, dtype):
    numbers = tf.cast(tf.range(size), dtype)
    found = shuffle(numbers, [1, 2], tf.cast(size - 1, dtype))
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.sort(found), np.arange(size))


def test_the_order_depends_on_the_seed_and_on_nothing_else():
    orders = [tuple(shuffle(tf.range(50), seed, 49).numpy()) for seed in ([1, 2], [1, 3], [2, 1])]
    assert len(set(orders)) == 3
    assert tuple(shuffle(tf.range(50), [1, 2], 49).numpy()) == orders[0]
    assert shuffle(7, [1, 2], 49).numpy() == orders[0][7]


def test_all_orders_come_about_equally_often():
    seeds = tf.stack([tf.range(6000), tf.range(6000) // 7, tf.zeros([6000], tf.int32)], axis=1)
    orders = np.stack(
        [tf.random_index_shuffle(tf.fill([6000], i), seeds, 2).numpy() for i in range(3)], axis=1
    )
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert abs(counts - 1000).max() < 150  # five standard deviations


def test_limits_and_seeds_of_each_index():
    found = tf.random_index_shuffle([0, 1], [[1, 2, 3], [4, 5, 6]], [3, 1])
    assert found.numpy()[0] == tf.random_index_shuffle(0, [1, 2, 3], 3).numpy()
    assert found.numpy()[1] == tf.random_index_shuffle(1, [4, 5, 6], 1).numpy()


def test_more_rounds_are_another_permutation():
    many = tf.random_index_shuffle(tf.range(100), [1, 2, 3], 99, rounds=8)
    few = tf.random_index_shuffle(tf.range(100), [1, 2, 3], 99)
    assert (many.numpy() != few.numpy()).any()
