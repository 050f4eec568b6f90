"""Datasets whose elements are datasets or dataclasses."""

import dataclasses

from programs.program import shown


def datasets_of_datasets(tf, np):
    data = tf.data.Dataset
    total = lambda window: window.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)  # noqa: E731
    one = data.from_tensors(data.range(3))
    several = data.range(3).map(lambda n: data.range(n + 1))
    named = data.from_tensor_slices([1, 2]).map(lambda n: {"a": data.from_tensors(n), "b": n})
    return {
        "spec": str(one.element_spec),
        "one": [list(inner) for inner in one],
        "flat": list(one.flat_map(lambda inner: inner)),
        "several": [list(inner) for inner in several],
        "several spec": str(several.element_spec),
        "batches": list(several.flat_map(lambda inner: inner.batch(2))),
        "named": [[list(item["a"]), item["b"]] for item in named],
        "named spec": str(named.element_spec),
        "zipped": [[list(a), b] for a, b in data.zip((data.range(2).window(1), data.range(2)))],
        "mapped": [list(x) for x in data.range(4).window(2).map(lambda w: w.map(lambda y: y * 2))],
        "reduced": list(data.range(4).window(2).map(total)),
        "list": [list(x) for x in data.from_tensor_slices([data.range(2), data.range(3)])],
        "repeated": [list(x) for x in data.from_tensors(data.range(2)).repeat(2)],
        "joined": [
            list(x)
            for x in data.from_tensors(data.range(2)).concatenate(data.from_tensors(data.range(3)))
        ],
        "shuffled": [list(x) for x in data.range(4).window(2).shuffle(1).prefetch(1).take(1)],
        "filtered": [list(x) for x in data.range(4).window(2).filter(lambda w: tf.constant(True))],
        "cached": [list(x) for x in data.range(4).window(2).cache()],
        "lengths": [len(x) for x in data.range(5).window(2)],
        "cardinalities": [x.cardinality() for x in data.range(5).window(2)],
        "single": total(data.from_tensors(data.range(3)).get_single_element()),
        "pair": list(next(iter(data.from_tensors((data.range(3), 1))))[0]),
    }


def dataclasses_as_elements(tf, np):
    @dataclasses.dataclass
    class Pair:
        mask: bool
        value: tf.Tensor

        def __tf_flatten__(self):
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(mask=metadata[0], value=components[0])

    def seen(item):
        if isinstance(item, Pair):
            return [item.mask, seen(item.value)]
        return [seen(part) for part in item] if isinstance(item, tuple) else shown(item)

    def read(dataset):
        return [seen(item) for item in dataset]

    data, pair = tf.data.Dataset, Pair(True, tf.constant([1.0, 2.0]))
    rows = data.from_tensor_slices(pair)
    nested = Pair(False, (tf.constant([1, 2]), {"a": tf.constant([3.0, 4.0])}))
    return {
        "tensors": read(data.from_tensors(pair)),
        "slices": read(rows),
        "nested": [item.value[1]["a"] for item in data.from_tensor_slices(nested)],
        "map": read(rows.map(lambda row: Pair(False, row.value * 3))),
        "batch": read(rows.batch(2)),
        "made": read(data.range(2).map(lambda x: Pair(True, x))),
        "within": read(data.from_tensor_slices({"a": pair}).map(lambda item: item["a"])),
        "zip": read(data.zip((rows, data.range(2)))),
        "single": seen(data.from_tensors(pair).get_single_element()),
        "others": read(rows.shuffle(1).repeat(2).prefetch(1).take(3)),
        "filter": read(rows.filter(lambda row: row.value > 1.5)),
        "scan": read(rows.scan(0.0, lambda state, row: (state + row.value, Pair(True, state)))),
        "reduce": rows.reduce(0.0, lambda state, row: state + row.value),
        "function": seen(tf.function(lambda row: Pair(row.mask, row.value + 1))(pair)),
        "spec": str(data.from_tensors(pair).element_spec.value),
    }
