"""Datasets with elements that cannot be made: what comes after the error."""

from programs.program import Caught, caught


def _read(dataset, most=50):
    """The elements; an error as the name of its class."""
    found, iterator = [], iter(dataset)
    for _ in range(most):
        try:
            found.append(next(iterator))
        except StopIteration:
            return [*found, "end"]
        except Exception as error:
            found.append(type(error).__name__)
    return found


def _failing(tf, **kwargs):
    def inverse(x):
        return tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad")

    return tf.data.Dataset.range(5).map(inverse, **kwargs)


def _parts(dataset):
    return [item if isinstance(item, str) else list(item) for item in _read(dataset)]


def after_one_step(tf, np):
    data, bad = tf.data.Dataset, lambda: _failing(tf)
    whole = lambda: bad().map(lambda x: tf.cast(x, tf.int64))  # noqa: E731
    fives = data.range(3).map(lambda x: 5.0)
    found = {
        "nothing": bad(),
        "parallel": _failing(tf, num_parallel_calls=2),
        "batch": bad().batch(2),
        "batch drop": bad().batch(2, drop_remainder=True),
        "padded_batch": bad().padded_batch(2, padded_shapes=[]),
        "ragged_batch": bad().ragged_batch(2),
        "rebatch": bad().batch(2).rebatch(1),
        "unbatch": bad().batch(1).unbatch(),
        "prefetch": bad().prefetch(2),
        "map": bad().map(lambda x: x + 1),
        "filter": bad().filter(lambda x: x > 0),
        "take": bad().take(3),
        "take 0": bad().take(0),
        "skip": bad().skip(3),
        "skip 1": bad().skip(1),
        "skip all": bad().skip(-1),
        "shard": bad().shard(2, 0),
        "repeat": bad().repeat(2),
        "cache": bad().cache(),
        "concatenate": bad().concatenate(data.range(1).map(lambda x: 7.0)),
        "concatenate behind": data.range(1).map(lambda x: 7.0).concatenate(bad()),
        "scan": bad().scan(0.0, lambda state, x: (state + x, state + x)),
        "take_while": bad().take_while(lambda x: x < 10),
        "unique": whole().unique(),
        "sample": data.sample_from_datasets([bad()], [1.0]),
        "choose": data.choose_from_datasets([bad(), fives], data.range(6).map(lambda x: x % 2)),
        "group_by_window": bad().group_by_window(
            lambda x: tf.constant(0, tf.int64), lambda key, window: window.batch(2), 2
        ),
        "bucket": bad()
        .map(lambda x: tf.fill([1], x))
        .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [5], [2, 2]),
    }
    return {
        name: [_read(dataset), _read(dataset.ignore_errors())] for name, dataset in found.items()
    }


def after_shuffling(tf, np):
    read = _read(_failing(tf).shuffle(10, seed=1))
    return [sum(isinstance(x, str) for x in read), len(read), len(_read(_failing(tf).shuffle(2)))]


def side_by_side(tf, np):
    data, bad = tf.data.Dataset, lambda: _failing(tf)
    return {
        "zip": _parts(data.zip((bad(), data.range(5)))),
        "zip ignored": _parts(data.zip((bad(), data.range(5))).ignore_errors()),
        "enumerate": _parts(bad().enumerate().ignore_errors()),
    }


def windows(tf, np):
    bad = lambda **kwargs: _failing(tf).window(**kwargs)  # noqa: E731
    return {
        "2": _parts(bad(size=2)),
        "2 ignored": _parts(bad(size=2).ignore_errors()),
        "3 by 1": _parts(bad(size=3, shift=1).ignore_errors()),
        "2 by 3": _parts(bad(size=2, shift=3)),
        "drop": _parts(bad(size=2, drop_remainder=True)),
    }


def of_several_datasets(tf, np):
    data = tf.data.Dataset

    def inner(x):
        y = tf.cast(x, tf.float32) * 10
        return data.range(3).map(
            lambda k: tf.debugging.check_numerics(y + 1.0 / tf.cast(k - 1, tf.float32), "bad")
        )

    def refused(x):
        tf.debugging.assert_less(x, tf.constant(1, tf.int64))
        return data.range(2)

    whole = _failing(tf).map(lambda x: tf.cast(x, tf.int64))
    found = {
        "interleave": data.range(2).interleave(inner, cycle_length=2),
        "one": data.range(2).interleave(inner, cycle_length=1, block_length=2),
        "blocks": data.range(3).interleave(inner, cycle_length=2, block_length=2),
        "flat_map": data.range(2).flat_map(inner),
        "the function fails": data.range(3).interleave(refused, cycle_length=2),
        "the elements fail": whole.interleave(
            lambda x: data.from_tensors(x).repeat(2), cycle_length=2
        ),
        "within": data.range(2).interleave(lambda x: inner(x).ignore_errors(), cycle_length=2),
    }
    return {
        name: [_read(dataset), _read(dataset.ignore_errors())] for name, dataset in found.items()
    }


