"""What programs hang on tensors: attributes of their own, weak references; bytes of tensors."""

import copy
import gc
import weakref

from programs.program import Caught, answers, caught


def of_ones_own(tf, np):
    eager, computed = tf.constant(1.0), tf.constant([1.0, 2.0]) + 1.0
    for tensor in (eager, computed):
        tensor.note = "kept"
    del computed.note
    return [eager.note, hasattr(computed, "note"), hasattr(eager, "other"), caught(lambda: eager.x)]


def in_functions(tf, np):
    @tf.function
    def doubled(x):
        y = x * 2.0
        y.note = [1, 2, 3]
        return y, tf.constant(len(y.note))

    results = doubled(tf.constant([1.0]))
    return [*results, hasattr(results[0], "note")]


def copied(tf, np):
    tensor = tf.constant([1.0])
    tensor.note = 1
    return [copy.copy(tensor).note, copy.deepcopy(tensor).note, hasattr(tensor + 0.0, "note")]


def of_methods(tf, np):
    tensor = tf.constant([1.0])
    tensor.numpy = lambda: "mine"
    return tensor.numpy()


def that_cannot_be_set(tf, np):
    def kind(name):
        found = caught(lambda: setattr(tf.constant([1.0]), name, 5))
        return found.name if isinstance(found, Caught) else "set"

    return {name: kind(name) for name in ("shape", "dtype", "name", "op", "graph", "device")}


def of_subclasses_of_values(tf, np):
    return {
        kind: [hasattr(value, "__dict__"), (setattr(value, "note", 1), value.note)[1]]
        for kind, value in {
            "texts": tf.constant(["a"]),
            "whole": tf.constant(3),
            "row": tf.constant([[1.0]])[0],
        }.items()
    }


def referenced_weakly(tf, np):
    tensor = tf.constant(2.0) * 3.0
    reference, held = weakref.ref(tensor), weakref.WeakValueDictionary(a=tensor)
    before = reference() is tensor, list(held)
    del tensor
    gc.collect()
    key = caught(lambda: weakref.WeakKeyDictionary().update([(tf.constant(1.0), 1)]))
    return [before, reference() is None, list(held), key]


def written_as_bytes(tf, np):
    return answers(
        lambda: bytes(tf.constant([1, 2], tf.int16)),
        lambda: bytes(tf.constant([[1.0, 2.0]])),
        lambda: bytes(tf.constant(3)),
        lambda: bytes(tf.constant([True, False])),
        lambda: bytes(tf.zeros([0, 2])),
        lambda: bytes(tf.constant([1, 2]) + 1),
    )
