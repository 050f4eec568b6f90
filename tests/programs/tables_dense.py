"""Dense hash tables: keys that are vectors, and the buckets that `export` gives."""

import os

from programs.program import answers, caught, in_a_new_directory


def _table(tf, values=7, empty=-1, deleted=-2, buckets=8):
    kind = tf.string if "" in (empty if isinstance(empty, list) else [empty]) else tf.int64
    return tf.lookup.experimental.DenseHashTable(
        kind, tf.int64, values, empty, deleted, initial_num_buckets=buckets
    )


def _buckets(table):
    return [part.numpy() for part in table.export()]  # TensorFlow's tensors change with the table


def _pairs(tf, *whole):
    return tf.constant([whole[k : k + 2] for k in range(0, len(whole), 2)], tf.int64)


def _whole(tf, *whole):
    return tf.constant(whole, tf.int64)


def buckets_after_changes(tf, np):
    table = _table(tf, buckets=4)
    found = [_buckets(table)]
    for key in (4, 8, 1):
        table.insert(_whole(tf, key), _whole(tf, 10 * key))
        found.append(_buckets(table))
    table.erase(_whole(tf, 8, 77))
    found.append(_buckets(table))
    for key in (12, 0):
        table.insert(_whole(tf, key), _whole(tf, 10 * key))
        found.append(_buckets(table))
    table.insert(_whole(tf, 100, 101, 102, 100), _whole(tf, 1, 2, 3, 4))
    return [*found, _buckets(table), table.size(), table.lookup(_whole(tf, 100, 12, 8))]


def vectors_as_keys(tf, np):
    table = _table(tf, empty=[-1, -1], deleted=[-2, -2])
    table.insert(_pairs(tf, 1, 2, 3, 4, 2, 1), _whole(tf, 1, 2, 3))
    found = [_buckets(table), table.lookup(_pairs(tf, 1, 2, 9, 9)), table.size()]
    table.erase(_pairs(tf, 3, 4, 9, 9))
    found.append(_buckets(table))
    table.insert(_pairs(tf, 5, 5, 1, 2), _whole(tf, 9, 11))
    return [*found, _buckets(table), table.size(), table[_pairs(tf, -1, -2)]]


def texts_as_keys(tf, np):
    table, pairs = _table(tf, empty="", deleted="$"), _table(tf, empty=["", "e"], deleted=["", "d"])
    table.insert(["a", "bb", "a long text of some words, and more"], _whole(tf, 1, 2, 3))
    pairs.insert([["a", "b"], ["c", "d"]], _whole(tf, 1, 2))
    found = [_buckets(table), _buckets(pairs)]
    return [*map(repr, (part for one in found for part in one)), pairs.lookup([["c", "d"]])]


def vectors_as_values(tf, np):
    table = _table(tf, values=[0, 5])
    table.insert(_whole(tf, 5, 6), _pairs(tf, 1, 2, 3, 4))
    return [_buckets(table), table.lookup(_whole(tf, 5, 9)), table.lookup(_whole(tf, 5)[0])]


def what_does_not_fit(tf, np):
    table = _table(tf, empty=[-1, -1], deleted=[-2, -2])
    one = _table(tf)
    return answers(
        lambda: table.lookup(_whole(tf, 1, 2)),
        lambda: table.lookup(_pairs(tf, 1, 2)[None]),
        lambda: table.lookup(_whole(tf, 1, 2, 3)),
        lambda: table.lookup(_whole(tf, 1)[0]),
        lambda: table.lookup(_pairs(tf, 1, 2, -1, -1)),
        lambda: table.insert(_pairs(tf, -2, -2), _whole(tf, 1)),
        lambda: table.insert(_pairs(tf, 1, 2), _whole(tf, 1, 2)),
        lambda: table.insert(_whole(tf, 1, 2), _whole(tf, 1)),
        lambda: table.erase(_whole(tf, 1, 2, 3)),
        lambda: one.lookup(_pairs(tf, 1, 2)),
        lambda: one.insert(_pairs(tf, 1, 2), _pairs(tf, 1, 2)),
        lambda: _table(tf, empty=[-1, -1], deleted=-2),
        lambda: _table(tf, empty=[-1, -1], deleted=[-1, -1]),
        lambda: _table(tf, empty=[[1, 2]], deleted=[[0, 0]]),
        lambda: _table(tf, buckets=6),
        lambda: _table(tf, buckets=2),
    )


def in_a_function(tf, np):
    table = _table(tf, empty=[-1, -1], deleted=[-2, -2])

    @tf.function
    def change(keys, values):
        table.insert(keys, values)
        table.erase(keys[:1])
        return table.lookup(keys), table.size()

    arguments = _pairs(tf, 1, 2, 3, 4), _whole(tf, 1, 2)
    return [change(*arguments), change(*arguments), _buckets(table)]


@in_a_new_directory
def saved_and_restored(tf, np):
    table, other = (_table(tf, empty=[-1, -1], deleted=[-2, -2]) for _ in range(2))
    table.insert(_pairs(tf, 1, 2, 3, 4, 5, 6), _whole(tf, 1, 2, 3))
    table.erase(_pairs(tf, 3, 4))
    path = tf.train.Checkpoint(table=table).save(os.path.join(os.getcwd(), "saved"))
    other.insert(_pairs(tf, 7, 7), _whole(tf, 7))
    tf.train.Checkpoint(table=other).restore(path)
    return [_buckets(other), other.size(), other.lookup(_pairs(tf, 1, 2, 3, 4, 7, 7))]


def in_a_dataset(tf, np):
    table = _table(tf, empty=[-1, -1], deleted=[-2, -2])
    table.insert(_pairs(tf, 0, 0, 2, 2), _whole(tf, 1, 2))
    numbers = tf.data.Dataset.range(3).map(lambda k: table.lookup(tf.stack([k, k])[None]))
    return [caught(lambda: list(numbers))]
