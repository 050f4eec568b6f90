"""`tf.function`: what it reads or changes outside of variables, at every call and in no other."""

import os
import tempfile


def queues(tf, np):
    queue = tf.queue.FIFOQueue(20, tf.int32, [[]])
    queue.enqueue_many([[1, 2, 3, 4, 5, 6, 7, 8]])
    take = tf.function(lambda: queue.dequeue())
    two = tf.function(lambda: queue.dequeue_many(2) * 10)
    count = tf.function(lambda: queue.size())

    @tf.function
    def put():
        queue.enqueue(9)
        return tf.constant(0)

    taken = [take() for _ in range(3)]
    counts = [count()]
    for _ in range(3):
        put()
        counts.append(count())
    closed = tf.function(lambda: queue.is_closed())
    before = [closed(), closed()]
    queue.close()
    return taken, counts, [two(), two(), two()], before, closed()


def queues_in_branches(tf, np):
    queue = tf.queue.FIFOQueue(20, tf.int32, [[]])
    queue.enqueue_many([[1, 2, 3, 4, 5, 6, 7, 8]])

    @tf.function
    def sometimes(wanted):
        taken = tf.constant(-1)
        if wanted:
            taken = queue.dequeue()
        return taken

    @tf.function
    def several(number):
        total = 0
        for _ in tf.range(number):
            total += queue.dequeue()
        return total

    first = [sometimes(tf.constant(wanted)) for wanted in (False, False, True, False, True)]
    branch = tf.function(lambda p: tf.cond(p, queue.dequeue, lambda: tf.constant(-2)))
    second = [branch(tf.constant(wanted)) for wanted in (False, True, False, True)]
    return first, second, [several(tf.constant(number)) for number in (0, 1, 2)], queue.size()


def tables(tf, np):
    found = []
    for table in (
        tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1),
        tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3),
    ):
        one = tf.constant([1], tf.int64)

        @tf.function
        def put(table=table, one=one):
            table.insert(one, one * 7)
            return tf.constant(0)

        @tf.function
        def drop(table=table, one=one):
            table.remove(one)
            return table.size()

        @tf.function
        def sometimes(wanted, table=table, one=one):
            if wanted:
                table.insert(one + 1, one)
            return table.size()

        look = tf.function(lambda table=table, one=one: table.lookup(one))
        count = tf.function(lambda table=table: table.size())
        found += [look(), count()]
        for _ in range(2):
            put()
            found += [look(), count(), drop(), look(), count()]
        found += [sometimes(tf.constant(wanted)) for wanted in (False, False, True, False)]
        values = tf.function(lambda table=table: tf.reduce_max(table.export()[1]))
        found.append(values())
        table.insert(one + 2, one * 100)
        found.append(values())
    return found


def files_that_are_written(tf, np):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "a")

    @tf.function
    def write(x):
        tf.io.write_file(path, "text")
        return x + 1.0

    @tf.function
    def sometimes(x):
        if x > 0.0:
            tf.io.write_file(path, tf.strings.as_string(x, precision=1))
        return x

    there = []
    for _ in range(3):
        write(tf.constant(1.0))
        there.append(os.path.exists(path))
        os.remove(path)
    for number in (-1.0, -2.0, 1.0):
        sometimes(tf.constant(number))
        there.append(os.path.exists(path))
    sometimes(tf.constant(2.0))
    with open(path) as file:
        return there, file.read()


def the_time(tf, np):
    now = tf.function(lambda: tf.timestamp())
    later = tf.function(lambda x: tf.timestamp() + x)
    times = [now().numpy() for _ in range(3)]
    more = [later(tf.constant(0.0, tf.float64)).numpy() for _ in range(3)]
    return times == sorted(set(times)), more == sorted(set(more))


def told(tf, function):
    answers = []
    for wanted in (False, False, True, False):
        try:
            answers.append(function(tf.constant(wanted)))
        except tf.errors.OpError as error:
            answers.append(type(error).__name__)
    return answers


def files_that_are_read_in_branches(tf, np):
    """Ops that look at files and texts may fail only where they run."""

    @tf.function
    def read(wanted):
        text = tf.constant("none")
        if wanted:
            text = tf.io.read_file("/no/such/file")
        return text

    def branch(wanted):
        return tf.cond(wanted, lambda: tf.io.read_file("/no/such/file"), lambda: tf.constant("no"))

    return [told(tf, one) for one in (read, branch, tf.function(branch))]


def texts_that_are_read_in_branches(tf, np):
    @tf.function
    def number(wanted):
        found = tf.constant(0.0)
        if wanted:
            found = tf.strings.to_number(tf.constant("bad"))
        return found

    @tf.function
    def image(wanted):
        found = tf.constant(0)
        if wanted:
            found = tf.cast(tf.io.decode_png(tf.constant("bad"))[0, 0, 0], tf.int32)
        return found

    @tf.function
    def example(wanted):
        found = tf.constant(0, tf.int64)
        if wanted:
            fields = {"a": tf.io.FixedLenFeature([], tf.int64)}
            found = tf.io.parse_single_example(tf.constant("bad"), fields)["a"]
        return found

    return [told(tf, one) for one in (number, image, example)]
