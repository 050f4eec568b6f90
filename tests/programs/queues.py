"""Queues: what they give out, what they refuse, and how threads wait for each other."""

import re
import threading
import time

from programs.program import caught


def _tried(*steps):
    """What each step gives; the numbers of queues in errors are left out."""
    found = []
    for step in steps:
        value = caught(step)
        if hasattr(value, "text"):
            value.text = re.sub(r"'\d+'", "", value.text)
        found.append(value)
    return found


def first_in_first_out(tf, np):
    q = tf.queue.FIFOQueue(3, [tf.float32])
    return [
        _tried(
            lambda: q.enqueue(1.0),
            lambda: q.enqueue([2.0]),
            lambda: q.enqueue((tf.Variable(3.0),)),
            q.size,
            q.dequeue,
            lambda: q.dequeue_many(2),
            q.dequeue,
            q.dequeue,
            lambda: q.enqueue_many([[1.0, 2.0]]),
            lambda: q.enqueue_many([1.0, 2.0]),
            lambda: q.enqueue_many(tf.constant([5.0])),
            q.size,
            q.is_closed,
            q.close,
            q.is_closed,
            lambda: q.enqueue(1.0),
            q.dequeue,
            lambda: q.dequeue_up_to(5),
            q.close,
            q.dequeue,
            q.dequeue,
            q.dequeue,
        ),
        [q.names, q.dtypes, q.shapes],
    ]


def several_components(tf, np):
    q = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []])
    return _tried(
        lambda: q.enqueue([[1.0, 2.0], 3]),
        lambda: q.enqueue([[1.0], 3]),
        lambda: q.enqueue([[1.0, 2.0]]),
        lambda: q.enqueue([[1.0, 2.0], 3.5]),
        lambda: q.enqueue([tf.constant([1, 2]), 3]),
        lambda: q.enqueue([[1.0, 2.0], tf.constant(3.0)]),
        lambda: q.enqueue_many([[[1.0, 2.0], [3.0, 4.0]], [1, 2]]),
        lambda: q.enqueue_many([[[1.0, 2.0], [3.0, 4.0]], [1]]),
        q.dequeue,
        lambda: q.dequeue_many(2),
        lambda: q.dequeue_many(0),
        lambda: q.dequeue_many(-1),
        lambda: q.dequeue_up_to(-1),
        q.close,
        lambda: q.dequeue_up_to(2),
    )


def named_components(tf, np):
    q = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], names=["a", "b"])
    return _tried(
        lambda: q.enqueue({"a": 1.0, "b": 2}),
        lambda: q.enqueue([1.0, 2]),
        lambda: q.enqueue({"a": 1.0}),
        lambda: q.enqueue({"a": 1.0, "b": 2, "c": 3}),
        q.dequeue,
        lambda: tf.queue.FIFOQueue(3, tf.float32).enqueue({"a": 1.0}),
    )


def constructors(tf, np):
    fifo, padding = tf.queue.FIFOQueue, tf.queue.PaddingFIFOQueue
    one = fifo(3, [tf.float32], shapes=[[]])
    two = fifo(3, [tf.float32], shapes=[[]])
    two.enqueue(2.0)
    choose = tf.queue.QueueBase.from_list
    return _tried(
        lambda: fifo(3, tf.float32, shapes=()).shapes,
        lambda: fifo(3, [tf.float32], shapes=[[None]]),
        lambda: fifo(3, [tf.float32, tf.float32], shapes=[[2]]),
        lambda: fifo(3, [tf.float32, tf.float32], names=["a"]),
        lambda: fifo(-1, [tf.float32]).size(),
        lambda: fifo(2, tf.float32).dtypes,
        lambda: padding(5, [tf.float32], shapes=None),
        lambda: padding(5, [tf.float32, tf.int32], shapes=[[None]]),
        lambda: padding(5, [tf.float32], shapes=[None]),
        lambda: padding(5, [tf.float32], shapes=[[None]]).shapes,
        lambda: choose(1, [one, two]).dequeue(),
        lambda: choose(0, []),
        lambda: choose(0, [one, 1]),
        lambda: choose(0, [one, fifo(3, [tf.int32])]),
        lambda: isinstance(one, tf.queue.QueueBase),
    )


def padded(tf, np):
    q = tf.queue.PaddingFIFOQueue(5, [tf.float32], shapes=[[None]])
    return _tried(
        lambda: q.enqueue([[1.0, 2.0]]),
        lambda: q.enqueue([[1.0, 2.0, 3.0]]),
        lambda: q.enqueue([[[1.0]]]),
        lambda: q.dequeue_many(2),
        lambda: q.enqueue([[1.0]]),
        q.dequeue,
        lambda: q.dequeue_many(0),
    )


def by_priority(tf, np):
    q = tf.queue.PriorityQueue(5, [tf.float32], shapes=[()])
    steps = [
        lambda k=k, v=v: q.enqueue((k, v)) for k, v in ((3, 0.5), (1, 1.5), (2, 2.5), (1, 3.5))
    ]
    return [
        _tried(*steps, q.dequeue, lambda: q.dequeue_many(3), lambda: q.enqueue(2.0)),
        [q.dtypes, q.shapes],
    ]


def shuffled(tf, np):
    q = tf.queue.RandomShuffleQueue(10, 2, [tf.int32], shapes=[()], seed=1)
    q.enqueue_many([list(range(6))])
    taken = q.dequeue_many(4).numpy().tolist()
    left = int(q.size())
    q.close()
    rest = q.dequeue_up_to(5).numpy().tolist()
    return [len(taken), left, sorted(taken + rest), _tried(q.dequeue)]


def threads(tf, np):
    def later(call):
        def run():
            time.sleep(0.05)
            caught(call)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    q = tf.queue.FIFOQueue(1, [tf.float32], shapes=[[]])
    started = [later(lambda: q.enqueue(5.0))]
    waited = q.dequeue()
    q.enqueue(1.0)
    started.append(later(q.dequeue))
    q.enqueue(2.0)
    started.append(later(lambda: q.close(cancel_pending_enqueues=True)))
    cancelled = _tried(lambda: q.enqueue(3.0))
    empty = tf.queue.FIFOQueue(1, [tf.float32], shapes=[[]])
    started.append(later(empty.close))
    ended = _tried(empty.dequeue, lambda: empty.dequeue_up_to(3), lambda: empty.dequeue_many(3))
    for thread in started:
        thread.join()
    return [waited, cancelled, q.dequeue(), ended]