def of_generators(tf, np):
    spec, make = tf.TensorSpec([], tf.int32), tf.data.Dataset.from_generator

    def wrong():
        yield from (1, "a", 3, [4], 5)

    def failing():
        yield 1
        raise ValueError("no")

    return {
        "wrong": _read(make(wrong, output_signature=spec)),
        "wrong ignored": _read(make(wrong, output_signature=spec).ignore_errors()),
        "failing": len(_read(make(failing, output_signature=spec))),
        "texts": _read(
            tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(tf.strings.to_number)
        ),
    }


def classes_of_generators(tf, np):
    """What a generator raises is the error of a kernel, whatever is made of the dataset."""
    spec, kinds = tf.TensorSpec([], tf.int32), (
        ValueError, TypeError, KeyError, RuntimeError, NotImplementedError, MemoryError, IndexError,
        OSError, StopIteration, tf.errors.NotFoundError,
    )  # fmt: skip

    def told(dataset):
        try:
            list(dataset)
        except Exception as error:
            return type(error).__name__, "of mine" in str(error) or "StopIteration" in str(error)

    def failing(kind):
        yield 1
        raise (
            kind(None, None, "of mine") if issubclass(kind, tf.errors.OpError) else kind("of mine")
        )

    found = {}
    for kind in kinds:
        data = tf.data.Dataset.from_generator(
            lambda kind=kind: failing(kind), output_signature=spec
        )
        parts = (data, data.map(lambda x: x + 1).batch(2), data.prefetch(1), data.cache())
        found[kind.__name__] = [told(one) for one in parts]
    for name, generator in (("none", lambda: 5), ("call", lambda: {}["of mine"])):
        data = tf.data.Dataset.from_generator(generator, output_signature=spec)
        found[name] = told(data)
    return found


def read_twice(tf, np):
    dataset = _failing(tf).ignore_errors().repeat(2).batch(3)
    first = _read(dataset)
    return [first, _read(dataset), dataset.reduce(0.0, lambda total, x: total + tf.reduce_sum(x))]


def reduced(tf, np):
    answer = caught(lambda: _failing(tf).reduce(0.0, lambda total, x: total + x))
    return [
        answer.name if isinstance(answer, Caught) else answer,
        _failing(tf).ignore_errors().reduce(0.0, lambda total, x: total + x),
    ]


def shuffled_elements_at_places(tf, np):
    at = tf.data.experimental.at

    def read(dataset, count=10):
        return sorted(int(at(dataset, place)) for place in range(count))

    data = tf.data.Dataset.range(10)
    same = data.shuffle(10, seed=3)
    return [
        read(data.shuffle(10, seed=3, reshuffle_each_iteration=False)),
        read(data.shuffle(3, seed=3)),
        read(data.shuffle(10)),
        read(same.map(lambda x: x * 2)),
        [int(at(same, 4)) == int(at(same, 4)) for _ in range(3)],
        caught(lambda: at(same, 10)),
    ]


def epochs_that_are_empty(tf, np):
    data = tf.data.Dataset
    count = [0]

    def now_and_then():
        count[0] += 1
        if count[0] % 2 == 0:
            yield count[0]

    def made():
        return data.from_generator(now_and_then, output_signature=tf.TensorSpec([], tf.int32))

    none = data.range(3).filter(lambda x: x > 5)
    found = [
        list(dataset)
        for dataset in (
            data.range(0).shuffle(3).repeat(2),
            data.range(0).shuffle(3).repeat(),
            none.shuffle(2).repeat(),
            none.repeat().take(2),
            data.range(0).shuffle(2).repeat().batch(2).take(2),
            data.range(3).take(0).shuffle(2).repeat().prefetch(1),
        )
    ]
    found.append(list(made().shuffle(3).repeat(4)))
    count[0] = 1
    found.append(list(made().shuffle(3).repeat().take(2)))
    count[0] = 1
    return [*found, list(made().repeat().take(2))]
